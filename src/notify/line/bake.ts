import { lstatSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { isJobId, type JobId } from '../../job/ids.ts';
import type { JobRecord } from '../../job/record.ts';
import { isTerminal } from '../../job/states.ts';
import { writeAtomic } from '../../store/atomic-file.ts';
import { ensureStoreFolder, namesIn } from '../../store/folders.ts';
import { storePaths } from '../../store/paths.ts';
import { readSmallFile } from '../../store/small-file.ts';
import { type LineClock, lineClock } from './clock.ts';
import { columnsOf } from './columns.ts';
import { rankOf, secondsLeft } from './life.ts';
import {
  LINE_FILE_MAX_BYTES,
  type LineFile,
  type LineText,
  lineFileText,
  NOTHING,
  parseLineFile,
} from './line-file.ts';
import { deadText, LINE_WIDTHS, lineText } from './text.ts';

/** What a shown line may have lost of its life before it is written anew though it says the same. */
const RENEW_SECONDS = 30;

/**
 * Brings a job's status line up to date, `.cc-delegate/lines/<id>`; called after every save, and writes only when
 * something changed that can be seen. Removes the line when there is nothing to show any more. Never throws: a line
 * is not worth a job.
 */
export function bakeLine(record: JobRecord): void {
  try {
    bake(record, Date.now(), lineClock());
  } catch {
    // The old line expires by itself; the record, which counts, is saved.
  }
}

function bake(record: JobRecord, nowMs: number, clock: LineClock): void {
  const { lines, root } = storePaths(record.repo);
  // A store that was taken away is not made again for a line.
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const path = join(lines, record.id);
  const before = readLine(path);
  if (before !== null && before.rev > record.rev) return;
  const left = secondsLeft(record, nowMs);
  if (left <= 0) {
    if (before !== null) unlinkSync(path);
    return;
  }
  const line = lineOf(record, left, clock);
  if (before !== null && saysTheSame(before, line)) return;
  ensureStoreFolder(lines);
  writeAtomic(path, lineFileText(line), { durable: false });
  // Without an up-time to read, a shell compares the file's time with that of a file it makes now.
  if (clock.boot === NOTHING) utimesSync(path, line.expires, line.expires);
  if (isTerminal(record.state)) sweepFolder(lines, clock);
}

function lineOf(record: JobRecord, left: number, clock: LineClock): LineFile {
  const runner = isTerminal(record.state) ? null : record.runner;
  const texts = (make: typeof lineText): LineText[] =>
    LINE_WIDTHS.map((width) => {
      const text = make(record, width);
      return { columns: columnsOf(text), text };
    });
  return {
    rank: rankOf(record),
    expires: clock.now + left,
    boot: clock.boot,
    pid: runner === null ? NOTHING : String(runner.pid),
    start: runner?.startTime.replaceAll(' ', '_') ?? NOTHING,
    session: record.supervisor.sessionId ?? NOTHING,
    rev: record.rev,
    alive: texts(lineText),
    dead: texts(deadText),
  };
}

function saysTheSame(before: LineFile, line: LineFile): boolean {
  if (line.expires - before.expires >= RENEW_SECONDS || before.expires > line.expires + RENEW_SECONDS)
    return false;
  return lineFileText({ ...before, expires: 0, rev: 0 }) === lineFileText({ ...line, expires: 0, rev: 0 });
}

function readLine(path: string): LineFile | null {
  const file = readSmallFile(path, LINE_FILE_MAX_BYTES);
  return file.kind === 'ok' ? parseLineFile(file.text) : null;
}

/** Takes a job's line away, when the job goes. Never throws. */
export function removeLine(repo: string, id: JobId): void {
  try {
    unlinkSync(join(storePaths(repo).lines, id));
  } catch {
    // There was none, or it expires by itself.
  }
}

/** Removes the lines of a store that nobody shows any more. Never throws. */
export function sweepLines(repo: string): void {
  try {
    sweepFolder(storePaths(repo).lines, lineClock());
  } catch {
    // What has expired is not shown; it only takes a little time to read.
  }
}

function sweepFolder(folder: string, clock: LineClock): void {
  // A link would lead the removal to files that are not ours.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const name of namesIn(folder).filter((each) => isJobId(each))) {
    const line = readLine(join(folder, name));
    if (line === null || line.boot !== clock.boot || line.expires < clock.now) unlinkSync(join(folder, name));
  }
}
