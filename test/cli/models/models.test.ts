import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Known, matching, modelRows } from '../../../src/cli/models/row.ts';
import { verb } from '../../../src/cli/models.ts';
import { makeFolder } from '../../helpers/repository.ts';

const MODEL = { context: 1000, maxOutput: null };

function known(change: Partial<Known> = {}): Known {
  const models = [
    { ...MODEL, provider: 'a', id: 'free', prices: { input: 0, output: 0 } },
    { ...MODEL, provider: 'a', id: 'dear', prices: { input: 5, output: 5 } },
    { ...MODEL, provider: 'a', id: 'cheap', prices: { input: 1, output: 1 } },
    { ...MODEL, provider: 'b', id: 'cheaper', prices: { input: 0.5, output: 0.5 } },
    { ...MODEL, provider: 'a', id: 'unpriced', prices: null },
  ];
  return {
    models,
    profiles: [],
    defaultName: null,
    isAllowed: () => true,
    hasKey: (name) => name === 'a',
    known: (provider, model) => {
      const listed = models.find((each) => each.provider === provider && each.id === model);
      const prices = listed?.prices ?? null;
      const found = prices === null ? null : { prices, source: 'snapshot' as const };
      return { found, context: listed?.context ?? null, maxOutput: null };
    },
    ...change,
  };
}

const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

describe('the order of models', () => {
  it('has those with a key first, by price, free and unpriced ones last', () => {
    expect(names(modelRows(known()))).toEqual(['a:cheap', 'a:dear', 'a:free', 'a:unpriced', 'b:cheaper']);
  });

  it('has the default before all, then models of profiles, then the allowed ones', () => {
    const profiles = [
      { profile: 'x', provider: 'lan', model: 'own', prices: null, contextWindow: 5 },
      { profile: 'y', provider: 'a', model: 'dear', prices: { input: 3, output: 3 }, contextWindow: null },
    ];
    const rows = modelRows(
      known({ profiles, defaultName: 'lan:own', isAllowed: ({ model }) => model !== 'cheap' }),
    );
    expect(names(rows)).toEqual(['lan:own', 'a:dear', 'a:free', 'a:unpriced', 'b:cheaper', 'a:cheap']);
    expect(rows[0]).toMatchObject({ isDefault: true, contextWindow: 5, profiles: ['x'] });
    expect(rows[1]).toMatchObject({ prices: { input: 3 }, contextWindow: 1000, profiles: ['y'] });
  });

  it.each([
    ['CHEAP', ['a:cheap', 'b:cheaper']],
    ['cheap a:', ['a:cheap']],
    ['', ['a:cheap', 'a:dear', 'a:free', 'a:unpriced', 'b:cheaper']],
    ['nosuch', []],
  ])('finds %j', (filter, found) => {
    expect(names(matching(modelRows(known()), filter))).toEqual(found);
  });
});

const KEY = 'sk-or-v1-0f4b6c8d9e1a2b3c4d5e6f708192a3b4';
const LONG = `vendor/${'long-name-'.repeat(9)}`;

