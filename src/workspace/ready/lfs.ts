import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fields, hostGit, line, userGit } from '../git.ts';
import type { Repository } from '../repository.ts';
import type { NotProvided } from './include-snapshot.ts';
import { type LfsPointer, POINTER_MAX_BYTES, parsePointer } from './lfs-pointer.ts';
import { megabytes } from './plan-dependencies.ts';

export interface Smudged {
  /** Files that hold their content now, relative to the work tree. */
  readonly paths: readonly string[];
  /** Files that are still pointers. */
  readonly missing: readonly NotProvided[];
}

/** In sum; more is fetched or made by a set-up command. */
export const LFS_LIMIT_BYTES = 2_000_000_000;

/**
 * Puts the contents of Git LFS that are here already in the place of their pointers, in a checkout of ours
 * while nothing runs in it. No filter runs and nothing is fetched. The index is told to pass over these
 * files, so that neither a reset nor a commit of everything takes them for changed.
 */
export async function smudge(wanted: {
  readonly gitDir: string;
  readonly workTree: string;
  /** The `lfs` folders of the user's git directories; asked for only when there is a pointer. */
  readonly stores: () => Promise<readonly string[]>;
  /** A folder on the work tree's file system, for this alone. */
  readonly staging: string;
  readonly limitBytes: number;
}): Promise<Smudged> {
  const { gitDir, workTree } = wanted;
  const place = { gitDir, workTree };
  const pointers = await findPointers(place);
  if (pointers.length === 0) return { paths: [], missing: [] };
  const stores = await wanted.stores();
  const paths: string[] = [];
  const missing: NotProvided[] = [];
  let left = wanted.limitBytes;
  await mkdir(wanted.staging, { recursive: true, mode: 0o700 });
  for (const { path, pointer, executable } of pointers) {
    if (pointer.size > left) {
      missing.push({ path, why: `over the limit of ${megabytes(wanted.limitBytes)} in sum` });
      continue;
    }
    const staged = join(wanted.staging, pointer.oid);
    const why = await stage(pointer, stores, staged);
    if (why !== null) {
      missing.push({ path, why });
      continue;
    }
    await chmod(staged, executable ? 0o755 : 0o644);
    await rename(staged, join(workTree, path));
    left -= pointer.size;
    paths.push(path);
  }
  if (paths.length > 0) {
    const input = Buffer.from(paths.map((path) => `${path}\0`).join(''));
    await hostGit({ ...place, args: ['update-index', '-z', '--skip-worktree', '--stdin'] }, { input });
  }
  return { paths, missing };
}

interface PointerFile {
  readonly path: string;
  readonly executable: boolean;
  readonly pointer: LfsPointer;
}

async function findPointers(place: { gitDir: string; workTree: string }): Promise<PointerFile[]> {
  const args = ['ls-files', '-s', '-z', '--', ':(attr:filter=lfs)'];
  const { stdout } = await hostGit({ ...place, args });
  const found: PointerFile[] = [];
  for (const field of fields(stdout)) {
    const entry = field.toString('utf8');
    const path = entry.slice(entry.indexOf('\t') + 1);
    if (!entry.startsWith('100') || path.includes('\uFFFD')) continue;
    const file = join(place.workTree, path);
    if ((await lstat(file)).size > POINTER_MAX_BYTES) continue;
    const pointer = parsePointer(await readFile(file));
    if (pointer !== null) found.push({ path, executable: entry.startsWith('100755'), pointer });
  }
  return found;
}

/** A private copy of the object, proved by its size and digest; else the reason. */
async function stage(pointer: LfsPointer, stores: readonly string[], staged: string): Promise<string | null> {
  const { oid, size } = pointer;
  let why = 'its object is not here: git lfs fetch';
  for (const store of stores) {
    const object = join(store, 'objects', oid.slice(0, 2), oid.slice(2, 4), oid);
    const stat = await lstat(object).catch(() => null);
    if (!stat?.isFile()) continue;
    await rm(staged, { force: true });
    await copyFile(object, staged, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    if (stat.size === size && (await sha256(staged)) === oid) return null;
    await rm(staged);
    why = 'its object here is damaged: git lfs fsck';
  }
  return why;
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** Where the user's repository keeps contents of Git LFS (git-lfs-config(5): lfs.storage). */
export async function lfsStores(repository: Repository): Promise<string[]> {
  const args = ['config', '--type=path', '--get', 'lfs.storage'];
  const answer = await userGit(repository, args, { accept: [0, 1] });
  const moved = answer.exitCode === 0 ? [resolve(repository.commonDir, line(answer))] : [];
  return [...moved, join(repository.commonDir, 'lfs')];
}
