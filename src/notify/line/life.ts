import type { JobRecord } from '../../job/record.ts';
import { isTerminal } from '../../job/states.ts';

/** Which line is shown before which: a question, then work in progress, then what just ended. */
export type Rank = 1 | 2 | 3;

const RUNNING_SECONDS = 150;
const ENDED_SECONDS = 30;
const CANCELLED_SECONDS = 20;

export function rankOf({ state }: JobRecord): Rank {
  if (state === 'needs_input') return 1;
  return isTerminal(state) ? 3 : 2;
}

/**
 * Whole seconds a line may still be shown: 150 s from the last save of a running job, 30 s (cancelled: 20 s) from its
 * end. A question's line lives while the question is open, and as long again as a running job's, since the runner
 * closes it. 0 or less: nothing is to be shown, as for a result that was applied or discarded.
 */
export function secondsLeft(record: JobRecord, nowMs: number): number {
  const { state, disposition, question, endedAt, updatedAt } = record;
  const since = (time: string): number => Math.max(0, (nowMs - Date.parse(time)) / 1000);
  if (isTerminal(state)) {
    if (disposition !== 'none') return 0;
    const whole = state === 'cancelled' ? CANCELLED_SECONDS : ENDED_SECONDS;
    return Math.ceil(whole - since(endedAt ?? updatedAt));
  }
  const fresh = RUNNING_SECONDS - since(updatedAt);
  if (state !== 'needs_input' || question === null) return Math.ceil(fresh);
  return Math.ceil(Math.max(fresh, (Date.parse(question.expiresAt) - nowMs) / 1000 + RUNNING_SECONDS));
}
