import { join } from 'node:path';
import { sameEntry } from '../../job/apply-plan.ts';
import { EXIT, UserError } from '../../job/user-error.ts';
import { fields, GitError, userGit } from '../git.ts';
import type { Repository } from '../repository.ts';
import { withClaim } from './act.ts';
import { byPath, changeIndex, type IndexListing, listIndex } from './index-entries.ts';
import { type Journal, type OpenJournal, readJournals, SAVED_INDEX, saveJournal } from './journal.ts';
import { sameState, sha256Of } from './path-state.ts';
import { copyDurable } from './put.ts';
import { headOf } from './read.ts';
import { finishUndo } from './recover.ts';
import type { ApplyRequest } from './request.ts';
import { observeIn } from './restore.ts';
import { copyIndex, indexPath, withScratch } from './scratch.ts';

export interface Undone {
  /** Every path that was put back, in the files or in the index. */
  readonly paths: readonly string[];
  /** Is the whole index file as it was, byte for byte? Otherwise only the entries of those paths are. */
  readonly indexRestored: boolean;
}

/**
 * Takes the job's last apply in this checkout back. UserError: exit 1 with the paths when any of them
 * changed since (nothing is touched then), exit 4 when there is nothing to undo or git is at work.
 */
export async function undoApply(
  request: Pick<ApplyRequest, 'repository' | 'applied' | 'claims' | 'pause'>,
): Promise<Undone> {
  const { repository, applied, pause } = request;
  return withClaim(request, async () => {
    const open = lastApplied(repository, applied);
    const listing = await listIndex(repository, indexPath(repository));
    const head = await headOf(repository);
    const changed = await changedSince(repository, open.journal, listing, head);
    if (changed.length > 0) throw refusal(changed);
    const indexFile = await chooseIndex(repository, open, listing);
    const undo: Journal['undo'] = {
      indexFile,
      sha256Start: indexFile === null ? null : await sha256Of(indexPath(repository)),
      moveHead: open.journal.commit !== null && head === open.journal.commit,
    };
    await pause?.('undo journal');
    const undoing = saveJournal(open.folder, { ...open.journal, phase: 'undoing', undo });
    await finishUndo(repository, undoing, pause);
    const { paths, index } = open.journal;
    return {
      paths: [...new Set([...paths, ...index.entries].map(({ path }) => path))].sort(),
      indexRestored: indexFile === SAVED_INDEX,
    };
  });
}

function lastApplied(repository: Repository, applied: string): OpenJournal {
  const mine = readJournals(applied).filter(({ journal }) => journal.gitDir === repository.gitDir);
  const last = mine.at(-1);
  if (last !== undefined) return last;
  throw new UserError({
    code: 'nothing_to_undo',
    what: 'no apply of this job can be taken back in this checkout',
    value: repository.checkout,
    remedy: 'look at the job: cc-delegate status',
    exit: EXIT.wrongState,
  });
}

/** The paths where undo would destroy something that came after the apply. */
async function changedSince(
  repository: Repository,
  journal: Journal,
  listing: IndexListing,
  head: string | null,
): Promise<string[]> {
  const changed = new Set<string>();
  for (const { path, after } of journal.paths) {
    if (!sameState(await observeIn(journal, path), after)) changed.add(path);
  }
  const entries = byPath(listing);
  for (const { path, after } of journal.index.entries) {
    if (!sameEntry(entries.get(path) ?? null, after)) changed.add(path);
  }
  for (const path of await committedSince(repository, journal, head)) changed.add(path);
  return [...changed].sort();
}

/** Paths of the apply that commits made since have changed as well. */
async function committedSince(
  repository: Repository,
  journal: Journal,
  head: string | null,
): Promise<string[]> {
  const expected = journal.commit ?? journal.head;
  if (head === expected || (journal.commit !== null && head === journal.head)) return [];
  const touched = new Set([...journal.paths, ...journal.index.entries].map(({ path }) => path));
  if (head === null || expected === null || journal.commit !== null) return [...touched];
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-relative', expected, head];
  const answer = await userGit(repository, args);
  return fields(answer.stdout)
    .map((path) => path.toString('utf8'))
    .filter((path) => touched.has(path));
}

/** The file that becomes the index: the saved one if no entry changed since, else one with the old entries. */
async function chooseIndex(
  repository: Repository,
  open: OpenJournal,
  listing: IndexListing,
): Promise<string | null> {
  const { index } = open.journal;
  if (index.sha256Before !== null && listing.digest === index.digestAfter) {
    if (await isReadable(repository, join(open.folder, SAVED_INDEX))) return SAVED_INDEX;
  }
  if (index.entries.length === 0) return null;
  const name = 'index.undo';
  await withScratch(repository, async (scratch) => {
    const changes = index.entries.map(({ path, before }) => ({
      path,
      action: before === null ? { kind: 'remove' as const } : { kind: 'set' as const, entry: before },
    }));
    await changeIndex(repository, scratch.userIndex, changes);
    await copyDurable(scratch.userIndex, join(open.folder, name), 0o600);
    await copyIndex(scratch.userIndex, join(open.folder, name));
  });
  return name;
}

/** A split index needs a second file, which git may have removed meanwhile. */
async function isReadable(repository: Repository, index: string): Promise<boolean> {
  try {
    await listIndex(repository, index);
    return true;
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}

function refusal(changed: readonly string[]): UserError {
  return new UserError({
    code: 'changed_since',
    what: 'these changed since the result was applied; nothing was changed',
    value: changed.join(', '),
    remedy: 'undo or move those changes first; what was committed is taken back with git revert',
    exit: EXIT.badNews,
  });
}
