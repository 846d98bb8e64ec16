import { couldBeJobId, type JobId, matchIds } from '../job/ids.ts';
import type { Store } from '../store/open.ts';
import { jobIds } from '../store/read-job.ts';
import { buriedIds } from '../store/removed.ts';
import { storeAround } from './store-around.ts';
import type { VerbContext } from './verb.ts';

/** The job that was cleaned up already, so that to say it twice is no error; null when it was not. */
export async function findBuried(context: VerbContext, typed: string): Promise<JobId | null> {
  const store: Store | null = await storeAround(context);
  if (store === null || !couldBeJobId(typed)) return null;
  if (matchIds(jobIds(store), typed).length > 0) return null;
  return matchIds(buriedIds(store), typed)[0] ?? null;
}
