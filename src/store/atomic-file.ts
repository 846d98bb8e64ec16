// Called through the default import, so that the tests can make the n-th call of the system fail.
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, storageError } from './storage-error.ts';

export interface WriteOptions {
  /** Wait until the disk has it: for what must survive a power cut. */
  readonly durable: boolean;
  /** Where the temporary file is made, on the same file system; beside the file when not given. */
  readonly temporaryIn?: string;
}

/**
 * Replaces a file in one step: a reader sees the old content or the new one, never a part. The file has mode
 * 0600; the folder must exist. Throws UserError `storage`, and then the old file is as it was.
 */
export function writeAtomic(path: string, content: string | Uint8Array, options: WriteOptions): void {
  try {
    const temporary = writeTemporary(options.temporaryIn ?? dirname(path), basename(path), content, options);
    orDiscard(temporary, () => fs.renameSync(temporary, path));
  } catch (error) {
    throw storageError('write', path, error);
  }
  if (options.durable) syncFolder(dirname(path));
}

/**
 * Creates a file, complete from the first moment, only if there is none: of many callers exactly one gets
 * `created`. Always durable. Throws UserError `storage`, and then nothing was created.
 */
export function createExclusive(path: string, content: string | Uint8Array): 'created' | 'exists' {
  let outcome: 'created' | 'exists' = 'created';
  try {
    const temporary = writeTemporary(dirname(path), basename(path), content, { durable: true });
    orDiscard(temporary, () => {
      outcome = linkNew(temporary, path);
    });
    discard(temporary);
  } catch (error) {
    throw storageError('write', path, error);
  }
  syncFolder(dirname(path));
  return outcome;
}

function linkNew(from: string, to: string): 'created' | 'exists' {
  try {
    fs.linkSync(from, to);
    return 'created';
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return 'exists';
    throw error;
  }
}

/** The name says who writes it, so that the sweeper knows when nobody does any more. */
const TEMPORARY = /^\..+\.([1-9][0-9]{0,9})\.[0-9]+\.tmp$/;

/** The process that wrote a temporary file with this name; null when the name is of another form. */
export function temporaryOwner(name: string): number | null {
  const pid = TEMPORARY.exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}

let sequence = 0;

function writeTemporary(
  folder: string,
  name: string,
  content: string | Uint8Array,
  options: WriteOptions,
): string {
  sequence += 1;
  const path = join(folder, `.${name}.${process.pid}.${sequence}.tmp`);
  const file = fs.openSync(path, 'wx', 0o600);
  orDiscard(path, () => {
    try {
      writeAll(file, content);
      if (options.durable) fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  });
  return path;
}

/** One write call may take only a part, e.g. just before the disk is full. */
function writeAll(file: number, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  let done = 0;
  while (done < bytes.length) done += fs.writeSync(file, bytes, done, bytes.length - done);
}

function orDiscard(temporary: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    discard(temporary);
    throw error;
  }
}

function discard(temporary: string): void {
  try {
    fs.unlinkSync(temporary);
  } catch {
    // Litter at worst, and the sweeper takes it; the caller's own outcome is what counts.
  }
}

function syncFolder(folder: string): void {
  try {
    const file = fs.openSync(folder, 'r');
    try {
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  } catch {
    // Every reader sees the new name already, so the write has happened: to report a failure here would make
    // the writer repeat it. Only a power cut in the next seconds can tell the difference.
  }
}
