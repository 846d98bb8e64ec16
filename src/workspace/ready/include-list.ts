import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fields, userGit } from '../git.ts';
import type { Repository } from '../repository.ts';

/** At the root of the user's checkout: which of their ignored or new files the worker gets, as git ignores. */
export const INCLUDE_FILE = '.worktreeinclude';
const LIST_MAX_BYTES = 64 * 1024;

export interface IncludeList {
  /** Files of the checkout that git does not track and the list names, relative to it. */
  readonly paths: readonly string[];
  /** Lines of the list that name a file which is not there. */
  readonly misses: readonly string[];
}

const NOTHING: IncludeList = { paths: [], misses: [] };

/** Reads the list and asks git, whose own syntax it is. Without one, nothing is asked. Throws GitError. */
export async function readIncludeList(repository: Repository): Promise<IncludeList> {
  const file = join(repository.checkout, INCLUDE_FILE);
  const stat = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  // A link could name any file of the user's as a list.
  if (!stat?.isFile() || stat.size > LIST_MAX_BYTES) return NOTHING;
  const args = ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${file}`];
  const { stdout } = await userGit(repository, args);
  const paths = fields(stdout)
    .map((field) => field.toString('utf8'))
    .filter((path) => path !== INCLUDE_FILE && !path.startsWith('.cc-delegate/'));
  const literal = literalLines(await readFile(file, 'utf8')).filter((line) => !namesOneOf(line, paths));
  const misses: string[] = [];
  for (const line of literal) if (!(await isThere(join(repository.checkout, line)))) misses.push(line);
  return { paths, misses };
}

/** Lines that name one path and no pattern. */
function literalLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => /^[^#!*?[\]\\]+$/.test(line));
}

function namesOneOf(line: string, paths: readonly string[]): boolean {
  const path = line.replace(/^\/|\/$/g, '');
  const anchored = line.replace(/\/$/, '').includes('/');
  return paths.some(
    (candidate) =>
      `/${candidate}/`.includes(`/${path}/`) && (!anchored || `${candidate}/`.startsWith(`${path}/`)),
  );
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    // Whatever hides it, the worker will not have it.
    () => false,
  );
}
