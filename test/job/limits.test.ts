import { describe, expect, it } from 'vitest';
import type { Spend } from '../../src/job/cost.ts';
import { DEFAULT_LIMITS, limitReached } from '../../src/job/limits.ts';

const spent = (
  usd: number | null,
  tokens: number,
  basis: Spend['basis'] = usd === null ? 'unknown' : 'user',
): Spend => ({
  usage: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 },
  usd,
  basis,
});

describe('before a model call', () => {
  it.each([
    ['nothing spent', {}, spent(0, 0), 0, null],
    ['the budget just not reached', {}, spent(4.999, 100), 5, null],
    ['the budget reached', {}, spent(5, 100), 5, 'over_budget'],
    ['an explicit budget of 0', { budgetUsd: 0 }, spent(0, 0), 0, 'over_budget'],
    ['the last step', { maxSteps: 3 }, spent(0, 0), 3, 'max_steps'],
    ['no step allowed at all', { maxSteps: 0 }, spent(0, 0), 0, 'max_steps'],
    ['no price, tokens below the cap', {}, spent(null, 4_999_999), 5, null],
    ['no price, tokens at the cap', {}, spent(null, 5_000_000), 5, 'over_budget'],
    ['a free model at the cap of tokens', {}, spent(0, 5_000_000), 5, 'over_budget'],
    ['a part without a price at the cap of tokens', {}, spent(1, 5_000_000, 'partial'), 5, 'over_budget'],
    ['a priced model far over the cap of tokens', {}, spent(1, 50_000_000), 5, null],
  ] as const)('%s', (_name, change, spend, steps, reason) => {
    const stop = limitReached({ ...DEFAULT_LIMITS, ...change }, spend, steps);
    expect(stop && 'reason' in stop ? stop.reason : null).toBe(reason);
  });
});
