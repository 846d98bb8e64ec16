import { copyFile, mkdir, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../store/storage-error.ts';
import type { Repository } from '../repository.ts';

/**
 * A folder of its own for everything an apply only thinks about: copies of the index and new objects. The
 * repository's own objects can be read through it; nothing is written into the repository.
 */
export interface Scratch {
  readonly folder: string;
  /** A copy of the user's index, never changed. Absent if the user has none. */
  readonly userIndex: string;
  /** A copy that is brought to what the worktree holds. */
  readonly worktreeIndex: string;
  /** For git commands whose new objects go to the scratch folder. */
  readonly objects: Readonly<Record<string, string>>;
}

/** Makes the folder, and removes it when `use` has ended, whatever its end. */
export async function withScratch<T>(
  repository: Repository,
  use: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-delegate-apply-'));
  try {
    const scratch = {
      folder,
      userIndex: join(folder, 'user.index'),
      worktreeIndex: join(folder, 'worktree.index'),
      objects: {
        GIT_OBJECT_DIRECTORY: join(folder, 'objects'),
        GIT_ALTERNATE_OBJECT_DIRECTORIES: repository.objectDirectories.map(quoted).join(':'),
      },
    };
    await mkdir(join(folder, 'objects'));
    await copyIndex(indexPath(repository), scratch.userIndex);
    await copyIndex(scratch.userIndex, scratch.worktreeIndex);
    return await use(scratch);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function indexPath(repository: Repository): string {
  return join(repository.gitDir, 'index');
}

/**
 * Copies an index with its time, rounded down: by that time git knows which files changed in the very
 * moment they were added ("racily clean", git's Documentation/technical/racy-git.txt). No index, no copy.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
    const { mtimeNs } = await stat(from, { bigint: true });
    await utimes(to, Number(mtimeNs / 1000n - 1n) / 1e6, Number(mtimeNs / 1000n - 1n) / 1e6);
  } catch (error) {
    // A repository whose index was never written has none.
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** git reads an entry that starts with a double quote as a C string (git's environment.c, alternates). */
function quoted(path: string): string {
  return /[:"]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path;
}
