import { describe, expect, it } from 'vitest';
import { addSpend, disjointUsage, NO_SPEND, priceUsage, type Spend } from '../../src/job/cost.ts';

const usage = (input: number, output = 0) => ({ input, output, cacheRead: 0, cacheWrite: 0 });
const call = (usd: number | null, basis: Spend['basis']): Spend => ({ usage: usage(100, 10), usd, basis });

describe('what a call costs', () => {
  it('bills cached tokens once, at their own price (MOD-13)', () => {
    const used = disjointUsage({ prompt: 262_960, output: 1744, cacheRead: 257_955, cacheWrite: 0 });
    expect(priceUsage(used, { input: 1.25, output: 10, cacheRead: 0.3125 })).toBeCloseTo(0.104307, 6);
  });

  it('bills a cache without a price as input, and never below zero', () => {
    const used = disjointUsage({ prompt: 100, output: 0, cacheRead: 400, cacheWrite: 0 });
    expect(used.input).toBe(0);
    expect(priceUsage(used, { input: 1, output: 1 })).toBeCloseTo(400e-6, 12);
  });

  it('takes a price of zero as a price (MOD-17)', () => {
    expect(priceUsage(usage(1e6, 1e6), { input: 0, output: 0 })).toBe(0);
  });
});

describe('a sum of calls', () => {
  it.each([
    ['known and known', [call(1, 'user'), call(2, 'user')], 3, 'user'],
    ['unknown alone', [call(null, 'unknown')], null, 'unknown'],
    ['unknown twice', [call(null, 'unknown'), call(null, 'unknown')], null, 'unknown'],
    ['known, then unknown', [call(1, 'user'), call(null, 'unknown')], 1, 'partial'],
    ['unknown, then known', [call(null, 'unknown'), call(1, 'user')], 1, 'partial'],
    ['reported and from a table', [call(1, 'reported'), call(1, 'table')], 2, 'table'],
    ['free', [call(0, 'user'), call(0, 'user')], 0, 'user'],
  ] as const)('%s', (_name, calls, usd, basis) => {
    const sum = calls.reduce(addSpend, NO_SPEND);
    expect(sum).toMatchObject({ usd, basis });
    expect(sum.usage.input).toBe(100 * calls.length);
  });
});
