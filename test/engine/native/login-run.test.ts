import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ModelRef } from '../../../src/engine/engine.ts';
import { createNativeEngine } from '../../../src/engine/native/engine.ts';
import type { Script } from '../../../src/engine/scripted/server.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { openAiTokens, PATHS, startLoginService } from '../../provider/login/service.ts';
import { eventsOf, fastClock, finish, modelRef, scripted } from '../harness.ts';

const HOUR = 3_600_000;
const CALLS: Script = [{ calls: [{ name: 'write', args: { path: 'a', content: 'x' } }] }, { text: 'done' }];

/** A user who is logged in to both; `left`: milliseconds until the tokens expire. */
async function loggedIn(script: Script, left = HOUR) {
  const model = await scripted(script);
  const service = await startLoginService();
  const folder = join(makeFolder(), 'user');
  mkdirSync(folder, { mode: 0o700 });
  vi.stubEnv('CC_DELEGATE_HOME', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const now = Date.now();
  const tokens = openAiTokens('before', now + left);
  const logins = {
    copilot: {
      kind: 'copilot',
      endpoints: service.endpoints.copilot,
      githubToken: 'ghu_0123456789abcdef',
      session: {
        token: 'session-1-0123456789',
        expiresAt: now + left,
        gotAt: 0,
        baseUrl: model.url.replace(/\/v1$/, ''),
      },
    },
    chatgpt: {
      kind: 'chatgpt',
      endpoints: { auth: service.url, api: model.url },
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      accountId: 'acct-7',
      expiresAt: now + left,
      gotAt: 0,
    },
  };
  const file = join(folder, 'credentials.json');
  writeFileSync(file, JSON.stringify({ schema: 1, profiles: {}, providers: {}, logins }), { mode: 0o600 });
  const copilot = (fields: Partial<ModelRef> & Pick<ModelRef, 'api'>): ModelRef => ({
    ...modelRef(model, fields.api),
    provider: 'copilot',
    apiKey: null,
    login: { kind: 'copilot', owner: 'copilot' },
    ...fields,
  });
  const chatgpt: ModelRef = {
    ...modelRef(model, 'openai-responses'),
    provider: 'chatgpt',
    apiKey: null,
    baseUrl: 'https://chatgpt.com/backend-api/codex',
    maxOutput: 1000,
    login: { kind: 'chatgpt', owner: 'chatgpt' },
  };
  return { model, service, copilot, chatgpt, tokens, file };
}

const run = (...models: [ModelRef, ...ModelRef[]]) =>
  finish({ engine: createNativeEngine(fastClock()), models });

describe('a run with a login', () => {
  it('speaks to ChatGPT as its service wants it, tool results included', async () => {
    const { model, chatgpt, tokens } = await loggedIn(CALLS);
    const { outcome, log } = await run(chatgpt);
    expect(outcome).toEqual({ status: 'done', finalText: 'done' });
    expect(log).toEqual(['wrote a']);
    expect(model.requests).toHaveLength(2);
    for (const { body, headers, path } of model.requests) {
      expect(path).toBe('/v1/responses');
      expect(headers).toMatchObject({
        authorization: `Bearer ${tokens.access_token}`,
        'chatgpt-account-id': 'acct-7',
      });
      expect(body).toMatchObject({ store: false, stream: true, instructions: 'You are a test.' });
      expect(body.include).toContain('reasoning.encrypted_content');
      for (const name of ['max_output_tokens', 'metadata']) expect(body).not.toHaveProperty(name);
      expect(JSON.stringify(body.input)).not.toMatch(/"role":"(system|developer)"|item_reference/);
    }
    expect(JSON.stringify(model.requests[1]?.body.input)).toContain('function_call_output');
  });

  it.each([
    { api: 'openai-chat', baseUrl: 'https://api.githubcopilot.com', path: '/chat/completions' },
    { api: 'openai-responses', baseUrl: 'https://api.githubcopilot.com', path: '/responses' },
    { api: 'anthropic', baseUrl: 'https://api.githubcopilot.com/v1', path: '/v1/messages' },
  ] as const)('speaks $api to Copilot, and pays for one request of the user', async ({ path, ...fields }) => {
    const { model, copilot } = await loggedIn(CALLS);
    const { outcome } = await run(copilot(fields));
    expect(outcome).toEqual({ status: 'done', finalText: 'done' });
    expect(model.requests.map((request) => [request.path, request.headers['x-initiator']])).toEqual([
      [path, 'user'],
      [path, 'agent'],
    ]);
    for (const { headers } of model.requests) {
      expect(headers.authorization).toBe('Bearer session-1-0123456789');
      expect(headers).not.toHaveProperty('x-api-key');
    }
  });

  it('goes on when the token is refused half way, after one renewal', async () => {
    const { model, service, chatgpt } = await loggedIn([
      { calls: [{ name: 'write', args: { path: 'a', content: 'x' } }] },
      { status: 401, body: { error: { message: 'expired' } } },
      { text: 'done' },
    ]);
    service.answer(PATHS.oauth, [200, openAiTokens('after', Date.now() + HOUR)]);
    const { outcome, log, events } = await run(chatgpt);
    expect(outcome).toEqual({ status: 'done', finalText: 'done' });
    expect(log).toEqual(['wrote a']);
    expect([model.requests.length, service.to(PATHS.oauth).length]).toEqual([3, 1]);
    expect(eventsOf(events, 'retry')).toEqual([]);
  });

  it('ends with the command to type when the login is over, and asks no model', async () => {
    const { model, service, chatgpt } = await loggedIn(CALLS, -1);
    service.answer(PATHS.oauth, [400, { error: 'invalid_grant' }]);
    const { outcome } = await run(chatgpt);
    expect(outcome).toMatchObject({ status: 'failed', kind: 'auth' });
    expect(outcome.status === 'failed' && outcome.message).toContain('cc-delegate auth login chatgpt');
    expect(model.requests).toEqual([]);
  });

  it('goes on with the next model when the login is over', async () => {
    const { model, service, chatgpt } = await loggedIn(CALLS, -1);
    service.answer(PATHS.oauth, [401, {}]);
    const { outcome, events } = await run(chatgpt, modelRef(model, 'openai-chat'));
    expect(outcome).toEqual({ status: 'done', finalText: 'done' });
    expect(eventsOf(events, 'fallback')).toMatchObject([{ kind: 'auth' }]);
    expect(model.requests.every(({ headers }) => headers.authorization === 'Bearer sk-test-key')).toBe(true);
  });

  it('waits and tries again when the renewal fails for the moment', async () => {
    const { service, chatgpt, file } = await loggedIn(CALLS, -1);
    const after = openAiTokens('after', Date.now() + HOUR);
    service.answer(PATHS.oauth, [503, {}], { text: '<html>' }, [200, after]);
    const { outcome, events } = await run(chatgpt);
    expect(outcome).toEqual({ status: 'done', finalText: 'done' });
    expect(eventsOf(events, 'retry').map(({ kind }) => kind)).toEqual(['transient', 'transient']);
    expect(readFileSync(file, 'utf8')).toContain(after.refresh_token);
  });
});
