import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Action, type ApplyPlan, type Entry, sameEntry } from '../../job/apply-plan.ts';
import { userGit } from '../git.ts';
import type { Repository } from '../repository.ts';
import { makeCommit, moveHead } from './commit.ts';
import { changedMeanwhile, saveFiles } from './file-changes.ts';
import { byPath, INDEX_SHAPE, listIndex } from './index-entries.ts';
import {
  type Journal,
  newJournalFolder,
  type OpenJournal,
  removeJournal,
  SAVED_INDEX,
  saveJournal,
} from './journal.ts';
import { observe, sameState, sha256Of } from './path-state.ts';
import { signature } from './probe.ts';
import { copyDurable, makeFolders, put, removeEmptyFolders, temporaryName } from './put.ts';
import { headOf, type Present } from './read.ts';
import type { ApplyRequest } from './request.ts';
import { placeIndex, restoreFiles } from './restore.ts';
import { copyIndex, indexPath, type Scratch } from './scratch.ts';
import { buildStage, type Stage } from './stage.ts';

interface Decided {
  readonly plan: ApplyPlan;
  readonly present: Present;
  readonly scratch: Scratch;
  readonly token: string;
}

/**
 * Carries out a clean plan under a claim: everything is made ready aside, then the journal, then the files,
 * then the index by rename. Returns the commit, if one was asked for. On an error all is as before.
 */
export async function transact(request: ApplyRequest, decided: Decided): Promise<string | null> {
  const { repository } = request;
  const { plan, present, scratch } = decided;
  const stage = await buildStage(repository, plan, present.indexDigest, scratch);
  const commit = await makeCommit(repository, request.commitMessage, { plan, present, stage, scratch });
  await request.pause?.('save');
  const folder = newJournalFolder(request.applied);
  let open: OpenJournal | null = null;
  try {
    const journal = await prepare(request, decided, stage, { folder, commit });
    await request.pause?.('journal');
    open = saveJournal(folder, journal);
    await writeFiles(request, open, present, stage.folder);
    if (stage.index !== null) {
      open = await announceIndex(request, open, stage.index);
      await placeNewIndex(request, open, stage.index);
    }
    await verify(repository, open.journal);
    if (commit !== null) await moveHead(repository, { from: present.head, to: commit });
    await request.pause?.('finish');
    saveJournal(folder, { ...open.journal, phase: 'applied' });
  } catch (error) {
    if (open !== null) await rollBack(repository, open);
    // Nothing is left to take back: the saved bytes have done their service.
    removeJournal(folder);
    throw error;
  }
  return commit;
}

async function prepare(
  request: ApplyRequest,
  { plan, present, token }: Decided,
  stage: Stage,
  to: { readonly folder: string; readonly commit: string | null },
): Promise<Journal> {
  const { repository } = request;
  const { checkout, gitDir } = repository;
  const places = { checkout, staged: stage.folder, folder: to.folder };
  const changes = await saveFiles(places, plan, present);
  const index = indexPath(repository);
  const hasIndex = (await observe(index)).kind === 'file';
  if (hasIndex) {
    await copyDurable(index, join(to.folder, SAVED_INDEX), 0o600);
    await copyIndex(index, join(to.folder, SAVED_INDEX));
  }
  return {
    version: 1,
    phase: 'prepared',
    token,
    checkout,
    gitDir,
    base: request.base,
    result: request.result,
    head: present.head,
    commit: to.commit,
    ...changes,
    index: {
      entries: plan.files.flatMap(({ path, index: action }) => {
        if (action.kind === 'keep') return [];
        const side = present.sides.find((one) => one.path === path)?.index;
        const before = side?.kind === 'entry' ? side.entry : null;
        return [{ path, before, after: entryAfter(action, before) }];
      }),
      sha256Before: hasIndex ? await sha256Of(index) : null,
      sha256After: null,
      digestAfter: stage.digest,
    },
    undo: null,
  };
}

