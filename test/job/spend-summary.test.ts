import { expect, it } from 'vitest';
import { localDay, type SpendRecord } from '../../src/job/spend-record.ts';
import { SpendSum } from '../../src/job/spend-summary.ts';
import { spendRecord } from '../store/fixtures/spend.ts';

const MILLION = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };

function sumOf(...records: readonly SpendRecord[]) {
  const sum = new SpendSum({ input: 5, output: 25, cacheRead: 0.5 });
  for (const record of records) sum.add(record);
  return sum.summary;
}

it('adds up by model that answered, by day and by repository', () => {
  const summary = sumOf(
    spendRecord({ usd: 1, model: 'a', repo: '/x', at: '2026-11-28T12:00:00.000Z' }),
    spendRecord({ usd: 2, asked: 'alias', model: 'a', repo: '/y', at: '2026-11-29T12:00:00.000Z' }),
    spendRecord({ usd: 4, model: 'b', repo: '/y', at: '2026-11-29T12:00:01.000Z' }),
  );
  expect(summary.total).toMatchObject({ calls: 3, usd: 7 });
  expect([...summary.byModel].map(([name, { usd }]) => [name, usd])).toEqual([
    ['test:a', 3],
    ['test:b', 4],
  ]);
  const day = localDay(new Date('2026-11-29T12:00:00.000Z'));
  expect(summary.byDay.get(day)).toMatchObject({ calls: 2, usd: 6 });
  expect(summary.byRepository.get('/y')).toMatchObject({ calls: 2, usd: 6 });
});

it('counts calls of unknown price, and never as free', () => {
  const unknown = spendRecord({ usd: null, basis: 'unknown', model: 'u' });
  expect(sumOf(unknown).total).toMatchObject({ calls: 1, unpricedCalls: 1, usd: null });
  const mixed = sumOf(unknown, spendRecord({ usd: 1 })).total;
  expect(mixed).toMatchObject({ calls: 2, unpricedCalls: 1, usd: 1 });
  expect(sumOf(spendRecord({ usd: 0, basis: 'user' })).total).toMatchObject({ unpricedCalls: 0, usd: 0 });
});

it('keeps subscriptions apart, and out of what was saved', () => {
  const summary = sumOf(
    spendRecord({ usd: 0, basis: 'subscription', usage: MILLION }),
    spendRecord({ usd: null, basis: 'unknown', usage: MILLION }),
    spendRecord({ usd: 1, usage: { ...MILLION, output: 100_000, cacheRead: 1_000_000 } }),
  );
  expect(summary.subscription).toMatchObject({ calls: 1, usage: MILLION, usd: null });
  expect(summary.total).toMatchObject({ usd: 1, subscriptionCalls: 1, unpricedCalls: 1 });
  // By hand: 1M × $5 + 0.1M × $25 + 1M × $0.50.
  expect(summary.compared).toEqual({ calls: 1, spentUsd: 1, otherUsd: 8 });
});
