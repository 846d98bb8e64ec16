import type { Rank } from './life.ts';

/**
 * What a reader may know of one job without knowing its record. As text, so that a shell reads it by `read` alone:
 *
 *     1 <rank> <expires> <boot> <pid> <start> <session> <rev>
 *     <columns> <text>          four times, the widest first
 *     <columns> <text>          four times, to be shown when the runner is dead
 *
 * `-` stands for what there is not.
 */
export interface LineFile {
  readonly rank: Rank;
  /** Seconds of the machine's up-time (with `boot`), else of the epoch. */
  readonly expires: number;
  readonly boot: string;
  readonly pid: string;
  /** Field 22 of /proc/<pid>/stat. */
  readonly start: string;
  readonly session: string;
  readonly rev: number;
  readonly alive: readonly LineText[];
  readonly dead: readonly LineText[];
}

export interface LineText {
  readonly columns: number;
  readonly text: string;
}

const FORMAT = '1';
export const NOTHING = '-';
/** Far more than eight lines of 80 columns take. */
export const LINE_FILE_MAX_BYTES = 8192;

export function lineFileText(line: LineFile): string {
  const { rank, expires, boot, pid, start, session, rev, alive, dead } = line;
  const head = [FORMAT, rank, expires, word(boot), word(pid), word(start), word(session), rev].join(' ');
  return `${[head, ...[...alive, ...dead].map(({ columns, text }) => `${columns} ${text}`)].join('\n')}\n`;
}

/** null for what is not of this form: an older or newer program's, or nobody's. */
export function parseLineFile(text: string): LineFile | null {
  const [head = '', ...lines] = text.split('\n');
  const [format, rank, expires, boot, pid, start, session, rev, ...more] = head.split(' ');
  const known = format === FORMAT && (rank === '1' || rank === '2' || rank === '3') && more.length === 0;
  if (!known || !boot || !pid || !start || !session || !isWhole(expires) || !isWhole(rev)) return null;
  const texts = lines.slice(0, 8).flatMap((line) => parseText(line) ?? []);
  if (texts.length < 8) return null;
  return {
    rank: rank === '1' ? 1 : rank === '2' ? 2 : 3,
    expires: Number(expires),
    boot,
    pid,
    start,
    session,
    rev: Number(rev),
    alive: texts.slice(0, 4),
    dead: texts.slice(4),
  };
}

function parseText(line: string): LineText | null {
  const at = line.indexOf(' ');
  const columns = line.slice(0, Math.max(0, at));
  const text = line.slice(at + 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing that steers a terminal is shown
  if (!isWhole(columns) || /[\u0000-\u001f\u007f]/.test(text)) return null;
  return { columns: Number(columns), text };
}

function isWhole(text: string | undefined): text is string {
  return text !== undefined && /^[0-9]{1,12}$/.test(text);
}

/** One word, as `read` splits them. */
function word(text: string): string {
  const clean = text.replace(/[^A-Za-z0-9_.:-]/g, '_').slice(0, 100);
  return clean === '' ? NOTHING : clean;
}
