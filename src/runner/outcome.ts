import type { ErrorKind, RunOutcome } from '../engine/engine.ts';
import type { FailedReason } from '../job/states.ts';
import { type End, failed, type RunningJob, stopEnd } from './running-job.ts';

/** What the worker left when it stopped: its last message, or why it could not go on. */
export type Worked =
  | { readonly ok: true; readonly claim: string }
  | { readonly ok: false; readonly end: End };

/** How a run ended, in the words of a job. What the stop switch says comes first. */
export function workedOf(job: RunningJob, outcome: RunOutcome): Worked {
  const stopped = stopEnd(job.stop);
  if (stopped) return { ok: false, end: stopped };
  switch (outcome.status) {
    case 'done':
      return { ok: true, claim: outcome.finalText };
    case 'stopped':
      job.stop.request(outcome.stop);
      return { ok: false, end: stopEnd(job.stop) ?? failed('engine_error', 'stopped without a reason') };
    case 'aborted':
      return { ok: false, end: failed('engine_error', 'the engine was aborted') };
    case 'failed':
      return { ok: false, end: failed(REASON_OF[outcome.kind], outcome.message) };
  }
}

const REASON_OF: Record<ErrorKind, FailedReason> = {
  auth: 'auth',
  quota: 'quota',
  rate_limit: 'rate_limited',
  overflow: 'context_overflow',
  transient: 'engine_error',
  bad_request: 'engine_error',
  empty: 'empty_responses',
  loop: 'loop',
  engine: 'engine_error',
};
