import type { JobRecord } from './record.ts';
import { isActive, type Reason } from './states.ts';
import type { Task } from './task.ts';

/** The turns of one conversation, oldest first. */
export function inOrder(records: readonly JobRecord[]): JobRecord[] {
  return [...records].sort((a, b) => a.turn - b.turn || (a.createdAt < b.createdAt ? -1 : 1));
}

/** The turn that is under way; undefined when none is. */
export function turnUnderWay(turns: readonly JobRecord[]): JobRecord | undefined {
  return turns.find((record) => isActive(record.state));
}

/**
 * The commit whose files the next turn starts with: what the turn before left, finished or salvaged; else what
 * that one started with itself; null: the base.
 */
export function startOfNextTurn(record: JobRecord, task: Pick<Task, 'goesOn'>): string | null {
  return record.result?.commit ?? task.goesOn?.start ?? null;
}

/** Ends after which the same work can simply go on: a limit, a death, or an endpoint that gave way. */
const RESUMABLE: readonly (Reason | null)[] = [
  'runner_lost',
  'over_budget',
  'max_steps',
  'wall',
  'stall',
  'engine_error',
  'auth',
  'quota',
  'rate_limited',
  'grader_error',
  'storage',
];

export function isResumable(record: Pick<JobRecord, 'state' | 'reason'>): boolean {
  return (record.state === 'failed' || record.state === 'timeout') && RESUMABLE.includes(record.reason);
}

/**
 * What a resumed job may still spend, in US dollars: what it may spend in all, less what it and the turns it was
 * resumed from have spent. Never negative. A cost nobody knows counts as nothing: tokens are capped then.
 */
export function budgetLeft(inAll: number, spent: readonly (number | null)[]): number {
  const sum = spent.reduce<number>((total, usd) => total + (usd ?? 0), 0);
  return Math.max(0, Math.round((inAll - sum) * 1e6) / 1e6);
}
