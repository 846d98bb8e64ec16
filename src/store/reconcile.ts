import { existsSync } from 'node:fs';
import { type JobRecord, NO_RESULT, type ResultHead } from '../job/record.ts';
import { isActive } from '../job/states.ts';
import type { Move } from '../job/transition.ts';
import { publish, settle } from './jobs.ts';
import { type Liveness, liveness } from './liveness.ts';
import type { Store } from './open.ts';
import { activeMarker } from './paths.ts';
import { readJob } from './read-job.ts';

export interface Reconciled {
  readonly record: JobRecord;
  /** Is it for the caller to have the unfinished work saved? True for exactly one of many callers. */
  readonly salvage: boolean;
}

/** How long the command that made a job may take to start its runner. */
const LAUNCH_MS = 30_000;

/**
 * Brings a record in line with what is: a job whose runner is dead has failed. What cannot be told for
 * certain stays as it is. Of many callers one publishes, the others get what it published. `nowMs` is
 * milliseconds since 1970. Throws UserError `storage`, e.g. when the store is read-only.
 */
export function reconcile(store: Store, record: JobRecord, nowMs: number, procRoot = '/proc'): Reconciled {
  if (!isActive(record.state)) {
    // Its writer died between the last revision and the clearing up.
    if (existsSync(activeMarker(store, record.id))) settle(store, record);
    return { record, salvage: false };
  }
  const runner = record.runner === null ? null : liveness(record.runner, procRoot);
  const move = lostMove(record, runner, nowMs);
  if (move === null) return { record, salvage: false };
  const next = lostRecord(record, move, nowMs);
  if (publish(store, next) === 'published') return { record: next, salvage: record.kind === 'task' };
  const current = readJob(store, record.id);
  if (current.kind !== 'ok' || current.record.rev <= record.rev) return { record, salvage: false };
  // Somebody was faster; it may have been the runner itself, just before it died.
  return reconcile(store, current.record, nowMs, procRoot);
}

/** Pure: has this active job lost its runner, and what is it then? `runner` is null when it never had one. */
export function lostMove(record: JobRecord, runner: Liveness | null, nowMs: number): Move | null {
  if (runner === 'dead') return { to: 'failed', reason: 'runner_lost' };
  if (runner !== null) return null;
  const waited = nowMs - Date.parse(record.createdAt);
  return waited > LAUNCH_MS
    ? { to: 'failed', reason: record.state === 'queued' ? 'launch_failed' : 'runner_lost' }
    : null;
}

function lostRecord(record: JobRecord, move: Move, nowMs: number): JobRecord {
  const at = new Date(Math.max(nowMs, Date.parse(record.updatedAt))).toISOString();
  const never = move.reason === 'launch_failed';
  const summaryLine = never
    ? 'The job never started: its runner did not come up.'
    : `The runner died while the job was ${record.state}${record.kind === 'ask' ? '' : '; what it did is being saved'}.`;
  const result: ResultHead = {
    ...(record.result ?? NO_RESULT),
    summaryLine,
    error: never ? 'the runner did not come up within 30 s' : 'the runner process is gone',
    // An ask changes no files: there is nothing to take in.
    salvaged: record.kind === 'ask' ? false : 'pending',
  };
  return {
    ...record,
    rev: record.rev + 1,
    state: move.to,
    reason: move.reason,
    question: null,
    openQuestions: 0,
    result,
    endedAt: at,
    updatedAt: at,
  };
}
