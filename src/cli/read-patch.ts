import { closeSync, openSync, readSync } from 'node:fs';
import { errorCode, storageError } from '../store/storage-error.ts';

/** No more of a patch than this is read to be shown; whoever applies it has all of it. */
const MOST_BYTES = 8 * 1024 * 1024;

/** A patch as text for people and models: what is no UTF-8 becomes a visible mark. null: there is none. */
export function readPatchText(path: string): { readonly text: string; readonly isCut: boolean } | null {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(MOST_BYTES + 1);
      let length = 0;
      for (let got = 1; got > 0 && length < bytes.length; length += got) {
        got = readSync(file, bytes, length, bytes.length - length, null);
      }
      const isCut = length > MOST_BYTES;
      return { text: bytes.toString('utf8', 0, Math.min(length, MOST_BYTES)), isCut };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw storageError('read', path, error);
  }
}
