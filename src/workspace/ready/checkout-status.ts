import { fields, userGit } from '../git.ts';
import type { Repository } from '../repository.ts';

/** What stands in the user's checkout beside what is committed; paths relative to it, folders end with a slash. */
export interface CheckoutStatus {
  /** Tracked files that differ from HEAD, staged or not. */
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  /** A folder that is ignored as a whole is one entry. */
  readonly ignored: readonly string[];
}

/** One line of `git status`: its two letters, and the path as bytes. */
export interface StatusEntry {
  readonly code: string;
  readonly path: Buffer;
}

/** What is not committed, ignored files left out. Our own store is not named. Throws GitError. */
export function readStatus(repository: Repository): Promise<StatusEntry[]> {
  return status(repository, []);
}

/** Asks git once for all three kinds. Throws GitError. */
export async function readCheckout(repository: Repository): Promise<CheckoutStatus> {
  return sorted(await status(repository, ['--ignored=matching']));
}

/** The two kinds that are not ignored, by path: what the worker will not see. Throws GitError. */
export async function uncommitted(
  repository: Repository,
): Promise<Pick<CheckoutStatus, 'changed' | 'untracked'>> {
  const { changed, untracked } = sorted(await readStatus(repository));
  return { changed, untracked };
}

async function status(repository: Repository, more: readonly string[]): Promise<StatusEntry[]> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', ...more];
  const answer = await userGit(repository, [...args, '--ignore-submodules=dirty']);
  return parseEntries(answer.stdout);
}

/** `status --porcelain=v1 -z --no-renames`: two letters, a space and a path each. */
export function parseStatus(bytes: Buffer): CheckoutStatus {
  return sorted(parseEntries(bytes));
}

function parseEntries(bytes: Buffer): StatusEntry[] {
  return fields(bytes)
    .map((field) => ({ code: field.subarray(0, 2).toString('latin1'), path: field.subarray(3) }))
    .filter(({ path }) => !path.subarray(0, STORE.length).equals(STORE));
}

const STORE = Buffer.from('.cc-delegate/');

function sorted(entries: readonly StatusEntry[]): CheckoutStatus {
  const of = (wanted: (code: string) => boolean): string[] =>
    entries.filter(({ code }) => wanted(code)).map(({ path }) => path.toString('utf8'));
  return {
    changed: of((code) => code !== '??' && code !== '!!'),
    untracked: of((code) => code === '??'),
    ignored: of((code) => code === '!!'),
  };
}
