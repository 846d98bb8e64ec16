import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCredentials, setKey } from '../../../src/provider/credentials.ts';
import { flowPath, readFlow } from '../../../src/provider/login/flow-file.ts';
import { beginLogin, type LoginWorld, pollLogin } from '../../../src/provider/login/log-in.ts';
import { savedLogin } from '../../../src/provider/login/saved-logins.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { refusal } from '../user-error-of.ts';
import { type LoginService, openAiTokens, PATHS, type Reply, startLoginService } from './service.ts';

const HOUR = 3_600_000;
const GITHUB_TOKEN = 'ghu_0123456789abcdefghij';
const COPILOT = { kind: 'copilot', owner: 'work' } as const;
const CHATGPT = { kind: 'chatgpt', owner: 'chatgpt' } as const;
const pending: Reply = [200, { error: 'authorization_pending' }];
const given: Reply = [200, { access_token: GITHUB_TOKEN, token_type: 'bearer' }];

async function world() {
  const service = await startLoginService();
  service.answer(PATHS.code, [
    200,
    {
      device_code: 'device-secret-1',
      user_code: 'ABCD-1234',
      verification_uri: 'https://github.com/login/device',
      expires_in: 900,
      interval: 5,
    },
  ]);
  service.answer(PATHS.userCode, [
    200,
    { device_auth_id: 'device-secret-2', user_code: 'WXYZ-9', interval: '5' },
  ]);
  service.answer(PATHS.exchange, session(service, 'session-1-0123456789'));
  let now = Date.now();
  const env = { CC_DELEGATE_HOME: join(makeFolder(), 'user') };
  const made: LoginWorld = {
    env,
    endpoints: service.endpoints,
    nowMs: () => now,
    warn: () => undefined,
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { service, env, world: made, pass };
}

function session(service: LoginService, token: string): Reply {
  const expires_at = Math.floor((Date.now() + HOUR) / 1000);
  return [200, { token, expires_at, endpoints: { api: `${service.url}/models/` } }];
}

const saved = (env: { CC_DELEGATE_HOME: string }, owner: string) =>
  savedLogin(
    readCredentials(env, () => undefined),
    owner,
  );
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a login to Copilot', () => {
  it('shows the code, waits, slows down, and saves the tokens for nobody else to read', async () => {
    const { service, env, world: w, pass } = await world();
    service.answer(PATHS.token, pending, [200, { error: 'slow_down', interval: 10 }], pending, given);
    const begun = await beginLogin(w, COPILOT);
    expect(begun).toMatchObject({
      userCode: 'ABCD-1234',
      verificationUri: 'https://github.com/login/device',
    });
    expect(service.to(PATHS.code)[0]?.body).toEqual({
      client_id: 'Iv1.b507a08c87ecfe98',
      scope: 'read:user',
    });
    expect(modeOf(flowPath(env, begun.id))).toBe('600');

    const states: unknown[] = [];
    for (const wait of [5000, 5000, 10_000, 10_000]) {
      pass(wait);
      const { flow } = await pollLogin(w, begun.id);
      states.push(flow.flow.state === 'pending' ? flow.flow.intervalMs : flow.flow.state);
    }
    expect(states).toEqual([5000, 10_000, 10_000, 'authorized']);
    expect(service.to(PATHS.token)[0]?.body).toEqual({
      client_id: 'Iv1.b507a08c87ecfe98',
      device_code: 'device-secret-1',
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    });
    expect(service.to(PATHS.exchange)[0]?.headers).toMatchObject({
      authorization: `token ${GITHUB_TOKEN}`,
      'x-github-api-version': expect.any(String),
    });
    expect(saved(env, 'work')).toMatchObject({
      kind: 'copilot',
      githubToken: GITHUB_TOKEN,
      session: { token: 'session-1-0123456789', baseUrl: `${service.url}/models` },
    });
    expect(modeOf(join(env.CC_DELEGATE_HOME, 'credentials.json'))).toBe('600');
    // The code is worth nothing any more, and is gone; asking again says the same without a request.
    expect(readFileSync(flowPath(env, begun.id), 'utf8')).not.toContain('device-secret');
    expect((await pollLogin(w, begun.id)).flow.flow.state).toBe('authorized');
    expect(service.to(PATHS.token)).toHaveLength(4);
  });

  it('is not asked about before its time, however often somebody polls', async () => {
    const { service, world: w, pass } = await world();
    service.answer(PATHS.token, pending);
    const { id } = await beginLogin(w, COPILOT);
    await pollLogin(w, id);
    pass(4999);
    await pollLogin(w, id);
    expect(service.to(PATHS.token)).toHaveLength(0);
    pass(1);
    await Promise.all([pollLogin(w, id), pollLogin(w, id), pollLogin(w, id)]);
    expect(service.to(PATHS.token)).toHaveLength(1);
  });

  it.each<{ what: string; reply: Reply; why: string }>([
    { what: 'a broken service', reply: [502, { message: 'bad' }], why: 'it answered 502' },
    { what: 'a page', reply: { text: '<html>sorry' }, why: 'its answer is of another form' },
    { what: 'an empty object', reply: [200, {}], why: 'its answer is of another form' },
    { what: 'a token that is none', reply: [200, { access_token: 7 }], why: 'its answer is of another form' },
    {
      what: 'a token with a line break',
      reply: [200, { access_token: 'a\r\nb' }],
      why: 'its answer is of another form',
    },
  ])('goes on after $what', async ({ reply, why }) => {
    const { service, env, world: w, pass } = await world();
    service.answer(PATHS.token, reply, given);
    const { id } = await beginLogin(w, COPILOT);
    pass(5000);
    expect(await pollLogin(w, id)).toMatchObject({ why, flow: { flow: { state: 'pending' } } });
    expect(saved(env, 'work')).toBeNull();
    pass(5000);
    expect((await pollLogin(w, id)).flow.flow.state).toBe('authorized');
  });

  it.each([
    { error: 'expired_token', reason: 'expired' },
    { error: 'access_denied', reason: 'denied' },
    { error: 'device_flow_disabled', reason: 'refused' },
  ])('fails for good with $error', async ({ error, reason }) => {
    const { service, env, world: w, pass } = await world();
    service.answer(PATHS.token, [200, { error }], given);
    const { id } = await beginLogin(w, COPILOT);
    pass(5000);
    for (const _again of [1, 2]) {
      expect((await pollLogin(w, id)).flow.flow).toMatchObject({ state: 'failed', reason });
      pass(60_000);
    }
    expect(service.to(PATHS.token)).toHaveLength(1);
    expect(saved(env, 'work')).toBeNull();
  });

  it('ends at its expiry without a further request', async () => {
    const { service, world: w, pass } = await world();
    const { id } = await beginLogin(w, COPILOT);
    pass(900_000);
    expect((await pollLogin(w, id)).flow.flow).toMatchObject({ state: 'failed', reason: 'expired' });
    expect(service.to(PATHS.token)).toHaveLength(0);
  });

  it('is refused for an account without Copilot, and nothing is saved', async () => {
    const { service, env, world: w, pass } = await world();
    service.answer(PATHS.token, given);
    service.answer(PATHS.exchange, [403, { message: 'no' }]);
    const { id } = await beginLogin(w, COPILOT);
    pass(5000);
    expect((await pollLogin(w, id)).flow.flow).toEqual({
      state: 'failed',
      reason: 'refused',
      detail: 'this GitHub account has no access to Copilot',
    });
    expect(saved(env, 'work')).toBeNull();
  });

  it('is kept when the short-lived token cannot be had just now', async () => {
    const { service, env, world: w, pass } = await world();
    service.answer(PATHS.token, given);
    service.answer(PATHS.exchange, [503, {}]);
    const { id } = await beginLogin(w, COPILOT);
    pass(5000);
    expect((await pollLogin(w, id)).flow.flow.state).toBe('authorized');
    expect(saved(env, 'work')).toMatchObject({ githubToken: GITHUB_TOKEN, session: null });
  });

  it.each<{ what: string; reply: Reply; value: string }>([
    { what: 'a refusal', reply: [404, {}], value: 'it answered 404' },
    { what: 'a page', reply: { text: '<html>' }, value: 'its answer is of another form' },
    {
      what: 'an address that is none',
      reply: [
        200,
        { device_code: 'a', user_code: 'b', verification_uri: 'http://evil.example', expires_in: 9 },
      ],
      value: 'its answer is of another form',
    },
  ])('does not begin with $what', async ({ reply, value }) => {
    const { service, world: w } = await world();
    service.answer(PATHS.code, reply);
    expect(await refusal(() => beginLogin(w, COPILOT))).toMatchObject({
      code: 'login_unavailable',
      exit: 6,
      value,
    });
  });
});

