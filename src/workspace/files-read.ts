import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { inFolderOf, type Place } from './files-path.ts';
import { Refusal } from './files-result.ts';

/** Larger files are for the shell (head, sed, grep). */
const MOST_BYTES = 20 * 1024 * 1024;

/** All bytes of a regular file; never waits on a pipe or a device. Throws a Refusal. */
export async function takeFile(place: Place, maxBytes = MOST_BYTES): Promise<Buffer> {
  const shown = place.shown === '' ? '.' : place.shown;
  if (!place.exists) throw new Refusal('not_found', `${shown} does not exist`);
  if (place.relative === '') throw new Refusal('is_folder', `${shown} is a folder; use glob to list it`);
  return inFolderOf(place, async (path) => {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (stat.isDirectory()) throw new Refusal('is_folder', `${shown} is a folder; use glob to list it`);
      if (!stat.isFile()) throw new Refusal('not_a_file', `${shown} is not a regular file`);
      if (stat.size > maxBytes) {
        throw new Refusal('too_large', `${shown} has ${stat.size} bytes; look at parts of it with the shell`);
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  });
}
