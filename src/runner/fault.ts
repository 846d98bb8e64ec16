import type { FailedReason } from '../job/states.ts';
import { UserError } from '../job/user-error.ts';
import type { End, RunningJob } from './running-job.ts';

/** An end of a job that something broke. */
export interface FaultEnd extends End {
  readonly to: 'failed';
  readonly reason: FailedReason;
  readonly detail: string;
}

/** Something broke that is nobody's verdict on the work: how the job ends by it. */
export function faultEnd(job: Pick<RunningJob, 'writer'>, error: unknown): FaultEnd {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof UserError ? error.explanation.code : null;
  if (code === 'storage') return failed('storage', message);
  // Lower than the record's level nothing runs, however far the job has come.
  if (code === 'sandbox_unavailable') return failed('setup_failed', message);
  return failed(job.writer.record.state === 'preparing' ? 'setup_failed' : 'engine_error', message);
}

function failed(reason: FailedReason, detail: string): FaultEnd {
  return { to: 'failed', reason, detail };
}
