import { describe, expect, it } from 'vitest';
import { readUsage } from '../../../src/engine/http/read-usage.ts';
import { createNativeEngine } from '../../../src/engine/native/engine.ts';
import type { Turn } from '../../../src/engine/scripted/turn.ts';
import { eventsOf, fastClock, finish, modelRef, scripted, spent } from '../harness.ts';

const usage = { prompt: 100, output: 10, cacheRead: 40, cost: 0.00123 };

async function spend(turn: Turn) {
  const model = await scripted([turn]);
  return finish({ engine: createNativeEngine(fastClock()), models: [modelRef(model, 'openai-chat')] });
}

describe('usage of a request', () => {
  it.each(['last', 'null_in_others', 'every'] as const)(
    'is counted once when it is in: %s',
    async (usageIn) => {
      const { events } = await spend({ text: 'x'.repeat(2000), usage, usageIn });
      expect(spent(events).usage).toEqual({ input: 60, output: 10, cacheRead: 40, cacheWrite: 0 });
    },
  );

  it('takes the price the endpoint reported', async () => {
    const { events } = await spend({ text: 'done', usage });
    expect(spent(events)).toMatchObject({ usd: 0.00123, basis: 'reported' });
  });

  it('is estimated from the text, and said to be, when the endpoint reports none', async () => {
    const { events } = await spend({ text: 'x'.repeat(400), usage: null });
    const [event] = eventsOf(events, 'spend');
    expect(event).toMatchObject({
      estimated: true,
      spend: { usd: null, basis: 'unknown', usage: { output: 100 } },
    });
    expect(event?.spend.usage.input).toBeGreaterThan(5);
  });

  it('never falls below zero when more is cached than asked', async () => {
    const { events } = await spend({ text: 'done', usage: { prompt: 10, output: 1, cacheRead: 50 } });
    expect(spent(events).usage).toMatchObject({ input: 0, cacheRead: 50 });
  });
});

describe('readUsage', () => {
  it.each([
    {
      name: 'DeepSeek',
      chunk: { usage: { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 4 } },
      cacheRead: 4,
    },
    {
      name: 'Moonshot',
      chunk: { usage: { prompt_tokens: 9, completion_tokens: 1, cached_tokens: 3 } },
      cacheRead: 3,
    },
  ])('knows how $name counts its cache', ({ chunk, cacheRead }) => {
    expect(readUsage(chunk, null)?.usage).toMatchObject({ input: 9 - cacheRead, cacheRead });
  });

  it.each([{ usage: null }, { usage: {} }, {}, 'text', null])('makes nothing of %j', (chunk) => {
    expect(readUsage(chunk, null)).toBeNull();
  });
});
