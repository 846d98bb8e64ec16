import { count, visiblePath } from '../job/format.ts';
import type { JobRecord } from '../job/record.ts';
import type { Store } from '../store/open.ts';
import { runPaths } from '../store/paths.ts';
import { readTask } from '../store/task-file.ts';
import { baseOfCheckout } from '../workspace/base-of-checkout.ts';
import { uncommitted } from '../workspace/ready/checkout-status.ts';
import { type Repository, resolveBase } from '../workspace/repository.ts';
import { usage } from './parse.ts';

/** What a task starts from. Paths are relative to the checkout. */
export interface TaskBase {
  readonly base: string;
  /** The commit that the uncommitted work in the base stands on; null: there is none in it. */
  readonly committed: string | null;
  /** Uncommitted files that are in the base. */
  readonly taken: readonly string[];
  readonly notSeen: NotSeen;
  /** How the worker would get to see the rest, in words; null: by no option. */
  readonly remedy: string | null;
  readonly notices: readonly string[];
}

/** Uncommitted files that are not in the base. */
export interface NotSeen {
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
}

/**
 * The commit `rev` names (HEAD), or, with `includeDirty`, HEAD with the uncommitted work of the checkout over it, which
 * nothing names yet. Throws UserError as `resolveBase` and `baseOfCheckout`, and exit 2 for both at once.
 */
export async function baseOfTask(
  repository: Repository,
  wanted: { readonly rev: string | undefined; readonly includeDirty: boolean },
): Promise<TaskBase> {
  const { rev, includeDirty } = wanted;
  if (!includeDirty) {
    const notSeen = await uncommitted(repository);
    return {
      base: await resolveBase(repository, rev),
      committed: null,
      taken: [],
      notSeen,
      remedy: rev === undefined ? '--include-dirty takes them along' : 'commit what it needs',
      notices: unseenNotice(notSeen),
    };
  }
  if (rev !== undefined)
    throw usage('--include-dirty starts from HEAD and your uncommitted work', rev, 'leave --base out');
  const { commit, head, taken, leftOut } = await baseOfCheckout(repository);
  const left = leftOut.map(({ path, why }) => `not taken along: ${visiblePath(path)} (${why})`);
  return {
    base: commit,
    committed: commit === head ? null : head,
    taken,
    notSeen: { changed: [], untracked: leftOut.map(({ path }) => path) },
    remedy: null,
    notices: [
      ...(taken.length > 0 ? [takenNotice(taken)] : []),
      ...(taken.length + left.length === 0 ? ['nothing is uncommitted: the base is HEAD'] : []),
      ...left.slice(0, MOST_NAMED),
      ...(left.length > MOST_NAMED ? [`not taken along: ${left.length - MOST_NAMED} more`] : []),
    ],
  };
}

const MOST_NAMED = 5;

/** One line for what was uncommitted and is in the base. */
export function takenNotice(taken: readonly string[]): string {
  return `${count(taken.length, 'uncommitted file')} taken along, as they are now`;
}

/** One line for what is uncommitted and stays out. */
export function unseenNotice({ changed, untracked }: NotSeen): string[] {
  const unseen = changed.length + untracked.length;
  if (unseen === 0) return [];
  return [`${count(unseen, 'uncommitted file')} not visible to the worker: commit what it needs`];
}

/** The commit below the uncommitted work in a job's base; null: there is none in it, or its task cannot be read. */
export function committedBelow(store: Store, { id }: JobRecord): string | null {
  const task = readTask(runPaths(store, id).task);
  return task.kind === 'ok' ? task.value.committed : null;
}
