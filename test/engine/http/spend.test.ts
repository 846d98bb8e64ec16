import { describe, expect, it } from 'vitest';
import type { ModelRef } from '../../../src/engine/engine.ts';
import { readUsage } from '../../../src/engine/http/read-usage.ts';
import { spendOf } from '../../../src/engine/http/spend.ts';
import { billingOf } from '../../../src/engine/http/usage.ts';

const USAGE = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };

function ref(change: Partial<ModelRef>): ModelRef {
  return {
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    api: 'anthropic',
    baseUrl: 'http://127.0.0.1:1/v1',
    apiKey: null,
    headers: {},
    prices: { input: 100, output: 0 },
    priceBasis: 'table',
    contextWindow: null,
    maxOutput: null,
    ...change,
  };
}

const NONE = { prices: null, priceBasis: undefined };
const OWN = { provider: 'openai-compatible', model: 'mine', priceBasis: undefined };

describe('the charge of a request', () => {
  it.each<[string, Partial<ModelRef>, string, number | null, string]>([
    ['has the prices of the model that was asked', {}, 'claude-sonnet-4-5', 100, 'table'],
    ['has them for a dated build of it', {}, 'claude-sonnet-4-5-20250929', 100, 'table'],
    ['has those of another one that answered', {}, 'claude-haiku-4-5', 1, 'table'],
    ['is unknown where nobody knows that one', {}, 'claude-of-next-year', null, 'unknown'],
    ['is unknown without a price', NONE, 'claude-sonnet-4-5', null, 'unknown'],
    [
      'is known where only the one that answered is',
      { ...NONE, model: 'my-name' },
      'claude-haiku-4-5',
      1,
      'table',
    ],
    ['is as the user has set it, whatever the endpoint calls itself', OWN, 'gpt-5', 100, 'user'],
    ['is not that of a namesake elsewhere', { ...OWN, ...NONE }, 'gpt-5', null, 'unknown'],
    ['is nothing on a subscription', { priceBasis: 'subscription' }, 'any', 0, 'subscription'],
    [
      'is nothing on this machine',
      { provider: 'ollama', prices: { input: 0, output: 0 } },
      'other',
      0,
      'table',
    ],
    ['is nothing for a price of 0', { prices: { input: 0, output: 0 }, priceBasis: 'user' }, 'x', 0, 'user'],
  ])('%s', async (_name, change, answered, usd, basis) => {
    const charge = await spendOf({ usage: USAGE, cost: null, estimated: false }, ref(change), answered);
    expect(charge.spend).toEqual({ usage: USAGE, usd, basis });
    expect(charge.prices === null).toBe(usd === null);
  });

  it('is what the endpoint reported, before any price', async () => {
    const charge = await spendOf({ usage: USAGE, cost: 0.00123, estimated: false }, ref({}), 'x');
    expect(charge).toEqual({ spend: { usage: USAGE, usd: 0.00123, basis: 'reported' }, prices: null });
  });

  it('has the price of a long prompt for the whole of it', async () => {
    const tiers = [{ above: 999_999, input: 200, output: 0 }];
    const model = ref({ prices: { input: 100, output: 0, tiers } });
    const charge = await spendOf({ usage: USAGE, cost: null, estimated: false }, model, model.model);
    expect(charge.spend.usd).toBe(200);
  });

  it('counts thinking once: it is part of the output', async () => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 500,
      completion_tokens_details: { reasoning_tokens: 400 },
      prompt_tokens_details: { cached_tokens: 600 },
    };
    const billing = billingOf(readUsage({ usage }, null), { input: 0, output: 0 }, true);
    const model = ref({ prices: { input: 10, output: 20, cacheRead: 1 } });
    // 400 x 10 + 600 x 1 + 500 x 20 = 4,000 + 600 + 10,000
    expect((await spendOf(billing, model, model.model)).spend.usd).toBeCloseTo(0.0146, 12);
  });
});
