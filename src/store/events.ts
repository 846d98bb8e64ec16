import { appendFileSync, closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensureStoreFolder } from './folders.ts';
import { errorCode, storageError } from './storage-error.ts';

export type Event = Readonly<Record<string, unknown>>;

export interface EventsRead {
  readonly events: readonly Event[];
  /** Lines that were torn, broken or over-long. */
  readonly skipped: number;
  /** Was there more than was read? */
  readonly truncated: boolean;
  /** The offset after the last whole line, in bytes: where `from` may go on. */
  readonly next: number;
}

/** No more of a file than this is held at once. */
const READ_MAX_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Adds one line of JSON, in one write call. After a line that a crash tore it begins a new one, so that the
 * torn one is all that is lost. For one writer. Throws UserError `storage`.
 */
export function appendEvent(file: string, event: Event): void {
  const line = `${JSON.stringify(event)}\n`;
  try {
    append(file, line);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw storageError('write', file, error);
    // The folder of a live runner was taken away.
    ensureStoreFolder(dirname(file));
    appendFileSync(file, line, { mode: 0o600 });
  }
}

function append(file: string, line: string): void {
  const handle = openSync(file, 'a+', 0o600);
  try {
    const { size } = fstatSync(handle);
    const last = Buffer.alloc(1);
    const torn = size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
    const bytes = Buffer.from(torn ? `\n${line}` : line, 'utf8');
    const written = writeSync(handle, bytes);
    // A full disk takes a part: the rest as well as it goes, or the error that says why not.
    for (let done = written; done < bytes.length; ) done += writeSync(handle, bytes, done);
  } finally {
    closeSync(handle);
  }
}

/**
 * Reads events: the last `tail` of them, those from the offset `from` on, or all; never more than the last
 * 16 MB. Torn and broken lines are counted, not returned. A missing file has none. Throws UserError `storage`.
 */
export function readEvents(
  file: string,
  options: { readonly tail?: number; readonly from?: number } = {},
): EventsRead {
  const { tail, from = 0 } = options;
  try {
    const handle = openSync(file, 'r');
    try {
      const { size } = fstatSync(handle);
      // A file that became shorter is another file: from its start.
      const start = from > size ? 0 : from;
      return readRange(handle, start, size, tail ?? Number.POSITIVE_INFINITY);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { events: [], skipped: 0, truncated: false, next: 0 };
    throw storageError('read', file, error);
  }
}

function readRange(handle: number, start: number, end: number, tail: number): EventsRead {
  const most = Math.min(READ_MAX_BYTES, end - start);
  let window = Number.isFinite(tail) ? Math.min(most, 64 * 1024) : most;
  for (;;) {
    const read = parseWindow(readBytes(handle, end - window, window), end - window > start);
    if (read.events.length >= tail || window >= most) {
      const events = Number.isFinite(tail)
        ? read.events.slice(Math.max(0, read.events.length - tail))
        : read.events;
      const truncated = events.length < read.events.length || end - window > start;
      return { events, skipped: read.skipped, truncated, next: end - window + read.whole };
    }
    window = Math.min(most, window * 4);
  }
}

function readBytes(handle: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const got = readSync(handle, bytes, done, length - done, offset + done);
    if (got === 0) break;
    done += got;
  }
  return bytes.subarray(0, done);
}

/** `cut`: the window begins somewhere in a line, which is left out. `whole`: bytes up to the last line's end. */
function parseWindow(bytes: Buffer, cut: boolean): { events: Event[]; skipped: number; whole: number } {
  const events: Event[] = [];
  let skipped = 0;
  let position = cut ? bytes.indexOf(NEWLINE) + 1 : 0;
  const whole = bytes.lastIndexOf(NEWLINE) + 1;
  while (position < whole) {
    const end = bytes.indexOf(NEWLINE, position);
    const event = parseLine(bytes.subarray(position, end));
    if (event !== null) events.push(event);
    else if (end > position) skipped += 1;
    position = end + 1;
  }
  // A rest without a line break is a line that is being written, or that a crash tore.
  if (whole < bytes.length) skipped += 1;
  return { events, skipped, whole };
}

function parseLine(line: Uint8Array): Event | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
    return isObject(value) ? value : null;
  } catch {
    // Torn or broken: the caller counts it.
    return null;
  }
}

function isObject(value: unknown): value is Event {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
