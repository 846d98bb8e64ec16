import { mkdirSync, readdirSync } from 'node:fs';
import { errorCode, storageError } from './storage-error.ts';

/** Makes a folder, and those above it, for the user alone (0700). Throws UserError `storage`. */
export function ensureFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw storageError('write', path, error);
  }
}

/** The names in a folder, in no order; none when it does not exist. Throws UserError `storage`. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw storageError('read', folder, error);
  }
}