describe('a login to ChatGPT', () => {
  it('polls until it is agreed to, and changes the code for tokens and the account', async () => {
    const { service, env, world: w, pass } = await world();
    const expiresAt = Math.floor(Date.now() / 1000) * 1000 + HOUR;
    service.answer(
      PATHS.deviceToken,
      [403, {}],
      [404, {}],
      [200, { authorization_code: 'code-1', code_verifier: 'verifier-1' }],
    );
    const tokens = openAiTokens('first', expiresAt);
    service.answer(PATHS.oauth, [200, tokens]);
    const begun = await beginLogin(w, CHATGPT);
    expect(begun).toMatchObject({ userCode: 'WXYZ-9', verificationUri: `${service.url}/codex/device` });
    const states: string[] = [];
    for (const _poll of [1, 2, 3]) {
      pass(5000);
      states.push((await pollLogin(w, begun.id)).flow.flow.state);
    }
    expect(states).toEqual(['pending', 'pending', 'authorized']);
    expect(service.to(PATHS.deviceToken)[0]?.body).toEqual({
      device_auth_id: 'device-secret-2',
      user_code: 'WXYZ-9',
    });
    expect(service.to(PATHS.oauth)[0]?.body).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: `${service.url}/deviceauth/callback`,
      client_id: 'app_EMoamEEZ73f0CkXaXp7hrann',
      code_verifier: 'verifier-1',
    });
    expect(saved(env, 'chatgpt')).toMatchObject({
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      accountId: 'acct-7',
      expiresAt,
    });
  });

  it('ends after a quarter of an hour', async () => {
    const { service, world: w, pass } = await world();
    service.answer(PATHS.deviceToken, [403, {}]);
    const { id } = await beginLogin(w, CHATGPT);
    pass(899_999);
    expect((await pollLogin(w, id)).flow.flow.state).toBe('pending');
    pass(5000);
    expect((await pollLogin(w, id)).flow.flow).toMatchObject({ state: 'failed', reason: 'expired' });
    expect(service.to(PATHS.deviceToken)).toHaveLength(1);
  });

  it.each<{ what: string; reply: Reply; state: object }>([
    { what: 'too many polls', reply: [429, {}], state: { state: 'pending', intervalMs: 10_000 } },
    { what: 'a broken service', reply: [500, {}], state: { state: 'pending', intervalMs: 5000 } },
    {
      what: 'a no',
      reply: [400, { error: { code: 'bad_code' } }],
      state: { state: 'failed', reason: 'refused' },
    },
  ])('has a word for $what', async ({ reply, state }) => {
    const { service, world: w, pass } = await world();
    service.answer(PATHS.deviceToken, reply);
    const { id } = await beginLogin(w, CHATGPT);
    pass(5000);
    expect((await pollLogin(w, id)).flow.flow).toMatchObject(state);
  });

  it.each([
    { what: 'no account', tokens: { access_token: 'opaque', refresh_token: 'r' } },
    { what: 'no refresh token', tokens: { ...openAiTokens('x', Date.now()), refresh_token: undefined } },
  ])('saves no tokens with $what', async ({ tokens }) => {
    const { service, env, world: w, pass } = await world();
    service.answer(PATHS.deviceToken, [200, { authorization_code: 'c', code_verifier: 'v' }]);
    service.answer(PATHS.oauth, [200, tokens]);
    const { id } = await beginLogin(w, CHATGPT);
    pass(5000);
    expect((await pollLogin(w, id)).flow.flow.state).toBe('pending');
    expect(saved(env, 'chatgpt')).toBeNull();
  });
});

