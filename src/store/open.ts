import { accessSync, chmodSync, constants, lstatSync, realpathSync, type Stats } from 'node:fs';
import { EXIT, type Explanation, UserError } from '../job/user-error.ts';
import { createExclusive } from './atomic-file.ts';
import { ensureStoreFolder } from './folders.ts';
import { ignoreFile, type StorePaths, storePaths } from './paths.ts';
import { errorCode, storageError } from './storage-error.ts';

/** One repository's store. It may not exist yet: then it reads as empty. */
export interface Store extends StorePaths {
  /** The main working tree, with every symbolic link resolved. */
  readonly repo: string;
}

/**
 * Opens the store of a working tree. With `create` it is made, and it is proven writable before anything
 * else is done; without, nothing is written and a missing store is an empty one.
 * Throws UserError `store_symlink`, `store_foreign` (exit 5), `no_repository` or `storage` (exit 6).
 */
export function openStore(repo: string, options: { readonly create: boolean }): Store {
  const store = locate(repo);
  const { root, jobs, active, runs, comm, removed, lines } = store;
  for (const folder of [root, jobs, active, runs, comm, removed, lines]) {
    refuseForeign(folder);
  }
  if (options.create) {
    ensureStore(store);
    requireWritable(store);
  }
  return store;
}

/** Makes what is missing of the store; a live runner calls it too, since `git clean -xfd` takes it away. */
export function ensureStore(store: Store): void {
  ensureStoreFolder(store.root);
  if (statusOf(ignoreFile(store)) === null) createExclusive(ignoreFile(store), '*\n');
  for (const folder of [store.jobs, store.active, store.runs, store.comm]) ensureStoreFolder(folder);
}

function locate(repo: string): Store {
  try {
    const real = realpathSync(repo);
    return { repo: real, ...storePaths(real) };
  } catch (error) {
    throw new UserError(
      {
        code: 'no_repository',
        what: 'this folder cannot be opened',
        value: `${repo} (${errorCode(error) ?? 'unknown'})`,
        remedy: 'give an existing folder with --repo',
        exit: EXIT.environment,
      },
      { cause: error },
    );
  }
}

/** A repository may have been made by somebody else: its state must not direct what we do. */
function refuseForeign(folder: string): void {
  const status = statusOf(folder);
  if (status === null) return;
  if (status.isSymbolicLink()) throw refused(folder, 'store_symlink', 'the job store holds a symbolic link');
  if (!status.isDirectory()) throw refused(folder, 'store_not_folder', 'the job store is not a folder');
  const user = process.getuid?.();
  if (user !== undefined && status.uid !== user) {
    throw refused(folder, 'store_foreign', `the job store belongs to another user (uid ${status.uid})`);
  }
}

function refused(folder: string, code: string, what: string): UserError {
  const explanation: Explanation = {
    code,
    what,
    value: folder,
    remedy: 'look at what it is, move it away, then run the command again',
    exit: EXIT.refused,
  };
  return new UserError(explanation);
}

function requireWritable(store: Store): void {
  for (const folder of [store.root, store.jobs, store.active, store.runs, store.comm]) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw storageError('write', folder, error);
    }
  }
  // Ours, but made by hand or by an unpacked archive: tighten it.
  const mode = (statusOf(store.root)?.mode ?? 0) & 0o077;
  if (mode !== 0) chmodSync(store.root, 0o700);
}

function statusOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw storageError('read', path, error);
  }
}
