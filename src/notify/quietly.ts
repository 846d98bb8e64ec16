import { closeSync, constants, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { namesIn } from '../store/folders.ts';
import { errorCode } from '../store/storage-error.ts';

/** The names in a folder, sorted; none where it cannot be read: to be heard is not worth an error. */
export function namesOf(folder: string): string[] {
  try {
    return namesIn(folder).sort();
  } catch {
    // What cannot be read has nothing to tell.
    return [];
  }
}

/** Removes a file; true when this very call did. */
export function removed(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    // Gone already, or not ours to remove.
    return false;
  }
}

/** Removes a folder that is empty, and no other. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody has something in it, or it is gone.
  }
}

/**
 * Makes an empty file that is not there yet: of many callers exactly one gets true. False also where it cannot be
 * made.
 */
export function madeEmpty(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
    return true;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return false;
  }
}