function entryAfter(action: Action, before: Entry | null): Entry | null {
  if (action.kind === 'keep') return before;
  return action.kind === 'set' ? action.entry : null;
}

async function writeFiles(
  request: ApplyRequest,
  { journal }: OpenJournal,
  present: Present,
  staged: string,
): Promise<void> {
  const { checkout, paths, token } = journal;
  const step = async (position: number) => {
    const change = paths[position];
    if (change === undefined) return;
    const { path, before, after: state } = change;
    await request.pause?.(`write ${position}`);
    const expected = before.kind === 'absent' ? null : (present.signatures.get(path) ?? null);
    if ((await signature(join(checkout, path))) !== expected) throw changedMeanwhile(path);
    const temporary = temporaryName(path, token, position);
    const source = join(staged, path);
    await put({ checkout, path, state, source, temporary, onlyIfAbsent: before.kind === 'absent' });
  };
  const isRemoval = ({ after }: Journal['paths'][number]) => after.kind === 'absent';
  for (const [position, change] of paths.entries()) if (isRemoval(change)) await step(position);
  await removeEmptyFolders(
    checkout,
    journal.removedFolders.map(({ path }) => path),
  );
  await makeFolders(
    checkout,
    journal.createdFolders.map((path) => ({ path, mode: null })),
  );
  await request.pause?.('folders');
  for (const [position, change] of paths.entries()) if (!isRemoval(change)) await step(position);
}

/** Writes down which bytes the index is about to have, so that recovery can tell whether it came to that. */
async function announceIndex(request: ApplyRequest, open: OpenJournal, index: string): Promise<OpenJournal> {
  const { repository } = request;
  // Fills in the times of the files just written, so that no git has to read them again. Exit 1 only says
  // that some file differs from its entry.
  await userGit(repository, [...INDEX_SHAPE, 'update-index', '-q', '--refresh'], {
    env: { GIT_INDEX_FILE: index },
    accept: [0, 1],
  });
  const { sha256Before } = open.journal.index;
  const present = indexPath(repository);
  if (sha256Before !== null && (await sha256Of(present)) !== sha256Before) throw changedMeanwhile(present);
  await request.pause?.('commit');
  const entries = { ...open.journal.index, sha256After: await sha256Of(index) };
  return saveJournal(open.folder, { ...open.journal, phase: 'committing', index: entries });
}

async function placeNewIndex(request: ApplyRequest, { journal }: OpenJournal, index: string): Promise<void> {
  await request.pause?.('index');
  const present = indexPath(request.repository);
  const mode = (await observe(present)).kind === 'file' ? (await lstat(present)).mode & 0o7777 : 0o644;
  await placeIndex(request.repository, index, mode, journal.token);
  await request.pause?.('head');
}

/** Trusts nothing but the content: every file and every entry is where it should be. */
async function verify(repository: Repository, journal: Journal): Promise<void> {
  for (const { path, after } of journal.paths) {
    const now = await observe(join(journal.checkout, path));
    const covered = after.kind === 'absent' && now.kind === 'folder';
    if (!covered && !sameState(now, after)) throw changedMeanwhile(path);
  }
  const entries = byPath(await listIndex(repository, indexPath(repository)));
  for (const { path, after } of journal.index.entries) {
    if (!sameEntry(entries.get(path) ?? null, after)) throw changedMeanwhile(path);
  }
}

/** After an error in this very process: the lock is still ours, so nobody else has written the index. */
async function rollBack(repository: Repository, open: OpenJournal): Promise<void> {
  const { head, commit, token, index } = open.journal;
  if (commit !== null && (await headOf(repository)) === commit) {
    await moveHead(repository, { from: commit, to: head });
  }
  await restoreFiles(open);
  const present = indexPath(repository);
  if (index.sha256After === null || index.sha256Before === null) return;
  if ((await sha256Of(present)) !== index.sha256After) return;
  const mode = (await lstat(present)).mode & 0o7777;
  await placeIndex(repository, join(open.folder, SAVED_INDEX), mode, token);
}
