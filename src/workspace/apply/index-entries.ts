import { createHash } from 'node:crypto';
import type { Action, Entry } from '../../job/apply-plan.ts';
import { fields, userGit } from '../git.ts';
import type { Repository } from '../repository.ts';

export interface IndexEntry extends Entry {
  readonly path: string;
  /** 0, or 1 to 3 while a merge is open. */
  readonly stage: string;
  /** The letter of `git ls-files -v`: lower case means assume-unchanged, S means skip-worktree. */
  readonly tag: string;
}

export interface IndexListing {
  readonly entries: readonly IndexEntry[];
  /** Over modes, ids, stages, flags and names; not over the cached file times. */
  readonly digest: string;
}

/** Everything the index file `index` names, in its own order. */
export async function listIndex(repository: Repository, index: string): Promise<IndexListing> {
  const answer = await userGit(repository, ['ls-files', '-z', '-s', '-v'], {
    env: { GIT_INDEX_FILE: index },
  });
  return {
    entries: fields(answer.stdout).map((line) => parseLine(line.toString('utf8'))),
    digest: createHash('sha256').update(answer.stdout).digest('hex'),
  };
}

const LINE = /^(\S) (\d{6}) ([0-9a-f]+) ([0-3])\t(.*)$/s;

function parseLine(line: string): IndexEntry {
  const [, tag, mode, oid, stage, path] = LINE.exec(line) ?? [];
  if (!tag || !mode || !oid || !stage || path === undefined) {
    throw new Error(`git ls-files printed what we do not understand: ${line}`);
  }
  return { tag, mode, oid, stage, path };
}

/** By path; of an unmerged path the highest stage. */
export function byPath(listing: IndexListing): Map<string, IndexEntry> {
  return new Map(listing.entries.map((entry) => [entry.path, entry]));
}

export interface IndexChange {
  readonly path: string;
  readonly action: Action;
}

/**
 * Changes entries of the index file `index`: removals first, so that a file may take a folder's place.
 */
export async function changeIndex(
  repository: Repository,
  index: string,
  changes: readonly IndexChange[],
): Promise<void> {
  const nothing = noObject(repository);
  const removals: string[] = [];
  const sets: string[] = [];
  for (const { path, action } of changes) {
    if (action.kind === 'remove') removals.push(`0 ${nothing}\t${path}\0`);
    if (action.kind === 'set') sets.push(`${action.entry.mode} ${action.entry.oid}\t${path}\0`);
  }
  if (removals.length + sets.length === 0) return;
  await userGit(repository, [...INDEX_SHAPE, 'update-index', '-z', '--index-info'], {
    env: { GIT_INDEX_FILE: index },
    input: Buffer.from([...removals, ...sets].join(''), 'utf8'),
  });
}

/** The id that `update-index --index-info` takes for an entry that goes. */
export function noObject({ objectFormat }: Pick<Repository, 'objectFormat'>): string {
  return '0'.repeat(objectFormat === 'sha256' ? 64 : 40);
}

/** A copy of an index must stand on its own: no part of it in another file. */
export const INDEX_SHAPE = ['-c', 'core.splitIndex=false'] as const;
