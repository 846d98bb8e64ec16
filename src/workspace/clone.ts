import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JobId } from '../job/ids.ts';
import { hostGit } from './git.ts';
import { makeGitDirectory } from './git-directory.ts';
import { markJobFolder } from './marker.ts';
import type { Repository } from './repository.ts';

/**
 * Makes a private clone of `commit` at `folder`, with its branch checked out: every tracked file, whatever
 * is sparse or hidden in the user's own checkout. It borrows the user's objects and shares nothing that can
 * be written. `folder` must not exist or be empty; the folder it is in becomes the job's own, marked so
 * that it may be removed later. No hook and no filter runs.
 */
export async function createClone(wanted: {
  readonly repository: Repository;
  readonly id: JobId;
  readonly commit: string;
  readonly branch: string;
  readonly folder: string;
  /** Another commit, whose files lie there as staged changes: where an earlier turn stopped. */
  readonly start?: string | null;
}): Promise<void> {
  const { repository, commit, branch, folder, start } = wanted;
  await markJobFolder(dirname(folder), wanted.id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`the workspace's folder is not empty: ${folder}`);
  const gitDir = join(folder, '.git');
  await makeGitDirectory(gitDir, repository, { head: { branch, commit } });
  await hostGit({ gitDir, workTree: folder, args: ['read-tree', '--reset', '-u', start ?? commit] });
}
