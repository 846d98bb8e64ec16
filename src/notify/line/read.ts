import { join } from 'node:path';
import { isJobId } from '../../job/ids.ts';
import { namesIn } from '../../store/folders.ts';
import { readProcess } from '../../store/process-table.ts';
import { readSmallFile } from '../../store/small-file.ts';
import { type LineClock, lineClock } from './clock.ts';
import { LINE_FILE_MAX_BYTES, type LineFile, type LineText, NOTHING, parseLineFile } from './line-file.ts';

const DEFAULT_COLUMNS = 80;
/** What ` +12` takes. */
const OTHERS_COLUMNS = 4;
const MOST_OTHERS = 99;

export interface LineRequest {
  /** The folder `findLines` found. */
  readonly lines: string;
  readonly sessionId: string | null;
  readonly columns: number;
}

interface Candidate {
  readonly line: LineFile;
  readonly dead: boolean;
}

/**
 * The status line of a repository: its most urgent job and how many others are at work; '' when there is nothing to
 * show. Reads only. The same as `bin/cc-delegate-statusline`, for Windows and for people.
 */
export function currentLine(request: LineRequest): string {
  const candidates = readCandidates(request.lines, lineClock());
  const shown = mostUrgent(candidates, request.sessionId);
  if (shown === null) return '';
  const others = Math.min(MOST_OTHERS, candidates.filter((each) => each !== shown && atWork(each)).length);
  const texts = shown.dead ? shown.line.dead : shown.line.alive;
  const beside = others > 0 ? widest(texts, request.columns - OTHERS_COLUMNS) : null;
  if (beside !== null) return `${beside.text} +${others}`;
  return widest(texts, request.columns)?.text ?? '…';
}

/** COLUMNS as the client sets it; 80 for what is no width. */
export function columnsFrom(text: string | undefined): number {
  return text !== undefined && /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : DEFAULT_COLUMNS;
}

function readCandidates(folder: string, clock: LineClock): Candidate[] {
  return namesIn(folder)
    .filter((name) => isJobId(name))
    .sort()
    .flatMap((name) => {
      const file = readSmallFile(join(folder, name), LINE_FILE_MAX_BYTES);
      const line = file.kind === 'ok' ? parseLineFile(file.text) : null;
      if (line === null || line.boot !== clock.boot || line.expires < clock.now) return [];
      return [{ line, dead: line.rank !== 3 && !lives(line) }];
    });
}

function atWork({ line, dead }: Candidate): boolean {
  return line.rank !== 3 && !dead;
}

/** One's own before others', a question or a death before work in progress, what ended after all; then the newest. */
function mostUrgent(candidates: readonly Candidate[], sessionId: string | null): Candidate | null {
  const score = ({ line, dead }: Candidate): number => {
    const foreign = line.session === sessionId ? 0 : 2;
    if (line.rank === 3) return foreign + 4;
    return foreign + (dead || line.rank === 1 ? 0 : 1);
  };
  return candidates.reduce<Candidate | null>(
    (best, each) => (best === null || score(each) <= score(best) ? each : best),
    null,
  );
}

/** Does the runner live? A line without one speaks of a job that needs none. */
function lives({ pid, start, boot }: LineFile): boolean {
  if (pid === NOTHING) return true;
  if (!/^[1-9][0-9]{0,9}$/.test(pid)) return false;
  if (boot === NOTHING) return answers(Number(pid));
  const found = readProcess(Number(pid), '/proc');
  return found.kind === 'found' && found.startTime === start && !['Z', 'X', 'x'].includes(found.state);
}

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // It is not there, or it is somebody else's and so not the runner.
    return false;
  }
}

function widest(texts: readonly LineText[], columns: number): LineText | null {
  return texts.find((text) => text.columns <= columns) ?? null;
}
