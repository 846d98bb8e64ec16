import { rm } from 'node:fs/promises';
import type { JobId } from '../job/ids.ts';
import { createClone } from './clone.ts';
import { ofOneHead } from './of-one-head.ts';
import type { Repository } from './repository.ts';
import { laySnapshot, type Snapshot } from './snapshot.ts';

/**
 * A clone of HEAD with the user's uncommitted work over it, both of one moment. `onBase` hears of each commit before it
 * is cloned; the last one is the snapshot's. `clone` and `folder` as for `laySnapshot`, both empty or not there. Throws
 * UserError (exit 6) as `ofOneHead`.
 */
export function snapshotOfHead(wanted: {
  readonly repository: Repository;
  readonly id: JobId;
  readonly clone: string;
  readonly folder: string;
  readonly onBase: (base: string) => void;
  /** Between the two steps, in which HEAD may move. */
  readonly onCloned: () => void;
}): Promise<Snapshot> {
  const { repository, id, clone, folder } = wanted;
  return ofOneHead(repository, async (base, again) => {
    if (again) await rm(clone, { recursive: true, force: true });
    wanted.onBase(base);
    await createClone({ repository, id, commit: base, branch: 'snapshot', folder: clone });
    wanted.onCloned();
    return laySnapshot({ repository, clone, folder });
  });
}
