import { chmodSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EXIT, UserError } from '../job/user-error.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import { ensureFolder } from '../store/folders.ts';
import { readSmallFile } from '../store/small-file.ts';
import { errorCode, storageError } from '../store/storage-error.ts';

/** Told about something that was put right or left, which the user should know. */
export type Warn = (line: string) => void;

const MAX_BYTES = 1 << 20;
/** A lock left by a killed process is free after this; a writer holds it for milliseconds. */
const STALE_MS = 5000;

/**
 * The text of a file of the user directory, without a byte order mark; null when there is none. A symbolic
 * link is followed: people keep these files among their dotfiles. Throws UserError (exit 6).
 */
export function readUserFile(path: string): string | null {
  const read = readSmallFile(followLink(path), MAX_BYTES);
  if (read.kind === 'absent') return null;
  if (read.kind === 'ok') return read.text.replace(/^\ufeff/, '');
  throw new UserError({
    code: 'unreadable_file',
    what: `a file of the user directory could not be read: ${read.why}`,
    value: path,
    remedy: 'make it a readable text file, or move it away, then run the command again',
    exit: EXIT.environment,
  });
}

/**
 * Changes a file of the user directory: one writer at a time, from the text of this very moment, in one step,
 * mode 0600. `edit` gets null when there is no file; what it throws leaves the file as it was. Where a
 * symbolic link stands, its target is replaced and the link stays. Throws UserError (exit 6).
 */
export async function updateUserFile(path: string, edit: (text: string | null) => string): Promise<void> {
  ensureFolder(dirname(path));
  const release = await lockFile(path);
  try {
    const before = readUserFile(path);
    const after = edit(before);
    if (after === before) return;
    release.stillOurs();
    const target = followLink(path);
    ensureFolder(dirname(target));
    writeAtomic(target, after, { durable: true });
  } finally {
    await release.unlock();
  }
}

/** Takes away what others may do with a file or folder. Says so, and what could not be done. */
export function makePrivate(path: string, warn: Warn): void {
  const status = statusOf(path);
  if (status === null || process.platform === 'win32') return;
  const loose = status.mode & 0o077;
  if (loose === 0) return;
  const wanted = status.isDirectory() ? 0o700 : 0o600;
  const was = (status.mode & 0o777).toString(8).padStart(4, '0');
  try {
    chmodSync(path, wanted);
    warn(`${path} was open to others (mode ${was}); it is now 0${wanted.toString(8)}`);
  } catch (error) {
    // Reading goes on: the key is as exposed as it was, and the user is told.
    warn(
      `${path} is open to others (mode ${was}) and could not be closed (${errorCode(error) ?? String(error)})`,
    );
  }
}

function statusOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw storageError('read', path, error);
  }
}

/** Where the content really is. A link to a file that does not exist yet leads to that file. */
function followLink(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw storageError('read', path, error);
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    return isLink ? resolve(dirname(path), readlinkSync(path)) : path;
  }
}

interface Held {
  /** Throws when the lock was lost, e.g. after the machine slept: then somebody else may have written. */
  stillOurs(): void;
  unlock(): Promise<void>;
}

/** Longer in all than a lock needs to become stale. */
const WRITERS = { retries: 60, factor: 1.3, minTimeout: 10, maxTimeout: 200, randomize: true };
/** For those who wait until another process has its answer from the net: a good minute. */
const ASKERS = { retries: 300, factor: 1.3, minTimeout: 20, maxTimeout: 200, randomize: true };

/**
 * Runs `act` while no other process runs one for the same path; the path itself need not exist. For what takes longer
 * than a write, such as a request. Throws UserError (exit 6) when the others take longer than a minute.
 */
export async function oneAtATime<T>(path: string, act: () => Promise<T>): Promise<T> {
  ensureFolder(dirname(path));
  const { unlock } = await lockFile(path, ASKERS);
  try {
    return await act();
  } finally {
    await unlock();
  }
}

async function lockFile(path: string, retries = WRITERS): Promise<Held> {
  const { default: lockfile } = await import('proper-lockfile');
  let lost = false;
  try {
    const unlock = await lockfile.lock(path, {
      realpath: false,
      stale: STALE_MS,
      retries,
      onCompromised: () => {
        lost = true;
      },
    });
    return {
      stillOurs: () => {
        if (lost) throw busy(path);
      },
      // A lost lock is not ours to release.
      unlock: () => (lost ? Promise.resolve() : unlock()),
    };
  } catch (error) {
    if (errorCode(error) === 'ELOCKED') throw busy(path);
    throw storageError('write', `${path}.lock`, error);
  }
}

function busy(path: string): UserError {
  return new UserError({
    code: 'locked',
    what: 'another process is changing this file',
    value: path,
    remedy: `run the command again; if none is, remove ${path}.lock`,
    exit: EXIT.environment,
  });
}
