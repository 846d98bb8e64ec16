import {
  chmod,
  chown,
  copyFile,
  link,
  lstat,
  lutimes,
  mkdir,
  open,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../store/storage-error.ts';
import type { PathState } from './path-state.ts';
import { foldersAbove } from './probe.ts';

/** Puts one path into a state. `source` holds the bytes of a file. */
export interface Put {
  readonly checkout: string;
  readonly path: string;
  readonly state: PathState;
  readonly source: string | null;
  /** Where the new file is made, in the target's folder, relative to the checkout. A leftover is replaced. */
  readonly temporary: string;
  /** Nothing may be there: what appears in the last moment is not overwritten but raises EEXIST. */
  readonly onlyIfAbsent: boolean;
}

/** Replaces, creates or removes in one step; never writes through a link. Errors are the system's. */
export async function put(order: Put): Promise<void> {
  const target = join(order.checkout, order.path);
  await refuseLinkedFolders(order.checkout, order.path);
  if (order.state.kind === 'absent') return removeFile(target);
  if (order.state.kind === 'link' && order.onlyIfAbsent) return makeLink(target, order.state);
  const temporary = join(order.checkout, order.temporary);
  await rm(temporary, { force: true });
  try {
    await make(temporary, order.state, order.source);
    if (order.onlyIfAbsent) await renameExclusive(temporary, target);
    else await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The name of a temporary file beside `path`, the same whenever it is asked for. */
export function temporaryName(path: string, token: string, position: number): string {
  return join(dirname(path), `.cc-delegate-${token}-${position}.tmp`);
}

async function refuseLinkedFolders(checkout: string, path: string): Promise<void> {
  for (const folder of foldersAbove(path)) {
    try {
      if ((await lstat(join(checkout, folder))).isDirectory()) continue;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    throw new Error(`${folder} is not a folder any more: ${path} is left alone`);
  }
}

async function removeFile(target: string): Promise<void> {
  try {
    await unlink(target);
  } catch (error) {
    const code = errorCode(error);
    // Gone already, alone or with its folder: that is what was wanted.
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
}

async function make(
  temporary: string,
  state: Exclude<PathState, { kind: 'absent' }>,
  source: string | null,
): Promise<void> {
  if (state.kind === 'link') return makeLink(temporary, state);
  if (source === null) throw new Error(`no bytes for ${temporary}`);
  await copyFile(source, temporary);
  await keepOwner(temporary, state);
  await chmod(temporary, state.mode);
  await setTime(temporary, state.mtimeUs);
}

async function makeLink(path: string, state: Extract<PathState, { kind: 'link' }>): Promise<void> {
  await symlink(Buffer.from(state.targetBase64, 'base64'), path);
  await setTime(path, state.mtimeUs);
}

async function setTime(path: string, mtimeUs: number | null): Promise<void> {
  if (mtimeUs === null) return;
  // Half a microsecond more, as the system cuts what a float cannot hold.
  const seconds = (mtimeUs + 0.5) / 1e6;
  await lutimes(path, seconds, seconds);
}

async function keepOwner(path: string, state: Extract<PathState, { kind: 'file' }>): Promise<void> {
  const made = await lstat(path);
  if (made.uid === state.uid && made.gid === state.gid) return;
  try {
    await chown(path, state.uid, state.gid);
  } catch (error) {
    // Only root may give files away; git itself would not even try.
    if (errorCode(error) !== 'EPERM') throw error;
  }
}

async function renameExclusive(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    // A file system without hard links: the check just before has to do.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error;
    await rename(from, to);
  }
}

/** Removes folders that are empty, deepest first; others stay. */
export async function removeEmptyFolders(checkout: string, folders: readonly string[]): Promise<void> {
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    try {
      await rmdir(join(checkout, folder));
    } catch (error) {
      // Not empty or not there (any more): then it is none of ours to remove.
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
    }
  }
}

/** Makes folders, those above first. `mode` null leaves the permissions to the umask. */
export async function makeFolders(
  checkout: string,
  folders: readonly { readonly path: string; readonly mode: number | null }[],
): Promise<void> {
  for (const { path, mode } of [...folders].sort((a, b) => a.path.length - b.path.length)) {
    const target = join(checkout, path);
    await refuseLinkedFolders(checkout, path);
    try {
      await mkdir(target);
    } catch (error) {
      // There already; whether it is a folder shows when something is put into it.
      if (errorCode(error) !== 'EEXIST') throw error;
      continue;
    }
    if (mode !== null) await chmod(target, mode);
  }
}

/** Copies a file and waits until the disk has it. */
export async function copyDurable(from: string, to: string, mode: number): Promise<void> {
  await copyFile(from, to);
  await chmod(to, mode);
  const file = await open(to, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
