import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { Refusal } from './files-result.ts';

/** A place inside the workspace, or inside a folder beside it that may be read; every link on the way already followed. */
export interface Place {
  /** Absolute and real. */
  readonly path: string;
  /** The folder it was looked for in: absolute and real. */
  readonly root: string;
  /** From that root; '' is the root itself. */
  readonly relative: string;
  /** What it is called in answers: its path from the workspace's root; elsewhere the absolute one. */
  readonly shown: string;
  readonly exists: boolean;
}

/** Links followed before a path counts as a circle; the kernel's own limit. */
const MOST_LINKS = 40;

/**
 * Follows `path` (relative to `root`, or absolute) one name after another, as the kernel would, also through
 * links that dangle, and refuses whatever does not end inside `root`. `root` is real.
 */
export async function placeInside(root: string, path: string): Promise<Place> {
  return placeInOneOf(root, [], path);
}

/**
 * The same, for what is only read: it may end in one of the folders `beside` the workspace as well. They are real;
 * a relative path starts from `root` all the same.
 */
export async function placeInOneOf(root: string, beside: readonly string[], path: string): Promise<Place> {
  if (path.includes('\0')) throw new Refusal('outside', `${JSON.stringify(path)} is not a path`);
  const found = await follow(isAbsolute(path) ? path : `${root}/${path}`, path);
  for (const folder of [root, ...beside]) {
    const inside = relative(folder, found.path);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) continue;
    return { ...found, root: folder, relative: inside, shown: folder === root ? inside : found.path };
  }
  throw new Refusal(
    'outside',
    `${path} is outside of the workspace; only files inside of ${[root, ...beside].join(', ')} can be used`,
  );
}

async function follow(start: string, asked: string): Promise<{ path: string; exists: boolean }> {
  const names = start.split(sep);
  let current = '/';
  let exists = true;
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      // The kernel would not go back from a folder that is not there either.
      if (!exists) throw new Refusal('not_found', `${asked} does not exist`);
      current = dirname(current);
      continue;
    }
    const next = join(current, name);
    const stat: Stats | null = exists ? await lstatOrNull(next) : null;
    exists = stat !== null;
    if (stat?.isSymbolicLink()) {
      links += 1;
      if (links > MOST_LINKS) throw new Refusal('not_found', `${asked} is a circle of links`);
      const target = await readlink(next);
      names.unshift(...target.split(sep));
      if (isAbsolute(target)) current = '/';
    } else {
      current = next;
    }
  }
  return { path: current, exists };
}

async function lstatOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * Opens the folder of `place` and hands its work a path that leads through the open handle, so that nobody can
 * put a link in the folder's place between the check and the use. Where there is no /proc, the plain path.
 */
export async function inFolderOf<Value>(
  place: Place,
  work: (path: string) => Promise<Value>,
): Promise<Value> {
  const folder = dirname(place.path);
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    return await work(join(await throughHandle(handle, folder), basename(place.path)));
  } finally {
    await handle.close();
  }
}

async function throughHandle(handle: FileHandle, folder: string): Promise<string> {
  if (process.platform !== 'linux') return folder;
  const path = `/proc/self/fd/${handle.fd}`;
  const real = await readlink(path);
  if (real !== folder) throw new Refusal('outside', `${folder} was replaced while it was used`);
  return path;
}

/** Is it git's own, here or in a nested repository? The worker's file tools may not write there. */
export function isGitOwn(relativePath: string): boolean {
  return relativePath.split(sep).some((name) => name.toLowerCase() === '.git');
}
