import { chmod, lstat, readdir, realpath, rm } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import type { JobId } from '../job/ids.ts';
import { markedFor } from './marker.ts';

export type Removal =
  | { readonly kind: 'removed' }
  | { readonly kind: 'gone' }
  /** Nothing was touched. */
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Removes the folder a job's workspace is in, with all that is beside it. A path in a job's file is never
 * trusted: the folder must lie under the state directory, by its real path, and carry this job's marker.
 * Links are removed, never followed.
 */
export async function removeWorkspace(wanted: {
  readonly stateDirectory: string;
  readonly id: JobId;
  readonly workspace: string;
}): Promise<Removal> {
  const folder = dirname(wanted.workspace);
  const stat = await lstat(folder).catch(missing);
  if (stat === null) return { kind: 'gone' };
  if (!stat.isDirectory()) return refused(folder, 'is no folder');
  const [real, state] = await Promise.all([realpath(folder), realpath(wanted.stateDirectory)]);
  if (!real.startsWith(state + sep)) return refused(folder, `is not under ${state}`);
  if ((await markedFor(real)) !== wanted.id)
    return refused(folder, `does not carry the marker of ${wanted.id}`);
  await removeTree(real);
  return { kind: 'removed' };
}

/** Removes a folder of ours in which programs of others have run, their read-only folders included; links are not followed. */
export async function removeTree(folder: string): Promise<void> {
  const stat = await lstat(folder).catch(missing);
  if (stat?.isDirectory()) await openFolders(Buffer.from(folder));
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

function refused(folder: string, why: string): Removal {
  return { kind: 'refused', why: `${folder} ${why}` };
}

/** Build tools leave read-only folders (Go's module cache): nothing in them can be unlinked. */
async function openFolders(folder: Buffer): Promise<void> {
  const { mode } = await lstat(folder);
  if ((mode & 0o700) !== 0o700) await chmod(folder, 0o700);
  // As bytes: a worker's file names need not be UTF-8.
  for (const name of await readdir(folder, { encoding: 'buffer' })) {
    const path = Buffer.concat([folder, Buffer.from(sep), name]);
    if ((await lstat(path)).isDirectory()) await openFolders(path);
  }
}

function missing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
