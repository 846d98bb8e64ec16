// Called through the default import, so that the tests can make the n-th call of the system fail.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { COST_BASES } from '../job/cost.ts';
import type { SpendRecord } from '../job/spend-record.ts';
import { ensureFolder } from './folders.ts';
import { pricesSchema } from './prices-schema.ts';
import { errorCode, storageError } from './storage-error.ts';

/** The one record of every model call of every job of this user. Only ever appended to. */
export function spendPath(userDir: string): string {
  return join(userDir, 'spend.ndjson');
}

/** A line is shorter than this, so that one write call takes it whole. */
const LINE_MAX_BYTES = 4096;
const NEWLINE = 0x0a;

/**
 * Adds one call, in one appending write, so that many processes may do it at once. After a line that a crash tore it
 * begins a new one. Throws UserError `storage`.
 */
export function appendSpend(userDir: string, record: SpendRecord): void {
  const path = spendPath(userDir);
  try {
    ensureFolder(dirname(path));
    const file = fs.openSync(path, 'a+', 0o600);
    try {
      append(file, lineOf(record));
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    throw storageError('write', path, error);
  }
}

function append(file: number, line: string): void {
  const isTorn = !endsWithNewline(file);
  const bytes = Buffer.from(isTorn ? `\n${line}` : line);
  if (fs.writeSync(file, bytes) === bytes.length) return;
  // A full disk took a part, and somebody else may have written behind it: a whole line, or the error that says why not.
  const again = Buffer.from(`\n${line}`);
  if (fs.writeSync(file, again) < again.length) throw Object.assign(new Error(), { code: 'ENOSPC' });
}

function endsWithNewline(file: number): boolean {
  const { size } = fs.fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || fs.readSync(file, last, 0, 1, size - 1) === 0 || last[0] === NEWLINE;
}

function lineOf(record: SpendRecord): string {
  const line = `${JSON.stringify(record)}\n`;
  if (Buffer.byteLength(line) <= LINE_MAX_BYTES) return line;
  // Only a path or a list of tiers can be so long.
  const short = { ...record, repo: record.repo.slice(-500), prices: null };
  return `${JSON.stringify(short)}\n`;
}

const tokens = z.number().nonnegative();

const schema: z.ZodType<SpendRecord> = z.object({
  schema: z.literal(1),
  at: z.iso.datetime(),
  job: z.string(),
  kind: z.enum(['task', 'ask']),
  repo: z.string(),
  role: z.string(),
  provider: z.string(),
  asked: z.string(),
  model: z.string(),
  usage: z.object({ input: tokens, output: tokens, cacheRead: tokens, cacheWrite: tokens }),
  prices: pricesSchema.nullable(),
  usd: z.number().nonnegative().nullable(),
  basis: z.enum(COST_BASES),
  estimated: z.boolean(),
  profile: z.string().nullable(),
});

/** How far a file was read. */
export interface SpendRead {
  /** Where to go on: the offset after the last whole line, in bytes. */
  readonly next: number;
  /** Lines that were torn or of another form. A last line that is still being written is none of them. */
  readonly skipped: number;
}

const WINDOW_BYTES = 1 << 20;

/**
 * Hands on every call from the offset `from` on, in the order they were written; never more than a megabyte is held at
 * once. A missing file has none. Throws UserError `storage`.
 */
export function scanSpend(userDir: string, from: number, each: (record: SpendRecord) => void): SpendRead {
  const read = reading(userDir, (file, size) => {
    let skipped = 0;
    // A file that became shorter is another file.
    let next = from > size ? 0 : from;
    while (next < size) {
      const window = readAt(file, next, Math.min(WINDOW_BYTES, size - next));
      const whole = window.lastIndexOf(NEWLINE) + 1;
      // A line that is still being written; one that fills a window is none of ours.
      if (whole === 0 && window.length < WINDOW_BYTES) break;
      skipped += whole === 0 ? 1 : handOn(window.subarray(0, whole), each);
      next += whole === 0 ? window.length : whole;
    }
    return { next, skipped };
  });
  return read ?? { next: 0, skipped: 0 };
}

/** Returns how many of the lines are no calls. */
function handOn(lines: Buffer, each: (record: SpendRecord) => void): number {
  let skipped = 0;
  for (const line of lines.toString('utf8').split('\n')) {
    if (line === '') continue;
    const record = parseSpend(line);
    if (record === null) skipped += 1;
    else each(record);
  }
  return skipped;
}

/** Clocks are set, and many processes write: a call may stand this much before one that was earlier. */
const DISORDER_MS = 60 * 60 * 1000;

/**
 * An offset before which there is no call of `sinceMs` (milliseconds since 1970) or later. Reads from the end, so that an
 * old and long file costs no more than a young one. Throws UserError `storage`.
 */
export function offsetBefore(userDir: string, sinceMs: number): number {
  const found = reading(userDir, (file, size) => {
    for (let start = size - WINDOW_BYTES / 4; start > 0; start -= WINDOW_BYTES / 4) {
      const window = readAt(file, start, WINDOW_BYTES / 4);
      const first = window.indexOf(NEWLINE) + 1;
      const oldest = firstOf(window.subarray(first));
      if (oldest !== null && Date.parse(oldest.at) < sinceMs - DISORDER_MS) return start + first;
    }
    return 0;
  });
  return found ?? 0;
}

/** The first call in these lines; those behind it are not looked at. */
function firstOf(lines: Buffer): SpendRecord | null {
  for (const line of lines.toString('utf8').split('\n')) {
    const record = parseSpend(line);
    if (record !== null) return record;
  }
  return null;
}

function parseSpend(line: string): SpendRecord | null {
  try {
    const parsed = schema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    // Torn or foreign: the caller counts it.
    return null;
  }
}

/** null: there is no file. */
function reading<T>(userDir: string, read: (file: number, size: number) => T): T | null {
  const path = spendPath(userDir);
  try {
    const file = fs.openSync(path, 'r');
    try {
      return read(file, fs.fstatSync(file).size);
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw storageError('read', path, error);
  }
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const got = fs.readSync(file, bytes, done, length - done, offset + done);
    if (got === 0) break;
    done += got;
  }
  return bytes.subarray(0, done);
}
