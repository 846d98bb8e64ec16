import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What the worker's own git directory says, read as plain files: no git runs on it and no link is followed.
 * Whatever is missing, too big or no reference is passed over.
 */
export interface WorkerRefs {
  /** `ref: refs/heads/…`, a commit id, or null when there is no HEAD to be read. */
  readonly head: string | null;
  /** Full name to object id, loose and packed; HEAD too when it is detached. */
  readonly refs: ReadonlyMap<string, string>;
}

const LIMITS = { loose: 1000, depth: 12, refBytes: 4096, packedBytes: 4 * 1024 * 1024 };
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export async function readWorkerRefs(gitDir: string): Promise<WorkerRefs> {
  const refs = new Map<string, string>();
  if (!(await isFolder(gitDir))) return { head: null, refs };
  const head = (await readSmall(join(gitDir, 'HEAD'), LIMITS.refBytes))?.trim() ?? null;
  if (head !== null && OBJECT_ID.test(head)) refs.set('HEAD', head);
  const packed = (await readSmall(join(gitDir, 'packed-refs'), LIMITS.packedBytes)) ?? '';
  for (const match of packed.matchAll(/^([0-9a-f]{40,64}) (refs\/\S+)$/gm)) {
    const [, object = '', name = ''] = match;
    if (OBJECT_ID.test(object)) refs.set(name, object);
  }
  for (const name of await looseNames(gitDir, 'refs', 0)) {
    const object = (await readSmall(join(gitDir, name), LIMITS.refBytes))?.trim() ?? '';
    if (OBJECT_ID.test(object)) refs.set(name, object);
  }
  return { head, refs };
}

async function looseNames(gitDir: string, folder: string, depth: number): Promise<string[]> {
  if (depth > LIMITS.depth || !(await isFolder(join(gitDir, folder)))) return [];
  const names: string[] = [];
  for (const entry of await readdir(join(gitDir, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isFile()) names.push(name);
    else if (entry.isDirectory()) names.push(...(await looseNames(gitDir, name, depth + 1)));
    if (names.length >= LIMITS.loose) break;
  }
  return names.slice(0, LIMITS.loose);
}

async function isFolder(path: string): Promise<boolean> {
  // Whatever cannot be looked at is no folder to read in.
  return lstat(path).then(
    (stat) => stat.isDirectory(),
    () => false,
  );
}

/** A regular file of at most `limit` bytes, never through a link, never waiting at a pipe. */
async function readSmall(path: string, limit: number): Promise<string | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      return stat.isFile() && stat.size <= limit ? await file.readFile('utf8') : null;
    } finally {
      await file.close();
    }
  } catch {
    // Missing, a link, or unreadable: the worker's own git directory may be in any state.
    return null;
  }
}
