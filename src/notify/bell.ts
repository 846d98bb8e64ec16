import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensureFolder } from '../store/folders.ts';
import { errorCode } from '../store/storage-error.ts';
import { bellFile } from './places.ts';

/** A change is lost now and then when several come at once: the second one stands for it. */
const AGAIN_MS = 1000;

/** Makes a session's bell, or empties it, before the client is asked to watch it. Throws UserError `storage`. */
export function makeBell(userDir: string, session: string): string {
  const path = bellFile(userDir, session);
  ensureFolder(dirname(path));
  closeSync(openSync(path, 'w', 0o600));
  return path;
}

/**
 * Rings the bells of these sessions, those that have one, now and about a second later. What they are to find must be
 * on the disk already. Keeps the process alive for that second.
 */
export function ring(userDir: string, sessions: readonly string[]): void {
  const rung = sessions.filter((session) => ringOnce(userDir, session));
  if (rung.length === 0) return;
  setTimeout(() => {
    for (const session of rung) ringOnce(userDir, session);
  }, AGAIN_MS);
}

/** One byte more in the file. False where there is no bell. */
export function ringOnce(userDir: string, session: string): boolean {
  try {
    const flags = constants.O_WRONLY | constants.O_APPEND;
    // A link or a pipe in its place is no bell of ours. Windows has neither flag.
    const file = openSync(
      bellFile(userDir, session),
      flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    try {
      if (!fstatSync(file).isFile()) return false;
      writeSync(file, '.');
      return true;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // No bell, or a full disk: the session hears of it at its next turn.
    if (errorCode(error) === null) throw error;
    return false;
  }
}
