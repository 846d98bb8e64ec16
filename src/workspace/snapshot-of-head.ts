import { rm } from 'node:fs/promises';
import type { JobId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { createClone } from './clone.ts';
import { type Repository, resolveBase } from './repository.ts';
import { laySnapshot, type Snapshot } from './snapshot.ts';

/** A rebase moves HEAD a few times a second, and is over soon. */
const MOST_TRIES = 10;

/**
 * A clone of HEAD with the user's uncommitted work over it, both of one moment: where HEAD moved while they were read,
 * they are read again, since the one commit under the other's changes is a tree that never was. `onBase` hears of each
 * commit before it is cloned; the last one is the snapshot's. `clone` and `folder` as for `laySnapshot`, both empty or
 * not there. Throws UserError (exit 6) when HEAD never stands still or there is no commit.
 */
export async function snapshotOfHead(wanted: {
  readonly repository: Repository;
  readonly id: JobId;
  readonly clone: string;
  readonly folder: string;
  readonly onBase: (base: string) => void;
  /** Between the two steps, in which HEAD may move. */
  readonly onCloned: () => void;
}): Promise<Snapshot> {
  const { repository, id, clone, folder } = wanted;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (tries > 0) await rm(clone, { recursive: true, force: true });
    const base = await resolveBase(repository);
    wanted.onBase(base);
    await createClone({ repository, id, commit: base, branch: 'snapshot', folder: clone });
    wanted.onCloned();
    const snapshot = await laySnapshot({ repository, clone, folder });
    if ((await resolveBase(repository)) === base) return snapshot;
  }
  throw new UserError({
    code: 'checkout_moving',
    what: 'the checkout went from commit to commit while it was read',
    value: repository.checkout,
    remedy: 'ask again when it stands still',
    exit: EXIT.environment,
  });
}
