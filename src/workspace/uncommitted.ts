import { lstat } from 'node:fs/promises';
import { count, visiblePath } from '../job/format.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { readStatus } from './ready/checkout-status.ts';
import type { IncludeLimits, NotProvided } from './ready/include-snapshot.ts';
import { megabytes } from './ready/plan-dependencies.ts';
import type { Repository } from './repository.ts';

/** What the checkout has otherwise than HEAD, by path relative to it: as bytes, since names need be no text. */
export interface Uncommitted {
  /** Files and links that git can add. */
  readonly there: readonly Buffer[];
  /** What HEAD has, and the checkout or the index no more. */
  readonly away: readonly Buffer[];
  readonly leftOut: readonly NotProvided[];
}

/**
 * Reads it, ignored files never. Repositories within and files over `limits.fileBytes` are left out. Throws GitError, and
 * UserError (exit 6) for more files or bytes than somebody means to hand over.
 */
export async function readUncommitted(repository: Repository, limits: IncludeLimits): Promise<Uncommitted> {
  const there: Buffer[] = [];
  const away: Buffer[] = [];
  const leftOut: NotProvided[] = [];
  let bytes = 0;
  for (const { code, path } of await readStatus(repository)) {
    // What was taken out of the index stays out, even if a file is there: it may be ignored by now.
    const size = isAway(code) ? null : await sizeOf(repository, path);
    if (size === null) away.push(path);
    else if (size === 'folder') leftOut.push({ path: path.toString('utf8'), why: 'a repository of its own' });
    else if (size > limits.fileBytes)
      leftOut.push({ path: path.toString('utf8'), why: `over ${megabytes(limits.fileBytes)}` });
    else {
      there.push(path);
      bytes += size;
    }
  }
  if (there.length > limits.files) throw tooMuch(count(there.length, 'file'), there);
  if (bytes > limits.totalBytes) throw tooMuch(megabytes(bytes), there);
  return { there, away, leftOut };
}

/** By the two letters of `git status`: the index's and the worktree's. Unmerged ones are as their file is. */
function isAway(code: string): boolean {
  if (code === 'DU' || code === 'UD') return false;
  return code.includes('D');
}

/** null: nothing is there. */
async function sizeOf(repository: Repository, path: Buffer): Promise<number | 'folder' | null> {
  const file = Buffer.concat([Buffer.from(`${repository.checkout}/`), path]);
  try {
    const stat = await lstat(file);
    return stat.isDirectory() ? 'folder' : stat.size;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function tooMuch(much: string, paths: readonly Buffer[]): UserError {
  const sums = new Map<string, number>();
  for (const path of paths) {
    const [top = '', ...rest] = path.toString('utf8').split('/');
    const place = rest.length === 0 ? '.' : `${top}/`;
    sums.set(place, (sums.get(place) ?? 0) + 1);
  }
  const [most] = [...sums].sort(([, a], [, b]) => b - a)[0] ?? ['.'];
  return new UserError({
    code: 'too_much_uncommitted',
    what: 'there is more uncommitted work than could be meant to be taken along',
    value: `${much}, most of the files in ${visiblePath(most)}`,
    remedy: 'have git ignore what is no source (.gitignore), or commit what the worker needs',
    exit: EXIT.environment,
  });
}
