import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withKnownPrices } from '../../src/provider/price-models.ts';
import type { ModelResolution, ReadyModel } from '../../src/provider/resolve-model.ts';
import { ensureFolder } from '../../src/store/folders.ts';
import { makeFolder } from '../helpers/repository.ts';

function ready(provider: string, model: string, change: Partial<ReadyModel['endpoint']> = {}): ReadyModel {
  const endpoint = {
    provider,
    model,
    api: 'openai-chat',
    baseUrl: provider === 'openrouter' ? 'https://openrouter.ai/api/v1' : 'http://127.0.0.1:1/v1',
    headers: {},
    prices: null,
    contextWindow: null,
    maxOutput: null,
    ...change,
  } as const;
  return { endpoint, key: 'k', keySource: { kind: 'none' } };
}

function resolution(primary: ReadyModel, change: Partial<ModelResolution> = {}): ModelResolution {
  return {
    name: 'x',
    modelSource: 'flag',
    profile: null,
    primary,
    fallbacks: [],
    grader: null,
    graderFallbacks: [],
    roles: {},
    small: null,
    engine: 'native',
    permissionMode: null,
    notices: [],
    ...change,
  };
}

/** A proxy on this machine that lets nothing through, and counts who asked. */
async function shut() {
  const asked: string[] = [];
  const server = createServer().on('connect', ({ url }, socket) => {
    asked.push(url ?? '');
    socket.end('HTTP/1.1 503 Shut\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const env = {
    CC_DELEGATE_HOME: makeFolder(),
    HTTPS_PROXY: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  return { asked, env };
}

describe('what is known of the models of a job', () => {
  it('is filled in for each of them', async () => {
    const { env, asked } = await shut();
    const own = { prices: { input: 1, output: 2 }, contextWindow: 9, maxOutput: 5 };
    const filled = await withKnownPrices(
      resolution(ready('deepseek', 'deepseek-v4-pro'), {
        fallbacks: [ready('openai', 'gpt-5', own), ready('openai-compatible', 'gpt-5')],
        grader: ready('ollama', 'qwen3'),
        small: ready('copilot', 'gpt-6-luna'),
      }),
      env,
    );
    expect(filled.primary).toMatchObject({
      endpoint: { prices: { input: 1.32, output: 3.96 }, priceBasis: 'table', contextWindow: 200_000 },
      priced: { source: 'genai-prices' },
    });
    expect(filled.fallbacks[0]).toEqual(ready('openai', 'gpt-5', own));
    expect(filled.fallbacks[1]).toEqual(ready('openai-compatible', 'gpt-5'));
    expect(filled.grader).toMatchObject({
      endpoint: { prices: { input: 0, output: 0 }, priceBasis: 'table' },
      priced: { source: 'free' },
    });
    expect(filled.small).toMatchObject({
      endpoint: { prices: { input: 0, output: 0 }, priceBasis: 'subscription' },
      priced: { source: 'subscription' },
    });
    expect(asked).toEqual([]);
  });

  it.each<[string, Parameters<typeof ready>, number | null]>([
    ['a comfortable part of a catalogue’s large one', ['deepseek', 'deepseek-v4-pro'], 200_000],
    ['a catalogue’s smaller one whole', ['openai', 'gpt-4o'], 128_000],
    [
      'what the profile says, however much',
      ['deepseek', 'deepseek-v4-pro', { contextWindow: 1_000_000 }],
      1_000_000,
    ],
    ['nothing where nobody knows', ['openai-compatible', 'gpt-5'], null],
  ])('takes for the context %s', async (_name, model, context) => {
    const { env } = await shut();
    const { primary } = await withKnownPrices(resolution(ready(...model)), env);
    expect(primary.endpoint.contextWindow).toBe(context);
  });

  it.each<[string, Parameters<typeof ready>, number | null]>([
    ['as a protocol wants it that must be told', ['minimax', 'MiniMax-M3', { api: 'anthropic' }], 32_768],
    [
      'never more than a quarter of the context',
      ['groq', 'openai/gpt-oss-120b', { api: 'anthropic' }],
      32_768,
    ],
    ['as it is known', ['openai', 'gpt-4o', { api: 'anthropic' }], 16_384],
    ['as little as nobody knows', ['anthropic', 'claude-of-next-year', { api: 'anthropic' }], null],
    ['as the user says', ['minimax', 'MiniMax-M3', { api: 'anthropic', maxOutput: 7 }], 7],
    ['left to the endpoint elsewhere', ['moonshot', 'kimi-k3'], null],
  ])('limits an answer %s', async (_name, model, limit) => {
    const { env } = await shut();
    const { primary } = await withKnownPrices(resolution(ready(...model)), env);
    expect(primary.endpoint.maxOutput).toBe(limit);
  });
});

describe('the public list of OpenRouter', () => {
  const model = () => resolution(ready('openrouter', 'anthropic/claude-haiku-4.5'));

  function keep(home: string, at: string) {
    ensureFolder(join(home, 'catalogue'));
    const file = { schema: 1, at, baseUrl: 'https://openrouter.ai/api/v1', models: [] };
    writeFileSync(join(home, 'catalogue', 'openrouter.json'), JSON.stringify(file));
  }

  it('is asked for when it was never heard; without it the job goes on with what is shipped', async () => {
    const { env, asked } = await shut();
    const { primary } = await withKnownPrices(model(), env);
    expect(asked).toEqual(['openrouter.ai:443']);
    expect(primary.priced?.source).toBe('genai-prices');
    expect(existsSync(join(env.CC_DELEGATE_HOME, 'catalogue'))).toBe(false);
  });

  it.each([
    ['2026-11-21T00:00:00.000Z', 0],
    ['2026-11-01T00:00:00.000Z', 1],
  ])('that was heard at %s is asked for %i times', async (at, times) => {
    const { env, asked } = await shut();
    keep(env.CC_DELEGATE_HOME, at);
    await withKnownPrices(model(), env);
    expect(asked).toHaveLength(times);
  });

  it.each<[string, Parameters<typeof ready>]>([
    ['another endpoint', ['openrouter', 'x/y', { baseUrl: 'https://router.example/v1' }]],
    ['a model the user has priced', ['openrouter', 'x/y', { prices: { input: 1, output: 1 } }]],
    ['another provider', ['openai', 'gpt-5']],
  ])('is not asked for %s', async (_name, of) => {
    const { env, asked } = await shut();
    await withKnownPrices(resolution(ready(...of)), env);
    expect(asked).toEqual([]);
  });
});
