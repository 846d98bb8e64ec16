import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JobId } from '../job/ids.ts';
import { fields, hostGit } from './git.ts';
import { makeGitDirectory } from './git-directory.ts';
import { markJobFolder } from './marker.ts';
import type { Repository } from './repository.ts';

export interface Clone {
  /** Submodules of this commit: their folders are empty in the clone. */
  readonly submodules: readonly string[];
  /** How many files are pointers into Git LFS, whose contents are not there. */
  readonly lfsPointers: number;
}

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
}): Promise<Clone> {
  const { repository, commit, branch, folder } = wanted;
  await markJobFolder(dirname(folder), wanted.id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`the workspace's folder is not empty: ${folder}`);
  const place = { gitDir: join(folder, '.git'), workTree: folder };
  await makeGitDirectory(place.gitDir, repository);
  await hostGit({ ...place, args: ['update-ref', `refs/heads/${branch}`, commit] });
  await hostGit({ ...place, args: ['symbolic-ref', 'HEAD', `refs/heads/${branch}`] });
  await hostGit({ ...place, args: ['read-tree', '--reset', '-u', commit] });
  return { submodules: await submodules(place), lfsPointers: await lfsPointers(place) };
}

interface Place {
  readonly gitDir: string;
  readonly workTree: string;
}

async function submodules(place: Place): Promise<string[]> {
  const answer = await hostGit({ ...place, args: ['ls-files', '-s', '-z'] });
  return fields(answer.stdout)
    .map((field) => field.toString('utf8'))
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1));
}

async function lfsPointers(place: Place): Promise<number> {
  const answer = await hostGit({ ...place, args: ['ls-files', '-z', '--', ':(attr:filter=lfs)'] });
  return fields(answer.stdout).length;
}
