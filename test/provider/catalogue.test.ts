import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRouterBalance } from '../../src/provider/balance.ts';
import { fromWire, shippedCatalogue } from '../../src/provider/catalogue.ts';
import { liveCatalogue } from '../../src/provider/live-catalogue.ts';
import { PROVIDERS } from '../../src/provider/providers.ts';
import { makeFolder } from '../helpers/repository.ts';

const NOW = Date.parse('2026-11-29T10:00:00.000Z');
const HOUR = 3600 * 1000;

const LISTED = {
  id: 'vendor/model',
  context_length: 131_072,
  supported_parameters: ['temperature', 'tools'],
  top_provider: { max_completion_tokens: 8192 },
  pricing: { prompt: '0.00000015', completion: '0.0000006', input_cache_read: '0.000000015' },
};

/** An endpoint on this machine; `answers` by path. */
async function endpoint(
  answers: Record<string, { status?: number; body?: unknown; headers?: Record<string, string> }>,
) {
  const requests: { path: string; authorization: string | undefined }[] = [];
  const server: Server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', authorization: request.headers.authorization });
    const { status = 200, body = '', headers = {} } = answers[request.url ?? ''] ?? { status: 404 };
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(() => (server.listening ? stop() : undefined));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, stop };
}

describe('what a list of models says', () => {
  it.each<[string, object, object | null]>([
    [
      'a model with tools',
      {},
      {
        id: 'vendor/model',
        context: 131_072,
        maxOutput: 8192,
        prices: { input: 0.15, output: 0.6, cacheRead: 0.015 },
      },
    ],
    ['no model without tools', { supported_parameters: ['temperature'] }, null],
    ['no model that says nothing of tools', { supported_parameters: null }, null],
    ['a free model', { pricing: { prompt: '0', completion: '0' } }, { prices: { input: 0, output: 0 } }],
    [
      'a price that depends on the request',
      { pricing: { prompt: '-1', completion: '-1' } },
      { prices: null },
    ],
    ['no price', { pricing: null }, { prices: null }],
    ['a price that is no number', { pricing: { prompt: 'x', completion: '1' } }, { prices: null }],
    ['unknown sizes', { context_length: null, top_provider: null }, { context: null, maxOutput: null }],
  ])('knows %s', (_name, change, expected) => {
    const models = fromWire('openrouter', { data: [{ ...LISTED, ...change }] });
    if (expected === null) expect(models).toEqual([]);
    else expect(models).toMatchObject([{ provider: 'openrouter', ...expected }]);
  });

  it.each([null, [], { data: {} }, { data: [{ id: 7 }] }, 'text'])(
    'is nothing when it has another form: %j',
    (answer) => {
      expect(fromWire('openrouter', answer)).toBeNull();
    },
  );
});

/** No public list has them. */
const UNLISTED = ['qwen'];

it('ships the default models of the providers, with a price where they have one', async () => {
  const { models, at } = await shippedCatalogue();
  expect(Date.parse(at)).toBeLessThan(Date.now());
  for (const { id, billing, defaultModel, smallModel } of PROVIDERS) {
    if (UNLISTED.includes(id)) continue;
    for (const name of [defaultModel, smallModel].filter((each) => each !== null)) {
      const listed = models.find((model) => model.provider === id && model.id === name);
      expect(listed, `${id}:${name}`).toBeDefined();
      expect(listed?.prices === null, `${id}:${name}`).toBe(billing === 'subscription');
    }
  }
  expect(models.length).toBeGreaterThan(700);
  for (const { id, prices } of models) if (prices?.input === 0) expect(id).toMatch(/:free$/);
});

it('ships models of providers that there are, in a file that stays small', async () => {
  const { models } = await shippedCatalogue();
  const known = new Set(PROVIDERS.map(({ id }) => id));
  expect(models.filter(({ provider }) => !known.has(provider))).toEqual([]);
  const file = new URL('../../src/provider/catalogue-snapshot.json', import.meta.url);
  expect(statSync(file).size).toBeLessThan(300 * 1024);
});

