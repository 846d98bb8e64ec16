import { lstat, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sameEntry } from '../../job/apply-plan.ts';
import { EXIT, UserError } from '../../job/user-error.ts';
import type { Repository } from '../repository.ts';
import { moveHead } from './commit.ts';
import { byPath, listIndex } from './index-entries.ts';
import { type OpenJournal, readJournals, removeJournal, saveJournal } from './journal.ts';
import { observe, sha256Of } from './path-state.ts';
import { headOf } from './read.ts';
import type { Pause } from './request.ts';
import { placeIndex, restoreFiles } from './restore.ts';
import { indexPath } from './scratch.ts';

/**
 * Puts right what a killed apply or undo of this checkout left in a job's `applied` folder. The caller holds
 * the claim. UserError exit 1, once, if somebody changed files in between: those are left as they are.
 */
export async function recoverJournals(repository: Repository, applied: string): Promise<void> {
  for (const open of readJournals(applied)) {
    // A journal of another checkout needs that checkout's lock.
    if (open.journal.gitDir === repository.gitDir) await recoverOne(repository, open);
  }
}

async function recoverOne(repository: Repository, open: OpenJournal): Promise<void> {
  const { journal, folder } = open;
  if (journal.phase === 'applied') return;
  if (journal.phase === 'undoing') return finishUndo(repository, open);
  if (journal.phase === 'committing' && (await indexIsNew(repository, open))) {
    const { head, commit } = journal;
    if (commit !== null && (await headOf(repository)) === head) {
      await moveHead(repository, { from: head, to: commit });
    }
    saveJournal(folder, { ...journal, phase: 'applied' });
    return;
  }
  await close(open, await restoreFiles(open));
}

/** Did the rename of the index happen before the end? A later git may have refreshed its file times. */
async function indexIsNew(repository: Repository, { journal }: OpenJournal): Promise<boolean> {
  const sha256 = await indexSha256(repository);
  if (sha256 === journal.index.sha256After) return true;
  if (sha256 === journal.index.sha256Before) return false;
  const now = byPath(await listIndex(repository, indexPath(repository)));
  return journal.index.entries.every(({ path, after }) => sameEntry(now.get(path) ?? null, after));
}

/** Does what an undo set out to do, from wherever it stopped, and forgets the apply. */
export async function finishUndo(repository: Repository, open: OpenJournal, pause?: Pause): Promise<void> {
  const { journal, folder } = open;
  const { undo, head, commit, token } = journal;
  if (undo === null) throw new Error('an undo without its plan');
  const foreign = await restoreFiles(open, pause);
  await pause?.('undo index');
  if (undo.indexFile !== null) {
    const target = join(folder, undo.indexFile);
    const now = await indexSha256(repository);
    if (now === undo.sha256Start) {
      const mode = (await lstat(indexPath(repository))).mode & 0o7777;
      await placeIndex(repository, target, mode, token);
    } else if (now !== (await sha256Of(target))) {
      foreign.push(indexPath(repository));
    }
  }
  await pause?.('undo head');
  if (undo.moveHead && (await headOf(repository)) === commit) {
    await moveHead(repository, { from: commit, to: head });
  }
  await pause?.('undo finish');
  await close(open, foreign);
}

async function indexSha256(repository: Repository): Promise<string | null> {
  const index = indexPath(repository);
  return (await observe(index)).kind === 'file' ? sha256Of(index) : null;
}

/** Forgets the journal; if something was left alone its saved bytes are kept, and the user is told once. */
async function close({ folder }: OpenJournal, foreign: readonly string[]): Promise<void> {
  if (foreign.length === 0) return removeJournal(folder);
  const kept = `${folder}.kept`;
  await rename(folder, kept);
  throw new UserError({
    code: 'changed_since',
    what: 'an interrupted apply was taken back, except for files that changed since; those were left alone',
    value: foreign.join(', '),
    remedy: `look at them with git status; the bytes from before are in ${kept}`,
    exit: EXIT.badNews,
  });
}
