import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { keepOlderOnly } from '../../provider/credentials.ts';
import { repositoryHash, workspacePaths } from '../../store/paths.ts';
import { errorCode, storageError } from '../../store/storage-error.ts';
import { deleteBranch, releasePins } from '../../workspace/refs.ts';
import { removeWorkspace } from '../../workspace/remove.ts';
import type { RepositoryState } from './survey.ts';

/** What we make in the user's folder, and take away without a question. */
const USER_STATE = [
  'asks',
  'bells',
  'bin',
  'bounds.json',
  'deliveries',
  'grants',
  'plugin-key',
  'repos',
  'sessions',
  'settings-seen.yaml',
  'slots',
] as const;

/** What the user gave us, or would miss. */
const USER_OWN = ['config.yaml', 'spend.ndjson'] as const;

const SHARED_STATE = ['bare', 'claims', 'runtime'] as const;

/** Removes what the jobs of a repository have outside its working tree. Returns what had to stay, in words. */
export async function takeBackRepository(state: RepositoryState): Promise<string[]> {
  const kept: string[] = [];
  for (const id of state.workspaces) {
    const { work } = workspacePaths(state.stateDir, state.path, id);
    const removal = await removeWorkspace({ stateDirectory: state.stateDir, id, workspace: work });
    if (removal.kind === 'refused') kept.push(removal.why);
  }
  await removeIfEmpty(join(state.stateDir, repositoryHash(state.path)));
  if (state.repository === null) return kept;
  for (const { branch, at } of state.refs.branches) {
    if (!(await deleteBranch(state.repository, branch, at)))
      kept.push(`${state.path}: ${branch} is checked out`);
  }
  for (const id of state.refs.pinned) await releasePins(state.repository, id);
  return kept;
}

/** What of these is there, as paths. */
export function userState(userDir: string, purge: boolean): string[] {
  const names = purge ? [...USER_STATE, ...USER_OWN, 'credentials.json'] : USER_STATE;
  return names.map((name) => join(userDir, name)).filter((path) => existsSync(path));
}

export function sharedState(stateDirs: readonly string[]): string[] {
  return stateDirs
    .flatMap((folder) => SHARED_STATE.map((name) => join(folder, name)))
    .filter((path) => existsSync(path));
}

/**
 * Removes files and folders of ours, then the folders they were in if nothing else is there. Keys of the older product
 * that stand among ours stay where they are. Throws UserError `storage`.
 */
export async function removePaths(paths: readonly string[], folders: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (path.endsWith('credentials.json') && (await keepOlderOnly(path))) continue;
    try {
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      throw storageError('write', path, error);
    }
  }
  for (const folder of folders) await removeIfEmpty(folder);
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // Something else is in it, or it is gone.
    if (errorCode(error) === null) throw error;
  }
}
