import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inFolderOf, isGitOwn, type Place } from './files-path.ts';
import { Refusal } from './files-result.ts';

const NEW_FILE_MODE = 0o644;

/**
 * Puts `bytes` at `place` in one step (a new file beside it, then a rename), so that a reader sees the old
 * or the new and another name of the same file (a hard link) keeps the old. The mode of a file that is
 * there stays; a new one gets 0644. Folders on the way are made. Throws a Refusal.
 */
export async function putFile(place: Place, bytes: Uint8Array): Promise<void> {
  refuseGitOwn(place);
  await mkdir(dirname(place.path), { recursive: true });
  await inFolderOf(place, async (path) => {
    const mode = place.exists ? await modeOf(path, place.relative) : NEW_FILE_MODE;
    const fresh = join(dirname(path), `.cc-delegate-${randomBytes(6).toString('hex')}.tmp`);
    try {
      await writeFresh(fresh, bytes);
      await chmod(fresh, mode);
      await rename(fresh, path);
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  });
}

function refuseGitOwn(place: Place): void {
  if (!isGitOwn(place.relative)) return;
  throw new Refusal('git_folder', `${place.relative} belongs to git; it cannot be written by this tool`);
}

async function modeOf(path: string, shown: string): Promise<number> {
  const stat = await lstat(path);
  if (stat.isDirectory()) throw new Refusal('is_folder', `${shown === '' ? '.' : shown} is a folder`);
  if (!stat.isFile()) throw new Refusal('not_a_file', `${shown} is not a regular file`);
  // A rename would not ask for this; a file that was made read-only stays so.
  await access(path, constants.W_OK);
  return stat.mode & 0o7777;
}

async function writeFresh(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', NEW_FILE_MODE);
  try {
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}
