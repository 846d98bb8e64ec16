import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../repository.ts';
import { newIndexPath } from './claim.ts';
import { type Journal, type OpenJournal, savedName } from './journal.ts';
import { type Observed, observeBelow, sameState } from './path-state.ts';
import { copyDurable, makeFolders, put, removeEmptyFolders, temporaryName } from './put.ts';
import type { Pause } from './request.ts';
import { copyIndex } from './scratch.ts';

/**
 * Brings every path of the journal back to what it was before the apply, from wherever it stopped. May be
 * repeated. Returns the paths that are neither as before nor as applied: somebody else changed them, and
 * they are left alone.
 */
export async function restoreFiles(open: OpenJournal, pause?: Pause): Promise<string[]> {
  const { journal, folder } = open;
  const { checkout } = journal;
  const foreign: string[] = [];
  const todo: { path: string; before: Journal['paths'][number]['before']; position: number }[] = [];
  for (const [position, { path, before, after }] of journal.paths.entries()) {
    const temporary = temporaryName(path, journal.token, position);
    if ((await observeBelow(checkout, temporary)).kind !== 'absent') await rm(join(checkout, temporary));
    const now = await observeIn(journal, path);
    if (sameState(now, before)) continue;
    if (sameState(now, after)) todo.push({ path, before, position });
    else foreign.push(path);
  }
  const order = (entry: (typeof todo)[number]) => putOrder(open, entry.position, entry.path, entry.before);
  for (const entry of todo) {
    if (entry.before.kind !== 'absent') continue;
    await pause?.(`restore ${entry.position}`);
    await put(order(entry));
  }
  await removeEmptyFolders(checkout, journal.createdFolders);
  await makeFolders(checkout, journal.removedFolders);
  for (const entry of todo) {
    if (entry.before.kind === 'absent') continue;
    await pause?.(`restore ${entry.position}`);
    await put({ ...order(entry), source: join(folder, savedName(entry.position)) });
  }
  return foreign;
}

function putOrder(
  open: OpenJournal,
  position: number,
  path: string,
  state: Journal['paths'][number]['before'],
): Parameters<typeof put>[0] {
  const { checkout, token } = open.journal;
  const temporary = temporaryName(path, token, position);
  return { checkout, path, state, source: null, temporary, onlyIfAbsent: false };
}

/**
 * What stands at a path, without going through links above it. A folder that the apply itself makes or
 * removes counts as nothing: it is there only for what is below.
 */
export async function observeIn(journal: Journal, path: string): Promise<Observed> {
  const now = await observeBelow(journal.checkout, path);
  if (now.kind !== 'folder') return now;
  const ours =
    journal.createdFolders.includes(path) || journal.removedFolders.some((one) => one.path === path);
  return ours ? { kind: 'absent' } : now;
}

/** Puts a saved index file in git's place by rename, under the index.lock that the caller holds. */
export async function placeIndex(
  repository: Repository,
  from: string,
  mode: number,
  token: string,
): Promise<void> {
  const beside = newIndexPath(repository.gitDir, token);
  await copyDurable(from, beside, mode);
  await copyIndex(from, beside);
  await rename(beside, join(repository.gitDir, 'index'));
}
