import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { disjointUsage, priceUsage } from '../../src/job/cost.ts';
import { type PriceSource, pricesFor } from '../../src/provider/prices.ts';
import { ensureFolder } from '../../src/store/folders.ts';
import { makeFolder } from '../helpers/repository.ts';

interface Shape {
  readonly input: number;
  readonly output: number;
  readonly read?: number;
  readonly write?: number;
}

async function costOf(provider: string, model: string, { input, output, read = 0, write = 0 }: Shape) {
  const found = await pricesFor({ provider, model, env: null });
  if (found === null) return null;
  const usd = priceUsage({ input, output, cacheRead: read, cacheWrite: write }, found.prices);
  return { usd, source: found.source };
}

/** The arithmetic stands in each row: tokens times dollars per million, by hand. */
const FIGURES: readonly [string, string, Shape, number, PriceSource][] = [
  // A dated build: 10k x 3 + 50k x 0.3 + 4k x 3.75 + 2k x 15 = 30,000 + 15,000 + 15,000 + 30,000
  [
    'anthropic',
    'claude-sonnet-4-5-20250929',
    { input: 10_000, read: 50_000, write: 4_000, output: 2_000 },
    0.09,
    'snapshot',
  ],
  // 200 x 1 + 100k x 0.1 + 1k x 1.25 + 800 x 5 = 200 + 10,000 + 1,250 + 4,000
  [
    'anthropic',
    'claude-haiku-4-5',
    { input: 200, read: 100_000, write: 1_000, output: 800 },
    0.01545,
    'genai-prices',
  ],
  // Just at the bound of 100,000: 40k x 0.1 + 60k x 0.01 + 1k x 0.5 = 4,000 + 600 + 500
  ['anthropic', 'claude-haiku-5-5', { input: 40_000, read: 60_000, output: 1_000 }, 0.0051, 'snapshot'],
  // One token more, and all of it is dearer: 40,001 x 0.5 + 60k x 0.05 + 1k x 2.5 = 20,000.5 + 3,000 + 2,500
  ['anthropic', 'claude-haiku-5-5', { input: 40_001, read: 60_000, output: 1_000 }, 0.0255005, 'snapshot'],
  // 5,005 x 1.25 + 257,955 x 0.125 + 1,744 x 10 = 6,256.25 + 32,244.375 + 17,440
  ['openai', 'gpt-5-2025-08-07', { input: 5_005, read: 257_955, output: 1_744 }, 0.055940625, 'genai-prices'],
  // No price for its cache, so it is input: 10k x 15 + 500 x 120 = 150,000 + 60,000
  ['openai', 'gpt-5-pro', { input: 1_000, read: 9_000, output: 500 }, 0.21, 'genai-prices'],
  // Above 272,000: 100k x 5 + 200k x 0.5 + 10k x 22.5 = 500,000 + 100,000 + 225,000
  ['openai', 'gpt-5.4', { input: 100_000, read: 200_000, output: 10_000 }, 0.825, 'genai-prices'],
  // 100k x 0.27 + 900k x 0.07 + 50k x 1.1 = 27,000 + 63,000 + 55,000; at night it is half of it
  ['deepseek', 'deepseek-chat', { input: 100_000, read: 900_000, output: 50_000 }, 0.145, 'genai-prices'],
  // 1k x 1.32 + 1k x 3.96: the dearest hours of its day
  ['deepseek', 'DeepSeek-V4-Pro', { input: 1_000, output: 1_000 }, 0.00528, 'genai-prices'],
  // Above 512,000: 100k x 0.6 + 500k x 0.12 + 10k x 2.4 = 60,000 + 60,000 + 24,000
  ['minimax', 'MiniMax-M3', { input: 100_000, read: 500_000, output: 10_000 }, 0.144, 'genai-prices'],
  // 20k x 0.95 + 180k x 0.19 + 5k x 4 = 19,000 + 34,200 + 20,000
  ['moonshot', 'kimi-k2.7-code', { input: 20_000, read: 180_000, output: 5_000 }, 0.0732, 'genai-prices'],
  // 10k x 0.6 + 40k x 0.11 + 2k x 2.2 = 6,000 + 4,400 + 4,400
  ['zai', 'z-ai/GLM-4.7', { input: 10_000, read: 40_000, output: 2_000 }, 0.0148, 'snapshot'],
  // Above 200,000: 50,001 x 2.5 + 150k x 0.25 + 4k x 15 = 125,002.5 + 37,500 + 60,000
  [
    'google',
    'models/gemini-2.5-pro',
    { input: 50_001, read: 150_000, output: 4_000 },
    0.2225025,
    'genai-prices',
  ],
  // 30k x 2 + 120k x 0.5 + 10k x 6 = 60,000 + 60,000 + 60,000
  ['xai', 'grok-4.7', { input: 30_000, read: 120_000, output: 10_000 }, 0.18, 'snapshot'],
  // 10k x 0.15 + 20k x 0.075 + 1k x 0.6 = 1,500 + 1,500 + 600
  ['groq', 'openai/gpt-oss-120b', { input: 10_000, read: 20_000, output: 1_000 }, 0.0036, 'genai-prices'],
  // 100k x 0.4 + 100k x 0.04 + 10k x 2 = 40,000 + 4,000 + 20,000
  ['mistral', 'devstral-latest', { input: 100_000, read: 100_000, output: 10_000 }, 0.064, 'snapshot'],
  // 10k x 2 + 100k x 0.1 + 8k x 2.5 + 1k x 10 = 20,000 + 10,000 + 20,000 + 10,000
  [
    'bedrock',
    'global.anthropic.claude-sonnet-5-5',
    { input: 10_000, read: 100_000, write: 8_000, output: 1_000 },
    0.06,
    'snapshot',
  ],
  // 8k x 1.25 + 80k x 0.125 + 1k x 10
  ['azure', 'gpt-5', { input: 8_000, read: 80_000, output: 1_000 }, 0.03, 'snapshot'],
  // 1k x 3 + 1k x 15
  ['vertex', 'claude-sonnet-4-5@20250929', { input: 1_000, output: 1_000 }, 0.018, 'genai-prices'],
  // Nothing, and known to be nothing.
  ['openrouter', 'vendor/anything:free', { input: 1_000_000, output: 1_000_000 }, 0, 'free'],
  ['ollama', 'qwen3:8b', { input: 1_000_000, output: 1_000_000 }, 0, 'free'],
  ['copilot', 'claude-sonnet-5.5', { input: 1_000_000, output: 1_000_000 }, 0, 'subscription'],
  ['chatgpt', 'gpt-of-next-year', { input: 1_000_000, output: 1_000_000 }, 0, 'subscription'],
];

