import { count } from './format.ts';
import { isOlder, type JobId } from './ids.ts';
import type { JobRecord } from './record.ts';

/** How many jobs of one user may run at once. Seconds for the wait. */
export interface Concurrency {
  readonly total: number;
  readonly perProvider: number;
  /** How long a job waits for its slot. */
  readonly queueTimeout: number;
}

export const DEFAULT_CONCURRENCY: Concurrency = { total: 4, perProvider: 4, queueTimeout: 2 * 60 * 60 };

/** What a job waits for before it is prepared. */
export interface QueueTerms extends Concurrency {
  /** The job whose result it starts from; null: none. */
  readonly after: JobId | null;
}

export interface Waiter {
  readonly job: JobId;
  readonly provider: string;
}

/** Who runs and who waits, as read at one moment. */
export interface Crowd {
  /** The providers of the jobs that hold a slot, one entry each. */
  readonly running: readonly string[];
  /** In any order; the job that asks may be among them. */
  readonly waiting: readonly Waiter[];
}

/** May this job take a slot now? `why` is a note for people. */
export type Turn = { readonly kind: 'yes' } | { readonly kind: 'wait'; readonly why: string };

/**
 * The oldest goes first, but nobody waits for a job that could not run either: one whose provider is busy does not
 * hold up those of other providers. Pure; two that ask at the same time may both be told yes, so a claim follows.
 */
export function mayRun(self: Waiter, crowd: Crowd, limits: Concurrency): Turn {
  const running = [...crowd.running];
  const isFull = (provider: string): string | null => {
    if (running.length >= limits.total) return `${running.length} of ${limits.total} jobs run`;
    const same = running.filter((each) => each === provider).length;
    return same >= limits.perProvider ? `${same} of ${limits.perProvider} jobs use ${provider}` : null;
  };
  const now = isFull(self.provider);
  if (now !== null) return { kind: 'wait', why: `waiting for a slot: ${now}` };
  const older = crowd.waiting.filter(({ job }) => isOlder(job, self.job)).sort(oldestFirst);
  for (const { provider } of older) if (isFull(provider) === null) running.push(provider);
  if (isFull(self.provider) === null) return { kind: 'yes' };
  return { kind: 'wait', why: `waiting for a slot: ${count(older.length, 'job')} before it` };
}

function oldestFirst(a: Waiter, b: Waiter): number {
  return isOlder(a.job, b.job) ? -1 : 1;
}

/** Has this job not begun, because of something it waits for? */
export function waitsForItsTurn({ state, progress }: Pick<JobRecord, 'state' | 'progress'>): boolean {
  return state === 'queued' && progress.note !== '';
}