describe('what is written of a login', () => {
  it('leaves everything else in the file of keys as it was', async () => {
    const { service, env, world: w, pass } = await world();
    const file = join(env.CC_DELEGATE_HOME, 'credentials.json');
    mkdirSync(env.CC_DELEGATE_HOME, { mode: 0o700 });
    const theirs = {
      schema: 1,
      profiles: {},
      providers: {},
      logins: { other: { kind: 'of tomorrow', token: 'x' } },
      OLD_KEY: 'old',
    };
    writeFileSync(file, JSON.stringify(theirs), { mode: 0o600 });
    service.answer(PATHS.token, given);
    const { id } = await beginLogin(w, COPILOT);
    pass(5000);
    await Promise.all([
      pollLogin(w, id),
      setKey(
        env,
        { kind: 'profile', name: 'cheap' },
        { key: 'sk-1-0123456789', provider: 'openrouter', host: 'openrouter.ai' },
        w.warn,
      ),
    ]);
    const now = JSON.parse(readFileSync(file, 'utf8'));
    expect(now).toMatchObject({
      OLD_KEY: 'old',
      logins: { other: { kind: 'of tomorrow', token: 'x' }, work: { kind: 'copilot' } },
      profiles: { cheap: { key: 'sk-1-0123456789' } },
    });
  });

  it.each(['0123456789abcdef', '../credentials', ''])('is no flow of the id %j', async (id) => {
    const { world: w } = await world();
    expect(await refusal(() => pollLogin(w, id))).toMatchObject({ code: 'no_such_flow', exit: 2 });
  });

  it('is refused when it is of another form', async () => {
    const { env, world: w } = await world();
    const { id } = await beginLogin(w, COPILOT);
    writeFileSync(flowPath(env, id), '{');
    expect(await refusal(() => readFlow(env, id))).toMatchObject({ code: 'unreadable_flow', exit: 6 });
  });

  it('goes away a day later, with the next login', async () => {
    const { env, world: w, pass } = await world();
    const { id } = await beginLogin(w, COPILOT);
    pass(24 * HOUR + 1);
    await beginLogin(w, COPILOT);
    expect(await refusal(() => readFlow(env, id))).toMatchObject({ code: 'no_such_flow' });
    rmSync(env.CC_DELEGATE_HOME, { recursive: true });
  });
});