describe('the list of a provider', () => {
  const answers = { '/models': { body: { data: [LISTED] } } };

  async function scene(given: Parameters<typeof endpoint>[0] = answers) {
    const home = makeFolder();
    const { url, requests, stop } = await endpoint(given);
    const ask = (change: { refresh?: boolean; now?: number; baseUrl?: string } = {}) =>
      liveCatalogue({
        provider: 'openrouter',
        baseUrl: url,
        env: { CC_DELEGATE_HOME: home },
        refresh: false,
        now: NOW,
        ...change,
      });
    return { ask, requests, stop, home, file: join(home, 'catalogue', 'openrouter.json') };
  }

  it('is asked for once a day, without a key, and on request', async () => {
    const { ask, requests } = await scene();
    expect(await ask()).toMatchObject({
      source: 'live',
      at: '2026-11-29T10:00:00.000Z',
      note: null,
      models: [{ id: 'vendor/model' }],
    });
    expect(await ask({ now: NOW + 23 * HOUR })).toMatchObject({
      source: 'cache',
      note: null,
      models: [{ id: 'vendor/model' }],
    });
    expect(requests).toEqual([{ path: '/models', authorization: undefined }]);
    expect(await ask({ now: NOW + 25 * HOUR })).toMatchObject({ source: 'live' });
    expect(await ask({ now: NOW + 25 * HOUR, refresh: true })).toMatchObject({ source: 'live' });
    // A clock that was set back.
    expect(await ask({ now: NOW })).toMatchObject({ source: 'live' });
    expect(requests).toHaveLength(4);
  });

  it('is an old one when the provider cannot be asked, and says so', async () => {
    const { ask, stop } = await scene();
    await ask();
    await stop();
    expect(await ask({ now: NOW + 900 * HOUR })).toMatchObject({
      source: 'cache',
      at: '2026-11-29T10:00:00.000Z',
      note: 'openrouter could not be asked: ECONNREFUSED',
      models: [{ id: 'vendor/model' }],
    });
  });

  it.each<[string, Parameters<typeof endpoint>[0], string]>([
    ['an error', { '/models': { status: 503 } }, 'it answered 503'],
    ['no JSON', { '/models': { body: '<html>' } }, 'its answer is no JSON'],
    ['something else', { '/models': { body: { data: 7 } } }, 'its answer is no list of models'],
    ['nobody', { '/models': { body: { data: [] } } }, 'its answer is no list of models'],
    [
      'a way elsewhere',
      { '/models': { status: 302, headers: { location: '/other' } }, '/other': { body: { data: [LISTED] } } },
      'it answered 302',
    ],
    ['too much', { '/models': { body: ' '.repeat(17 * 1024 * 1024) } }, 'its answer is too long'],
  ])('is the shipped one when the provider answers %s', async (_name, given, why) => {
    const { ask } = await scene(given);
    const heard = await ask();
    expect(heard).toMatchObject({ source: 'shipped', note: `openrouter could not be asked: ${why}` });
    expect(heard.models.length).toBeGreaterThan(100);
    expect(new Set(heard.models.map(({ provider }) => provider))).toEqual(new Set(['openrouter']));
  });

  it('is not that of another endpoint, nor one that is torn', async () => {
    const { ask, requests, file, stop } = await scene();
    await ask();
    expect(await ask({ baseUrl: 'http://127.0.0.1:1' })).toMatchObject({ source: 'shipped' });
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 40));
    expect(await ask()).toMatchObject({ source: 'live' });
    expect(requests).toHaveLength(2);
    await stop();
  });

  it('is shown even if it cannot be kept', async () => {
    const { ask, home, requests } = await scene();
    writeFileSync(join(home, 'catalogue'), 'a file where a folder should be');
    expect(await ask()).toMatchObject({ source: 'live', note: 'the list could not be kept for later' });
    expect(requests).toHaveLength(1);
  });
});

describe('a balance', () => {
  const key = { body: { data: { label: 'x', limit: 10, limit_remaining: 7.5, usage: 2.5 } } };
  it.each<[string, Parameters<typeof endpoint>[0], object]>([
    [
      'credits',
      { '/credits': { body: { data: { total_credits: 20, total_usage: 12.5 } } }, '/key': key },
      { kind: 'credits', left: 7.5, used: 12.5 },
    ],
    [
      'limits of the key where credits are not for it',
      { '/credits': { status: 403 }, '/key': key },
      { kind: 'key', left: 7.5, used: 2.5 },
    ],
    [
      'a key without a limit',
      { '/key': { body: { data: { limit_remaining: null, usage: 1 } } } },
      { kind: 'key', left: null, used: 1 },
    ],
    [
      'a key that is refused',
      { '/credits': { status: 401 }, '/key': { status: 401 } },
      { kind: 'unknown', why: 'the key was refused' },
    ],
    [
      'an error',
      { '/key': { status: 500, body: 'secret-key' } },
      { kind: 'unknown', why: 'it answered 500' },
    ],
    ['another form', { '/key': { body: {} } }, { kind: 'unknown', why: 'its answer is of another form' }],
  ])('is %s', async (_name, given, expected) => {
    const { url, requests } = await endpoint(given);
    expect(await openRouterBalance(url, 'secret-key', {})).toEqual(expected);
    expect(requests.every(({ authorization }) => authorization === 'Bearer secret-key')).toBe(true);
  });
});
