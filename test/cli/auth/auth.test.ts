import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LoginTools } from '../../../src/cli/auth/login.ts';
import { run } from '../../../src/cli/auth/run.ts';
import { run as configRun } from '../../../src/cli/config/run.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { openAiTokens, PATHS, type Reply, startLoginService } from '../../provider/login/service.ts';
import { refusal } from '../../provider/user-error-of.ts';
import { contextOf } from '../context.ts';

const HOUR = 3_600_000;
const GITHUB_TOKEN = 'ghu_0123456789abcdefghij';
const pending: Reply = [200, { error: 'authorization_pending' }];
const given: Reply = [200, { access_token: GITHUB_TOKEN }];

/** A person in a terminal; time passes when the program sleeps. */
async function person(config: object = { profiles: { work: { provider: 'copilot', model: 'gpt-6' } } }) {
  const service = await startLoginService();
  const userDir = makeFolder();
  writeFileSync(join(userDir, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
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
  const expires_at = Math.floor((Date.now() + HOUR) / 1000);
  const session = (token: string): Reply => [200, { token, expires_at, endpoints: { api: service.url } }];
  service.answer(PATHS.exchange, session('session-1-0123456789'));
  const said: string[] = [];
  const slept: number[] = [];
  let now = Date.now();
  const tools: LoginTools = {
    endpoints: service.endpoints,
    nowMs: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
  const context = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => ({
    ...contextOf({ cwd: userDir, userDir, args, env }),
    stderr: (line: string) => void said.push(line),
  });
  const auth = (...args: string[]) => run(context(args), tools);
  const save = (content: object) =>
    writeFileSync(join(userDir, 'credentials.json'), JSON.stringify({ schema: 1, ...content }), {
      mode: 0o600,
    });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { service, userDir, said, slept, auth, context, save, pass, session };
}

/** What no output may have. */
function expectNoSecret(...outputs: readonly unknown[]): void {
  const text = JSON.stringify(outputs);
  for (const secret of [GITHUB_TOKEN, 'device-secret', 'session-1', 'sk-0123456789', 'refresh-']) {
    expect(text).not.toContain(secret);
  }
}

describe('auth login', () => {
  it('shows terms, address and code, waits as it is told, and says when it is done', async () => {
    const { service, auth, said, slept } = await person();
    service.answer(PATHS.token, pending, [200, { error: 'slow_down' }], [502, {}], [502, {}], given);
    const output = await auth('login', 'work');
    expect(output).toMatchObject({
      exit: 0,
      json: { kind: 'copilot', owner: 'work', state: 'authorized' },
      text: 'logged in to GitHub Copilot for work',
    });
    expect(slept).toEqual([5000, 5000, 10_000, 10_000, 10_000]);
    const lines = said.join('\n');
    expect(lines).toContain('https://github.com/login/device');
    expect(lines).toContain('ABCD-1234');
    expect(lines).toContain("your plan's terms decide");
    expect(said.filter((line) => line.includes('it answered 502'))).toHaveLength(1);
    for (const line of said) expect(line.length, line).toBeLessThanOrEqual(80);
    expectNoSecret(output, said);
  });

  it.each([
    { error: 'access_denied', reason: 'denied' },
    { error: 'expired_token', reason: 'expired' },
  ])('exits 1 with the reason for $error', async ({ error, reason }) => {
    const { service, auth } = await person();
    service.answer(PATHS.token, pending, [200, { error }]);
    const output = await auth('login', 'work');
    expect(output).toMatchObject({
      exit: 1,
      json: { state: 'failed', reason, remedy: 'cc-delegate auth login work' },
    });
  });

  it('gives up when the code has expired, were the service silent for ever', async () => {
    const { service, auth, slept } = await person();
    service.answer(PATHS.token, [503, {}]);
    expect(await auth('login', 'work')).toMatchObject({ exit: 1, json: { reason: 'expired' } });
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(900_000);
  });

  it('without waiting is a flow that can be polled, by its own pace', async () => {
    const { service, auth, pass, userDir } = await person();
    service.answer(PATHS.token, pending, given);
    const begun = await auth('login', 'work', '--no-wait');
    expect(begun).toMatchObject({
      exit: 0,
      json: { state: 'pending', userCode: 'ABCD-1234', retryInSeconds: 5 },
    });
    const { flow } = begun.json as { flow: string };
    expect(begun.text).toContain(`cc-delegate auth poll ${flow}`);
    for (const line of begun.text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const states: unknown[] = [];
    for (const wait of [0, 5000, 5000, 0]) {
      pass(wait);
      const output = await auth('poll', flow);
      states.push((output.json as { state: string }).state);
      expectNoSecret(output);
    }
    expect(states).toEqual(['pending', 'pending', 'authorized', 'authorized']);
    expect(service.to(PATHS.token)).toHaveLength(2);
    expect(readFileSync(join(userDir, 'logins', `${flow}.json`), 'utf8')).not.toContain('device-secret');
  });

  it.each([
    { name: 'anthropic', exit: 5, what: 'Anthropic' },
    { name: 'claude', exit: 5, what: 'Anthropic' },
    { name: 'google', exit: 5, what: 'Google' },
    { name: 'cheap', exit: 2, what: 'openrouter takes a key' },
    { name: 'nobody', exit: 2, what: 'no profile or provider' },
  ])('refuses $name with exit $exit, before anybody is asked', async ({ name, exit, what }) => {
    const { service, auth } = await person({
      profiles: { cheap: { provider: 'openrouter', model: 'a/b' } },
    });
    const error = await refusal(() => auth('login', name));
    expect(error.exit).toBe(exit);
    expect(error.message).toContain(what);
    expect(service.asked).toEqual([]);
  });

  it.each([[], ['login'], ['poll'], ['login', 'a', 'b'], ['status', 'x'], ['status', '--nope'], ['nope']])(
    'is a usage error: auth %s %s',
    async (...args) => {
      const { auth } = await person();
      expect(await refusal(() => auth(...args))).toMatchObject({ code: 'usage', exit: 2 });
    },
  );
});

describe('auth logout', () => {
  it('forgets one login, or all, and the keys stay', async () => {
    const { service, auth, save, userDir } = await person();
    service.answer(PATHS.token, given);
    save({
      profiles: { cheap: { key: 'sk-0123456789', provider: 'openrouter', host: 'openrouter.ai' } },
      providers: {},
    });
    await auth('login', 'work');
    await auth('login', 'copilot');
    expect(await auth('logout', 'nobody')).toMatchObject({ exit: 0, json: { removed: [] } });
    expect(await auth('logout', 'work')).toMatchObject({ json: { removed: ['work'] } });
    expect(await auth('logout')).toMatchObject({ json: { removed: ['copilot'] } });
    const text = readFileSync(join(userDir, 'credentials.json'), 'utf8');
    expect(text).not.toContain(GITHUB_TOKEN);
    expect(text).toContain('sk-0123456789');
  });
});

const PROFILES = {
  profiles: {
    work: { provider: 'copilot', model: 'gpt-6' },
    cheap: { provider: 'openrouter', model: 'a/b' },
    local: { provider: 'ollama', model: 'qwen3' },
    'a-name-that-is-longer-than-the-column': { provider: 'openai', model: 'gpt-6', keyEnv: 'MY_OPENAI' },
  },
};

interface Row {
  readonly name: string;
  readonly state: string;
  readonly how: string;
}
const rowsOf = (output: { readonly json: unknown }): Record<string, Row> =>
  Object.fromEntries((output.json as { accesses: Row[] }).accesses.map((row) => [row.name, row]));

describe('auth status', () => {
  it('says of each profile what it has, in 80 columns and without a secret', async () => {
    const { service, save, context } = await person(PROFILES);
    save({
      profiles: { cheap: { key: 'sk-0123456789', provider: 'openrouter', host: 'openrouter.ai' } },
      providers: { deepseek: { key: 'sk-0123456789', provider: 'deepseek', host: 'api.deepseek.com' } },
      logins: {
        work: {
          kind: 'copilot',
          endpoints: service.endpoints.copilot,
          githubToken: GITHUB_TOKEN,
          session: null,
        },
        gone: { kind: 'of tomorrow' },
      },
    });
    const output = await run(
      context(['status'], { MY_OPENAI: 'sk-0123456789-x', XAI_API_KEY: 'sk-0123456789' }),
    );
    expect(rowsOf(output)).toMatchObject({
      work: { how: 'login', state: 'valid' },
      cheap: { how: 'saved key', state: 'present' },
      local: { how: 'none', state: 'unneeded' },
      'a-name-that-is-longer-than-the-column': { how: 'MY_OPENAI', state: 'present' },
      deepseek: { how: 'saved key', state: 'present' },
      xai: { how: 'XAI_API_KEY', state: 'present' },
      gone: { state: 'present', remedy: 'cc-delegate auth logout gone' },
    });
    expect(Object.keys(rowsOf(output))).toHaveLength(7);
    for (const line of output.text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(output.text).toMatch(/^work +copilot +logged in; renews \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m);
    expectNoSecret(output);
  });

  it('tells the truth after a revocation, a failure of the service and a new login', async () => {
    const { service, auth, session } = await person();
    service.answer(PATHS.token, given);
    expect(rowsOf(await auth('status')).work).toMatchObject({
      state: 'missing',
      remedy: 'cc-delegate auth login work',
    });
    await auth('login', 'work');
    expect(rowsOf(await auth('status')).work).toMatchObject({ state: 'valid' });
    service.answer(PATHS.exchange, [503, {}]);
    expect(rowsOf(await auth('status')).work).toMatchObject({ state: 'unknown', detail: 'it answered 503' });
    service.answer(PATHS.exchange, [401, {}]);
    const over = await auth('status');
    expect(rowsOf(over).work).toMatchObject({ state: 'refused', remedy: 'cc-delegate auth login work' });
    expect(over.text).toMatch(/login ended: .*\n {4}cc-delegate auth login work/);
    service.answer(PATHS.exchange, session('session-1-again'));
    await auth('login', 'work');
    expect(rowsOf(await auth('status')).work).toMatchObject({ state: 'valid' });
  });

  it('renews a ChatGPT login that is due, leaves alone one that is not, and asks with --check', async () => {
    const { service, auth, save } = await person({ profiles: {} });
    const login = (expiresAt: number) => {
      const { access_token, refresh_token } = openAiTokens('one', expiresAt);
      save({
        profiles: {},
        providers: {},
        logins: {
          chatgpt: {
            kind: 'chatgpt',
            endpoints: service.endpoints.chatgpt,
            accessToken: access_token,
            refreshToken: refresh_token,
            accountId: 'acct-7',
            expiresAt,
            gotAt: 0,
          },
        },
      });
    };
    login(Date.now() + HOUR);
    service.answer(PATHS.oauth, [400, { error: 'invalid_grant' }]);
    expect(rowsOf(await auth('status')).chatgpt).toMatchObject({ state: 'valid' });
    expect(service.to(PATHS.oauth)).toHaveLength(0);
    expect(rowsOf(await auth('status', '--check')).chatgpt).toMatchObject({ state: 'refused' });
    // Known now without asking.
    expect(rowsOf(await auth('status')).chatgpt).toMatchObject({ state: 'refused' });
    login(Date.now() - 1);
    service.answer(PATHS.oauth, [200, openAiTokens('two', Date.now() + HOUR)]);
    expect(rowsOf(await auth('status')).chatgpt).toMatchObject({ state: 'valid' });
  });

  it.each<{ what: string; replies: Reply[]; state: string }>([
    {
      what: 'takes it',
      replies: [
        [200, { data: [] }],
        [401, {}],
      ],
      state: 'valid',
    },
    { what: 'refuses it', replies: [[401, {}]], state: 'refused' },
    { what: 'asks nobody for a key', replies: [[200, { data: [] }]], state: 'unknown' },
    { what: 'has no such list', replies: [[404, {}]], state: 'unknown' },
    { what: 'is broken', replies: [[500, {}]], state: 'unknown' },
  ])('--check finds that an endpoint $what: $state', async ({ replies, state }) => {
    const { service, userDir, auth, save } = await person({ profiles: {} });
    const baseUrl = `${service.url}/v1`;
    writeFileSync(
      join(userDir, 'config.yaml'),
      JSON.stringify({ profiles: { own: { provider: 'openai-compatible', model: 'm', baseUrl } } }),
      { mode: 0o600 },
    );
    save({
      profiles: { own: { key: 'sk-0123456789', provider: 'openai-compatible', host: '127.0.0.1' } },
      providers: {},
    });
    service.answer('/v1/models', ...replies);
    expect(rowsOf(await auth('status')).own).toMatchObject({ state: 'present' });
    expect(service.asked).toEqual([]);
    const checked = await auth('status', '--check');
    expect(rowsOf(checked).own).toMatchObject({ state });
    expect(service.asked[0]?.headers.authorization).toBe('Bearer sk-0123456789');
    expectNoSecret(checked);
  });

  it('makes no folder and no file for somebody who has nothing', async () => {
    const userDir = join(makeFolder(), 'none');
    const output = await run(contextOf({ cwd: '/', userDir, args: ['status'], env: {} }));
    expect(output).toMatchObject({ exit: 0, json: { accesses: [] } });
    expect(existsSync(userDir)).toBe(false);
  });
});

it('config key set says that a subscription is logged in to', async () => {
  const { userDir } = await person();
  for (const name of ['work', 'chatgpt']) {
    const context = contextOf({ cwd: userDir, userDir, args: ['key', 'set', name], env: {} });
    const error = await refusal(() => configRun(context));
    expect(error).toMatchObject({ exit: 2, remedy: `type: cc-delegate auth login ${name}` });
  }
  expect(readdirSync(userDir)).toEqual(['config.yaml']);
});
