import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../repository.ts';
import type { BaseEntries } from './base-entries.ts';
import type { NotProvided } from './include-snapshot.ts';
import { LFS_LIMIT_BYTES, lfsStores, smudge } from './lfs.ts';
import { type Populated, populateSubmodules } from './submodules.ts';

/** What of submodules and Git LFS a checkout of ours has now; paths relative to it. */
export interface Contents {
  readonly submodules: readonly string[];
  readonly submodulesMissing: readonly NotProvided[];
  /** Those in submodules are not among them: the result does not have submodules' files. */
  readonly lfs: readonly string[];
  readonly lfsMissing: readonly NotProvided[];
  /** The user's object directories that submodules borrow from: to be read wherever git runs in them. */
  readonly objectDirectories: readonly string[];
}

/** Fills submodules and Git LFS files from local objects, in a checkout of ours in which nothing runs. */
export async function provideContents(wanted: {
  readonly repository: Repository;
  readonly checkout: string;
  readonly base: string;
  readonly entries: BaseEntries;
  /** A folder for this alone, on the same file system; gone afterwards. */
  readonly staging: string;
}): Promise<Contents> {
  const { repository, checkout, base, entries, staging } = wanted;
  const { gitlinks } = entries;
  const found = await populateSubmodules({ repository, workspace: checkout, commit: base, gitlinks });
  const withLfs = found.populated.filter(({ hasAttributes }) => hasAttributes);
  const own = { path: '' as const, gitDir: join(checkout, '.git'), workTree: checkout };
  const lfs: string[] = [];
  const lfsMissing: NotProvided[] = [];
  for (const tree of [...(entries.hasAttributes ? [own] : []), ...withLfs]) {
    const stores = storesOf(repository, tree);
    const done = await smudge({ ...tree, stores, staging, limitBytes: LFS_LIMIT_BYTES });
    if (tree.path === '') lfs.push(...done.paths);
    lfsMissing.push(...done.missing.map(({ path, why }) => ({ path: join(tree.path, path), why })));
  }
  await rm(staging, { recursive: true, force: true });
  const directories = found.populated.flatMap(({ lender }) => lender.objectDirectories);
  return {
    submodules: found.populated.map(({ path }) => path),
    submodulesMissing: found.missing,
    lfs,
    lfsMissing,
    objectDirectories: [...new Set(directories)],
  };
}

function storesOf(repository: Repository, tree: Populated | { readonly path: '' }): () => Promise<string[]> {
  if (tree.path === '') return () => lfsStores(repository);
  return async () => ('lender' in tree ? tree.lender.gitDirs.map((folder) => join(folder, 'lfs')) : []);
}
