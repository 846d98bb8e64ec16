import { afterPredecessor } from '../job/dependency.ts';
import { type JobId, shortId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { committedBelow } from './base-of-task.ts';
import { findJob } from './find-job.ts';
import { usage } from './parse.ts';
import type { StartRequest } from './start-options.ts';
import { storeAround } from './store-around.ts';
import type { VerbContext } from './verb.ts';

/** The job that runs first. */
export interface First {
  readonly id: JobId;
  /** As in its task: its result has that uncommitted work as well. */
  readonly committed: string | null;
}

/**
 * The job that `--after` names; null where it names none. Throws UserError: exit 3 when there is no such job, exit 2
 * when it is of another repository, when there are two, or when the start has a base of its own, exit 4 when it has
 * already ended without a result to start from.
 */
export async function predecessor(context: VerbContext, request: StartRequest): Promise<First | null> {
  const [typed, second] = request.after;
  if (typed === undefined) return null;
  if (second !== undefined)
    throw usage('a job starts from the result of one other', second, 'name one job with --after');
  if (request.base !== undefined)
    throw usage('--after starts from the result of that job', request.base, 'leave --base out');
  if (request.includeDirty)
    throw usage('--after starts from the result of that job', '--include-dirty', 'leave --include-dirty out');
  const { store, record } = await findJob(context, typed);
  const here = await storeAround(context);
  if (here?.repo !== store.repo)
    throw usage('that job is of another repository', store.repo, 'start there, or name a job of this one');
  const after = afterPredecessor(record.id, record);
  if (after.kind !== 'stop') return { id: record.id, committed: committedBelow(store, record) };
  throw new UserError({
    code: 'wrong_state',
    what: after.why,
    value: record.id,
    remedy: `try that one once more: cc-delegate retry ${shortId(record.id)}`,
    exit: EXIT.wrongState,
  });
}
