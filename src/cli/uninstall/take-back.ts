import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { keepOlderOnly } from '../../provider/credentials.ts';
import { repositoryHash, storeFolder, workspacePaths } from '../../store/paths.ts';
import { errorCode, storageError } from '../../store/storage-error.ts';
import { deleteBranch, releasePins } from '../../workspace/refs.ts';
import { removeWorkspace } from '../../workspace/remove.ts';
import type { Own } from './find-own.ts';
import type { RepositoryState } from './survey.ts';

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

/** What the user gave us, or would miss: for `--purge` alone. Those that are there, as paths. */
export function usersOwn(userDir: string): string[] {
  return ['config.yaml', 'spend.ndjson', 'credentials.json']
    .map((name) => join(userDir, name))
    .filter((path) => existsSync(path));
}

/** Removes what was found of us, nothing that came since, and no folder with something else in it. Throws UserError `storage`. */
export async function removeOwn({ files, folders }: Own): Promise<void> {
  for (const path of files) await remove(path);
  for (const path of folders) await removeIfEmpty(path);
}

/**
 * Removes files of the user's. Keys of the older product that stand among ours stay where they are. Throws UserError
 * `storage`.
 */
export async function removeUsersOwn(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (path.endsWith('credentials.json') && (await keepOlderOnly(path))) continue;
    await remove(path);
  }
}

/** Removes stores, and the folders above them as long as they are empty then, up to one of `roots`. */
export async function removeStores(stores: readonly string[], roots: readonly string[]): Promise<void> {
  for (const store of stores) {
    await remove(storeFolder(store), { recursive: true });
    for (let folder = store; !roots.includes(folder) && dirname(folder) !== folder; folder = dirname(folder))
      await removeIfEmpty(folder);
  }
}

async function remove(path: string, options: { readonly recursive?: true } = {}): Promise<void> {
  try {
    await rm(path, { ...options, force: true, maxRetries: 3 });
  } catch (error) {
    throw storageError('write', path, error);
  }
}

/** Removes a folder, unless something is in it. */
export async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // Something else is in it, or it is gone.
    if (errorCode(error) === null) throw error;
  }
}