describe('what a request costs', () => {
  it.each(FIGURES)('%s %s, %j: $%d', async (provider, model, shape, usd, source) => {
    const cost = await costOf(provider, model, shape);
    expect(cost?.source).toBe(source);
    expect(cost?.usd).toBeCloseTo(usd, 12);
  });

  it('bills the example of MOD-13 once, and its thinking not on top of its output', async () => {
    const usage = disjointUsage({ prompt: 262_960, output: 1_744, cacheRead: 257_955, cacheWrite: 0 });
    const found = await pricesFor({ provider: 'openai', model: 'gpt-5', env: null });
    expect(found && priceUsage(usage, found.prices)).toBeCloseTo(0.055940625, 12);
  });

  it.each([
    ['openai', 'gpt-5-ultra'],
    ['openai', 'gpt-5-mini-plus'],
    ['openai', 'gpt'],
    ['openai', ''],
    ['anthropic', 'claude-sonnet'],
    ['anthropic', 'gpt-5'],
    ['openai', 'deepseek-chat'],
    ['groq', 'gpt-5'],
    ['openrouter', 'gpt-5'],
    ['openrouter', 'openrouter/auto'],
    ['openai-compatible', 'gpt-5'],
    ['anthropic-compatible', 'claude-sonnet-4-5'],
    ['zai', 'glm-5.3-highspeed'],
    ['nobody', 'gpt-5'],
  ])('is unknown, and not 0, for %s %j', async (provider, model) => {
    expect(await pricesFor({ provider, model, env: null })).toBeNull();
  });
});

describe('the list of the provider itself', () => {
  const BASE = 'https://openrouter.ai/api/v1';

  function heard(change: { at?: string; baseUrl?: string; models?: readonly object[] } = {}) {
    const home = makeFolder();
    ensureFolder(join(home, 'catalogue'));
    const model = {
      provider: 'openrouter',
      id: 'deepseek/deepseek-v4-flash-0731',
      context: 5000,
      maxOutput: 500,
      prices: { input: 7, output: 8, cacheRead: 9 },
    };
    const file = { schema: 1, at: '2026-11-28T00:00:00.000Z', baseUrl: BASE, models: [model], ...change };
    writeFileSync(join(home, 'catalogue', 'openrouter.json'), JSON.stringify(file));
    return { CC_DELEGATE_HOME: home };
  }

  const ask = (env: Record<string, string>, model: string, baseUrl?: string) =>
    pricesFor({ provider: 'openrouter', model, env, baseUrl });

  it.each(['deepseek/deepseek-v4-flash-0731', 'DeepSeek/deepseek-v4-flash-0731:nitro'])(
    'comes before any other, with its age: %s',
    async (model) => {
      expect(await ask(heard(), model)).toEqual({
        prices: { input: 7, output: 8, cacheRead: 9 },
        source: 'live',
        at: '2026-11-28T00:00:00.000Z',
      });
    },
  );

  it('leaves the models it has not to the others', async () => {
    const found = await ask(heard(), 'anthropic/claude-haiku-4.5');
    expect(found).toMatchObject({ source: 'genai-prices', prices: { input: 1, output: 5 } });
  });

  it.each<[string, Parameters<typeof heard>[0], string | undefined]>([
    ['older than this program', { at: '2026-11-01T00:00:00.000Z' }, undefined],
    ['heard at another place', { baseUrl: 'http://127.0.0.1:1/v1' }, undefined],
    ['for another place', {}, 'http://127.0.0.1:1/v1'],
    ['torn', { models: [{ id: 7 }] }, undefined],
  ])('does not count when it is %s', async (_name, change, baseUrl) => {
    const found = await ask(heard(change), 'deepseek/deepseek-v4-flash-0731', baseUrl);
    expect(found?.source).toBe('snapshot');
  });

  it('makes a price unknown that it says is not the same for all requests', async () => {
    const model = {
      provider: 'openrouter',
      id: 'deepseek/deepseek-chat',
      context: 1,
      maxOutput: null,
      prices: null,
    };
    expect(await ask(heard({ models: [model] }), 'deepseek/deepseek-chat')).toBeNull();
  });
});
