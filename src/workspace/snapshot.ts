import { lstat, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readCheckout } from './ready/checkout-status.ts';
import {
  type IncludeLimits,
  type NotProvided,
  placeSnapshot,
  takeSnapshot,
} from './ready/include-snapshot.ts';
import type { Repository } from './repository.ts';

/** What is bigger is data, and no model reads it whole. */
export const SNAPSHOT_LIMITS: IncludeLimits = {
  fileBytes: 20_000_000,
  totalBytes: 500_000_000,
  files: 20_000,
};

/** What a clone of HEAD got to look like the user's checkout. Paths are relative to it. */
export interface Snapshot {
  readonly taken: readonly string[];
  readonly removed: readonly string[];
  /** Not as in the checkout, and why. */
  readonly leftOut: readonly NotProvided[];
}

/**
 * Makes a clone of the user's HEAD look like their checkout as it stands: copies of changed and new files, without
 * what they deleted. Ignored files are never taken, links that lead out are left out. `clone` is just made and
 * nothing runs in it; `folder` is a private one beside it, for this alone. Throws GitError and what the disk says.
 */
export async function laySnapshot(wanted: {
  readonly repository: Repository;
  readonly clone: string;
  readonly folder: string;
  readonly limits?: IncludeLimits;
}): Promise<Snapshot> {
  const { repository, clone, folder, limits = SNAPSHOT_LIMITS } = wanted;
  const { changed, untracked } = await readCheckout(repository);
  await rm(folder, { recursive: true, force: true });
  const old = changed.filter(isText).sort();
  // A folder stands for its own submodule or repository: it stays as the commit has it.
  for (const path of old) await removeFrom(clone, path);
  const all = [...changed, ...untracked];
  const present: string[] = [];
  for (const path of all)
    if (!isText(path) || (await isThere(join(repository.checkout, path)))) present.push(path);
  const snapshot = await takeSnapshot({ checkout: repository.checkout, paths: present, folder, limits });
  const { placed, refused } = await placeSnapshot(snapshot, clone);
  await rm(folder, { recursive: true, force: true });
  return {
    taken: placed,
    removed: old.filter((path) => !present.includes(path)),
    leftOut: [...snapshot.refused, ...refused],
  };
}

/** Names that are no UTF-8 are told, not guessed. */
function isText(path: string): boolean {
  return !path.includes('\uFFFD');
}

async function isThere(path: string): Promise<boolean> {
  return (await statOrNull(path)) !== null;
}

/** Never through a link: the commit may have one where the checkout has a folder. */
async function removeFrom(clone: string, path: string): Promise<void> {
  const parents = path.split('/').slice(0, -1);
  let folder = clone;
  for (const part of parents) {
    folder = join(folder, part);
    if (!(await statOrNull(folder))?.isDirectory()) return;
  }
  const file = join(clone, path);
  const stat = await statOrNull(file);
  if (stat === null || stat.isDirectory()) return;
  await unlink(file);
  await removeEmpty(clone, dirname(file));
}

/** A file may take the place of a folder that has become empty. */
async function removeEmpty(clone: string, from: string): Promise<void> {
  for (let folder = from; folder !== clone; folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      // Not empty: it stays, and so does all above it.
      return;
    }
  }
}

function statOrNull(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}
