import { constants } from 'node:fs';
import { lstat, mkdir, open, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { count } from '../../job/format.ts';
import { leadsOut } from './measure.ts';
import { megabytes } from './plan-dependencies.ts';
import { makeWay } from './safe-place.ts';

/** Something that was asked for and is not in the workspace. */
export interface NotProvided {
  readonly path: string;
  readonly why: string;
}

/** Local files as they were when the job started: what the workspace and the gate get copies of. */
export interface IncludeSnapshot {
  /** Absolute; holds the files at their relative paths, for their owner alone. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Links that stay in the checkout, with their targets. */
  readonly links: ReadonlyMap<string, string>;
  readonly refused: readonly NotProvided[];
}

export interface IncludeLimits {
  readonly fileBytes: number;
  readonly totalBytes: number;
  readonly files: number;
}

/** Local settings are small; what is big is data or a build, which `--setup` can make. */
export const INCLUDE_LIMITS: IncludeLimits = { fileBytes: 5_000_000, totalBytes: 50_000_000, files: 2000 };

/** Copies the files (0600, folders 0700) from the user's checkout. No link is followed; what is too big is named. */
export async function takeSnapshot(wanted: {
  readonly checkout: string;
  readonly paths: readonly string[];
  /** Must not exist. */
  readonly folder: string;
  readonly limits: IncludeLimits;
}): Promise<IncludeSnapshot> {
  const { checkout, folder, limits } = wanted;
  const files: string[] = [];
  const links = new Map<string, string>();
  const refused: NotProvided[] = [];
  let left = limits.totalBytes;
  for (const path of wanted.paths) {
    const found = await readCandidate(checkout, path, limits.fileBytes);
    if (found.kind === 'refused') refused.push({ path, why: found.why });
    else if (files.length + links.size >= limits.files) {
      refused.push({ path, why: `over the limit of ${count(limits.files, 'file')}` });
    } else if (found.kind === 'link') links.set(path, found.target);
    else if (found.bytes.length > left) {
      refused.push({ path, why: `over the limit of ${megabytes(limits.totalBytes)} in sum` });
    } else {
      left -= found.bytes.length;
      await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
      await writeFile(join(folder, path), found.bytes, { flag: 'wx', mode: 0o600 });
      files.push(path);
    }
  }
  return { folder, files, links, refused };
}

type Candidate =
  | { readonly kind: 'file'; readonly bytes: Buffer }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'refused'; readonly why: string };

async function readCandidate(checkout: string, path: string, maxBytes: number): Promise<Candidate> {
  if (path.includes('\uFFFD')) return { kind: 'refused', why: 'its name is no UTF-8' };
  if (path.endsWith('/')) return { kind: 'refused', why: 'a repository of its own' };
  const file = join(checkout, path);
  try {
    const stat = await lstat(file);
    if (stat.isSymbolicLink()) {
      const target = await readlink(file);
      const why = leadsOut(checkout, path, target);
      return why === null ? { kind: 'link', target } : { kind: 'refused', why };
    }
    if (!stat.isFile()) return { kind: 'refused', why: 'not a plain file' };
    if (stat.size > maxBytes) return { kind: 'refused', why: `over ${megabytes(maxBytes)}` };
    return { kind: 'file', bytes: await readPlain(file) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null;
    if (code === null) throw error;
    return { kind: 'refused', why: `cannot be read (${code})` };
  }
}

/** Never through a link that was put there meanwhile, and never waiting for a pipe. */
async function readPlain(file: string): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Puts the files into a checkout of ours while nothing runs in it, never over anything. Returns the paths
 * that are there now, and the others with the reason.
 */
export async function placeSnapshot(
  snapshot: IncludeSnapshot,
  checkout: string,
): Promise<{ readonly placed: readonly string[]; readonly refused: readonly NotProvided[] }> {
  const placed: string[] = [];
  const refused: NotProvided[] = [];
  for (const path of [...snapshot.files, ...snapshot.links.keys()]) {
    const why = await makeWay(checkout, path);
    if (why !== null) {
      refused.push({ path, why });
      continue;
    }
    const target = snapshot.links.get(path);
    if (target !== undefined) await symlink(target, join(checkout, path));
    else {
      const bytes = await readFile(join(snapshot.folder, path));
      await writeFile(join(checkout, path), bytes, { flag: 'wx', mode: 0o600 });
    }
    placed.push(path);
  }
  return { placed, refused };
}
