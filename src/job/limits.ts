import { type Spend, totalTokens } from './cost.ts';
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

/**
 * Asked before every model call: may it be made? The first call is allowed under any budget above 0,
 * since what it costs is known only afterwards. Without a price the tokens are capped instead.
 */
export function limitReached(limits: Limits, spend: Spend, steps: number): Stop | null {
  if (steps >= limits.maxSteps) return limit('max_steps', `${steps} of ${limits.maxSteps} steps used`);
  if (spend.usd !== null && spend.usd >= limits.budgetUsd) {
    return limit('over_budget', `$${spend.usd.toFixed(4)} of $${limits.budgetUsd} spent`);
  }
  const unpriced = spend.usd === null || spend.basis === 'partial' || spend.usd === 0;
  if (unpriced && totalTokens(spend.usage) >= limits.maxTokens) {
    return limit(
      'over_budget',
      `${totalTokens(spend.usage)} of ${limits.maxTokens} tokens used, price unknown`,
    );
  }
  return null;
}

function limit(reason: FailedReason, detail: string): Stop {
  return { kind: 'failed', reason, detail };
}
