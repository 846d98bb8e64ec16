import { accessSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs';
import { workingTreeOf } from './paths.ts';
import { errorCode, storageError } from './storage-error.ts';

/** Makes a folder, and those above it, for the user alone (0700). Throws UserError `storage`. */
export function ensureFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw storageError('write', path, error);
  }
}

/**
 * The same for a folder of a store, which a live runner makes anew when `git clean` has taken it away. The
 * working tree itself is never made again: where it was moved or deleted, a folder in its place would be
 * taken for it. Throws UserError `storage`.
 */
export function ensureStoreFolder(path: string): void {
  const tree = workingTreeOf(path);
  if (tree === null) {
    ensureFolder(path);
    return;
  }
  let folder = tree;
  for (const name of path.slice(tree.length + 1).split('/')) {
    folder = `${folder}/${name}`;
    makeOne(folder);
  }
}

/** One folder in one that is there. */
function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    throw storageError('write', path, error);
  }
}

/** Makes a folder as `ensureFolder` does, and proves that files can be made in it. Throws UserError `storage`. */
export function ensureWritableFolder(path: string): void {
  ensureFolder(path);
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw storageError('write', path, error);
  }
}

/** The names in a folder, in no order; none when it does not exist. Throws UserError `storage`. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw storageError('read', folder, error);
  }
}
