import { constants } from 'node:fs';
import { access, lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../store/storage-error.ts';

/** What stands at a path of the checkout, found without following any link. */
export type Probe =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file' | 'link'; readonly signature: string }
  | { readonly kind: 'blocked'; readonly why: string };

/** Paths that the result deletes: what stands there does not stand in the way of what it brings. */
export type Deletions = ReadonlySet<string>;

/** Looks at `path` (relative, slashes) and at every folder above it. */
export async function probe(checkout: string, path: string, deletions: Deletions): Promise<Probe> {
  if (isUnsafe(path)) return { kind: 'blocked', why: 'git allows no such path' };
  for (const folder of foldersAbove(path)) {
    const found = await look(join(checkout, folder));
    if (found === null) return { kind: 'absent' };
    if (found.isDirectory()) {
      if ((await look(join(checkout, folder, '.git'))) === null) continue;
      return { kind: 'blocked', why: `${folder} is a repository of its own` };
    }
    // To delete what is not below a folder at all, nothing has to be done.
    if (deletions.has(folder) || deletions.has(path)) return { kind: 'absent' };
    const what = found.isSymbolicLink() ? 'a symbolic link' : 'a file';
    return { kind: 'blocked', why: `${folder} is ${what}, not a folder` };
  }
  return probeTarget(checkout, path, deletions);
}

async function probeTarget(checkout: string, path: string, deletions: Deletions): Promise<Probe> {
  const target = join(checkout, path);
  const found = await look(target);
  if (found === null) return { kind: 'absent' };
  if (found.isSymbolicLink()) return { kind: 'link', signature: signatureOf(found) };
  if (found.isDirectory()) {
    if (deletions.has(path)) return { kind: 'absent' };
    const foreign = await firstForeign(checkout, path, deletions);
    if (foreign === null) return { kind: 'absent' };
    return { kind: 'blocked', why: `a folder is in the way: ${foreign}` };
  }
  if (!found.isFile()) return { kind: 'blocked', why: 'something that is no file is in the way' };
  if (!(await isReadable(target))) return { kind: 'blocked', why: 'your file cannot be read' };
  return { kind: 'file', signature: signatureOf(found) };
}

/** The same text as long as nobody has touched the file. Null if nothing is there. */
export async function signature(path: string): Promise<string | null> {
  const found = await look(path);
  return found === null ? null : signatureOf(found);
}

type Stats = NonNullable<Awaited<ReturnType<typeof look>>>;

function signatureOf(stats: Stats): string {
  const { ino, size, mtimeNs, ctimeNs, mode } = stats;
  return [ino, size, mtimeNs, ctimeNs, mode].join(':');
}

async function look(path: string) {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

async function isReadable(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK);
    return true;
  } catch {
    // Every reason means the same here: we cannot read it, so we must not replace it.
    return false;
  }
}

/** The first thing below a folder that would be lost if a file took its place; null when there is none. */
async function firstForeign(checkout: string, folder: string, deletions: Deletions): Promise<string | null> {
  const emptied = new Set([...deletions].flatMap(foldersAbove));
  const children = await readdir(join(checkout, folder), { withFileTypes: true });
  if (!emptied.has(folder)) return [folder, ...children.slice(0, 1).map(({ name }) => name)].join('/');
  for (const child of children) {
    const path = `${folder}/${child.name}`;
    if (!child.isDirectory()) {
      if (!deletions.has(path)) return path;
      continue;
    }
    const foreign = await firstForeign(checkout, path, deletions);
    if (foreign !== null) return foreign;
  }
  return null;
}

/** `a/b/c` → `a`, `a/b`. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '.' && folder !== '/'; folder = dirname(folder)) {
    folders.unshift(folder);
  }
  return folders;
}

/** Out of the checkout, into a git directory (also by the names other systems give it), or our own store. */
function isUnsafe(path: string): boolean {
  return path.split('/').some((part) => {
    // git's own list (fsck: hasDotgit), with the characters that HFS+ ignores taken out.
    const name = part.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').toLowerCase();
    return name === '' || name === '.' || name === '..' || /^(\.git|git~1|\.cc-delegate)[ .:]*$/.test(name);
  });
}
