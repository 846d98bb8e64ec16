import type { JobId } from '../job/ids.ts';
import { findJob } from './find-job.ts';
import { usage } from './parse.ts';
import type { StartRequest } from './start-options.ts';
import { storeAround } from './store-around.ts';
import type { VerbContext } from './verb.ts';

/**
 * The job that `--after` names; null where it names none. Throws UserError: exit 3 when there is no such job, exit 2
 * when it is of another repository, when there are two, or when the start has a base of its own.
 */
export async function predecessor(context: VerbContext, request: StartRequest): Promise<JobId | null> {
  const [typed, second] = request.after;
  if (typed === undefined) return null;
  if (second !== undefined)
    throw usage('a job starts from the result of one other', second, 'name one job with --after');
  if (request.base !== undefined)
    throw usage('--after starts from the result of that job', request.base, 'leave --base out');
  const { store, record } = await findJob(context, typed);
  const here = await storeAround(context);
  if (here?.repo === store.repo) return record.id;
  throw usage('that job is of another repository', store.repo, 'start there, or name a job of this one');
}