/** What OpenRouter answers, on this machine. */
async function openRouter(): Promise<string> {
  const listed = (id: string, prompt: string) => ({
    id,
    context_length: 262_144,
    supported_parameters: ['tools'],
    pricing: { prompt, completion: '0.000002' },
  });
  const models = {
    data: [
      listed('deepseek/deepseek-v4-flash-0731', '0.00000004'),
      listed(LONG, '0.000001'),
      listed('evil/\u001b[31m\u202e', '-1'),
    ],
  };
  const answers: Record<string, unknown> = {
    '/v1/models': models,
    '/v1/key': { data: { limit_remaining: 3.2, usage: 1 } },
  };
  const server = createServer(({ url }, response) => {
    const answer = answers[url ?? ''];
    response.writeHead(answer === undefined ? 403 : 200).end(JSON.stringify(answer ?? { error: KEY }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function models(args: readonly string[], config: object, env: Record<string, string> = {}) {
  const home = makeFolder();
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  return verb.run({
    args,
    cwd: home,
    env: { HOME: home, CC_DELEGATE_HOME: home, PATH: '/usr/bin:/bin', ...env },
    json: false,
    program: '',
    consent: null,
    stdin: process.stdin,
    stderr: () => undefined,
    stdout: () => undefined,
  });
}

describe('the verb', () => {
  it('shows in 80 columns what may be used, and what is left', async () => {
    const profile = {
      provider: 'openrouter',
      model: 'deepseek/deepseek-v4-flash-0731',
      baseUrl: await openRouter(),
    };
    const config = {
      profiles: { cheap: profile },
      allowedModels: ['openrouter:deepseek/deepseek-v4-flash-0731', `openrouter:${LONG}`],
    };
    const { text, exit, json } = await models(['--limit', '9'], config, { OPENROUTER_API_KEY: KEY });
    expect(exit).toBe(0);
    for (const line of text.split('\n')) {
      if (!line.includes(LONG)) expect([...line].length, line).toBeLessThanOrEqual(80);
    }
    expect(text).toMatch(/^\* openrouter:deepseek\/deepseek-v4-flash-0731 +0\.04 +2\.00 +262k$/m);
    expect(text).toMatch(new RegExp(`^ {2}openrouter:${LONG}\\n +1\\.00 +2\\.00 +262k$`, 'm'));
    expect(text).toMatch(/^× openrouter:evil\/\?\[31m\? +unknown +unknown/m);
    expect(text).toContain("prices    the provider's list");
    expect(text).toContain("balance   openrouter: $3.20 left of this key's limit, $1.00 used");
    expect(text).toContain('list      openrouter: as of now · shipped list of 2026-11-20');
    expect(JSON.stringify(json)).not.toContain(KEY);
    expect(json).toMatchObject({
      defaultModel: 'openrouter:deepseek/deepseek-v4-flash-0731',
      balance: { kind: 'key', left: 3.2 },
    });
  });

  it('asks nobody on behalf of a user who uses no such provider', async () => {
    const lan = { provider: 'openai-compatible', model: 'own', baseUrl: 'http://127.0.0.1:1/v1' };
    const { json, text } = await models([], { profiles: { lan } });
    expect(json).toMatchObject({ defaultModel: 'openai-compatible:own', balance: null });
    expect(JSON.stringify(json)).not.toMatch(/"source":"(live|cache)"|could not be asked/);
    expect(text).toMatch(/^\* openai-compatible:own +unknown/m);
    expect(text.split('\n').filter((line) => /^[ *?×] \S+:/.test(line))).toHaveLength(20);
  });

  it('shows what jobs are charged with: a longer prompt’s price, a plan, nothing', async () => {
    const { text, json } = await models(['--limit', '900'], {});
    expect(text).toMatch(/^\? minimax:MiniMax-M3 +0\.30\+ +1\.20\+ +1M$/m);
    expect(text).toMatch(/^\? copilot:claude-sonnet-5\.5 +plan +plan +1M$/m);
    expect(text).toContain('+ long prompts cost more');
    expect(json).toMatchObject({
      models: expect.arrayContaining([
        expect.objectContaining({ name: 'deepseek:deepseek-flash', priceSource: 'snapshot' }),
        expect.objectContaining({ name: 'zai:glm-5.3', priceSource: 'genai-prices' }),
      ]),
    });
    for (const line of text.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80);
  });

  it('says why the default cannot be used, and still marks it', async () => {
    const profile = { provider: 'deepseek', model: 'deepseek-flash' };
    const { text } = await models(['deepseek-flash'], { profiles: { ds: profile } });
    expect(text).toContain('* deepseek:deepseek-flash');
    expect(text).toContain('default   cannot be used now: there is no key for deepseek');
  });

  it('shows a worker’s environment without a secret', async () => {
    const config = { env: { pass: ['NPM_TOKEN', 'GIT_DIR'] } };
    const env = {
      NPM_TOKEN: 'npm_9fJ2kQLmZp0RtV4wYb7NcZx81',
      GIT_DIR: '/x',
      OPENROUTER_API_KEY: KEY,
      LANG: `C.${KEY}`,
      MY_SECRET: 'hidden',
    };
    const { text, json } = await models(['--env'], config, env);
    expect(text).not.toMatch(/npm_9fJ|sk-or|hidden|GIT_DIR/);
    expect(text).toMatch(/^passed {2}NPM_TOKEN +…$/m);
    expect(text).toMatch(/^ours {4}GIT_ALLOW_PROTOCOL +none$/m);
    expect(JSON.stringify(json)).not.toMatch(/npm_9fJ|sk-or/);
    for (const line of text.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80);
  });

  it('shows beside it what the client of the claude engine gets, with nothing of the user’s', async () => {
    const own = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'http://own.example' };
    const config = { limits: { timeout: 900, askTimeout: 3600, commandTimeout: 60 } };
    const { text, json } = await models(['--env'], config, own);
    const [worker, client] = text.split('\n\n');
    expect(worker).not.toContain('ANTHROPIC');
    expect(client).toMatch(/^The client of the claude engine has these besides/);
    expect(client).toMatch(/^ours {4}ANTHROPIC_BASE_URL +http:\/\/127\.0\.0\.1:<port>$/m);
    expect(client).toMatch(/^ours {4}ANTHROPIC_AUTH_TOKEN +…$/m);
    expect(client).toMatch(/^ours {4}ANTHROPIC_API_KEY +\(empty\)$/m);
    expect(json).toMatchObject({
      clientEnvironment: expect.arrayContaining([
        { name: 'ANTHROPIC_API_KEY', value: '', from: 'ours' },
        { name: 'BASH_DEFAULT_TIMEOUT_MS', value: '60000', from: 'ours' },
        // An answer of the supervisor's may take longer than the job's own time.
        { name: 'BASH_MAX_TIMEOUT_MS', value: '3630000', from: 'ours' },
      ]),
    });
    expect(text + JSON.stringify(json)).not.toMatch(/own\.example|sk-or/);
    for (const line of text.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80);
  });
});
