import type { JobId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { publish } from './jobs.ts';
import type { Store } from './open.ts';
import { runPaths } from './paths.ts';
import { readJob } from './read-job.ts';
import { storageError } from './storage-error.ts';

/** What may still change once a job has ended: what became of its work, and what is found out of a dead runner's. */
export type EndedPatch = Partial<
  Pick<JobRecord, 'result' | 'disposition' | 'question' | 'openQuestions' | 'usage' | 'costUsd' | 'costBasis'>
>;

/**
 * Changes a job that has ended, safe against others who do the same: reads, decides, publishes the next
 * revision, and begins again when somebody was faster. `decide` returns null to leave it as it is.
 * Returns the record as it is then; null when there is none to be read, or it has not ended.
 * Throws UserError `storage`.
 */
export function amendEnded(
  store: Store,
  id: JobId,
  nowMs: number,
  decide: (record: JobRecord) => EndedPatch | null,
): JobRecord | null {
  for (let attempt = 0; attempt < MANY; attempt += 1) {
    const job = readJob(store, id);
    if (job.kind !== 'ok' || !isTerminal(job.record.state)) return null;
    const patch = decide(job.record);
    if (patch === null) return job.record;
    const updatedAt = new Date(Math.max(nowMs, Date.parse(job.record.updatedAt))).toISOString();
    const next = { ...job.record, ...patch, rev: job.record.rev + 1, updatedAt };
    if (publish(store, next) === 'published') return next;
  }
  // So many others were not faster: the next revision is there and cannot be read.
  throw storageError('read', runPaths(store, id).revisions, Object.assign(new Error(), { code: 'EIO' }));
}

const MANY = 1000;
