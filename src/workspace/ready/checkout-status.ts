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

/** Asks git once for all three kinds. Throws GitError. */
export async function readCheckout(repository: Repository): Promise<CheckoutStatus> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all'];
  const answer = await userGit(repository, [...args, '--ignored=matching', '--ignore-submodules=dirty']);
  return parseStatus(answer.stdout);
}

/** `status --porcelain=v1 -z --no-renames`: two letters, a space and a path each. Our own store is not named. */
export function parseStatus(bytes: Buffer): CheckoutStatus {
  const entries = fields(bytes).map((field) => field.toString('utf8'));
  const of = (wanted: (code: string) => boolean): string[] =>
    entries
      .filter((entry) => wanted(entry.slice(0, 2)))
      .map((entry) => entry.slice(3))
      .filter((path) => !path.startsWith('.cc-delegate/'));
  return {
    changed: of((code) => code !== '??' && code !== '!!'),
    untracked: of((code) => code === '??'),
    ignored: of((code) => code === '!!'),
  };
}
