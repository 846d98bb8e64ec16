import { describe, expect, it } from 'vitest';
import { priceNotice } from '../../../src/cli/plan-terms.ts';
import { perMillion, priceWords } from '../../../src/cli/render/price.ts';
import { DEFAULT_LIMITS } from '../../../src/job/limits.ts';
import type { ReadyModel } from '../../../src/provider/resolve-model.ts';
import { ready } from './ready-model.ts';

const at = '2026-11-28T10:00:00.000Z';
const prices = { input: 0.3, output: 1.2 };
const tiers = [{ above: 512_000, input: 1, output: 2 }];
const free = { input: 0, output: 0 };

describe('a price', () => {
  it.each<[string, ReadyModel]>([
    ["$0.30 in / $1.20 out per M (openrouter's list of 2026-11-28)", ready(prices, { source: 'live', at })],
    [
      '$0.30 in / $1.20 out per M, more above 512k (genai-prices)',
      ready({ ...prices, tiers }, { source: 'genai-prices' }),
    ],
    ['$0.30 in / $1.20 out per M (shipped list of 2026-11-28)', ready(prices, { source: 'snapshot', at })],
    ['$0.30 in / $1.20 out per M (as you have set it)', ready(prices)],
    ['free, as you have set it', ready(free)],
    ['free, nobody charges at openrouter', ready(free, { source: 'free' })],
    ['part of your openrouter plan', ready(free, { source: 'subscription' })],
    ['unknown', ready(null)],
  ])('is said with its source: %s', (words, model) => {
    expect(priceWords(model)).toBe(words);
  });

  it.each([
    [0.047, '0.047'],
    [0.0028, '0.0028'],
    [0.1966, '0.197'],
    [2, '2.00'],
    [0.5, '0.50'],
    [12.5, '12.50'],
  ])('per million of %d is %s', (usd, words) => {
    expect(perMillion(usd)).toBe(words);
  });
});

describe('the notice about a price', () => {
  const notice = (primary: ReadyModel, fallbacks: ReadyModel[] = []) =>
    priceNotice({ name: 'a:b', primary, fallbacks }, DEFAULT_LIMITS);

  it('names what bounds a job whose model or fallback has none, and is silent otherwise', () => {
    expect(notice(ready(null), [ready(null)])).toEqual([
      "the price of a:b is unknown: a cap of 5,000,000 tokens takes the budget's place",
    ]);
    expect(notice(ready(prices), [ready(prices), ready(null)])).toEqual([
      "the price of the fallback openrouter:x/y is unknown: with it a cap of 5,000,000 tokens takes the budget's place",
    ]);
    expect(notice(ready(free), [ready(prices)])).toEqual([]);
  });
});
