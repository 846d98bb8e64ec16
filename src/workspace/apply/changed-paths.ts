import type { Entry } from '../../job/apply-plan.ts';
import { fields, userGit } from '../git.ts';
import type { Repository } from '../repository.ts';

export interface ChangedPath {
  readonly path: string;
  /** Is the name valid UTF-8? Otherwise `path` is only for display. */
  readonly exact: boolean;
  readonly base: Entry | null;
  readonly theirs: Entry | null;
}

/**
 * What differs between two commits, by path; a rename is a deletion and a new file. `only` are git's own
 * globs (`src/**`, a folder's name for all below it), relative to the repository's root.
 */
export async function changedPaths(
  repository: Repository,
  commits: { readonly base: string; readonly result: string },
  only: readonly string[],
): Promise<ChangedPath[]> {
  const answer = await userGit(repository, [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    '--no-abbrev',
    '--no-relative',
    '--ignore-submodules=none',
    commits.base,
    commits.result,
    '--',
    ...only.map((glob) => `:(top,glob)${glob}`),
  ]);
  const parts = fields(answer.stdout);
  const changed: ChangedPath[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [meta, name] = [parts[at], parts[at + 1]];
    if (meta !== undefined && name !== undefined) changed.push(parse(meta.toString('latin1'), name));
  }
  return changed;
}

function parse(meta: string, name: Buffer): ChangedPath {
  const [baseMode, theirMode, baseOid, theirOid] = meta.slice(1).split(' ');
  if (!baseMode || !theirMode || !baseOid || !theirOid) {
    throw new Error(`git diff-tree printed what we do not understand: ${meta}`);
  }
  const path = name.toString('utf8');
  return {
    path,
    exact: Buffer.from(path, 'utf8').equals(name),
    base: entry(baseMode, baseOid),
    theirs: entry(theirMode, theirOid),
  };
}

function entry(mode: string, oid: string): Entry | null {
  return mode === '000000' ? null : { mode, oid };
}
