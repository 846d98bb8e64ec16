import type { FailedReason, TimeoutReason } from './states.ts';

/** What bounds a job. Durations in seconds. A 0 means 0, never "unset". */
export interface Limits {
  readonly maxSteps: number;
  readonly maxGrades: number;
  readonly budgetUsd: number;
  /** The cap that takes the budget's place while a model has no price. */
  readonly maxTokens: number;
  readonly timeout: number;
  readonly stallTimeout: number;
  readonly askTimeout: number;
  readonly commandTimeout: number;
  readonly preflightTimeout: number;
  /** Of the set-up and of the test command in the gate, each. */
  readonly testTimeout: number;
}

/** What all jobs of a day may spend before anybody has said anything else. US dollars. */
export const DEFAULT_DAY_USD = 20;

export const DEFAULT_LIMITS: Limits = {
  maxSteps: 400,
  maxGrades: 6,
  budgetUsd: 5,
  maxTokens: 5_000_000,
  timeout: 30 * 60,
  stallTimeout: 300,
  askTimeout: 600,
  commandTimeout: 120,
  preflightTimeout: 60,
  testTimeout: 600,
};

/** Why a job is stopped from outside the worker. The first one wins and is never overwritten. */
export type Stop =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timeout'; readonly reason: TimeoutReason }
  | { readonly kind: 'failed'; readonly reason: FailedReason; readonly detail: string };

/** Asked before every new step: may it be made? What a call costs is for `budget.ts`. */
export function stepsUsedUp(limits: Pick<Limits, 'maxSteps'>, steps: number): Stop | null {
  if (steps < limits.maxSteps) return null;
  return {
    kind: 'failed',
    reason: 'max_steps',
    detail: `${steps} of ${limits.maxSteps} steps used`,
  };
}

/** How often a worker's model is asked again for one answer, and the longest wait in between. */
export const WORKER_RETRY = { attempts: 4, capMs: 60_000 } as const;
