import { spawn } from 'node:child_process';
import fs, { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { loginAccess } from '../../../src/provider/login/headers.ts';
import { onToken } from '../../../src/provider/login/heard.ts';
import { removeLogins } from '../../../src/provider/login/saved-logins.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { type LoginService, openAiTokens, PATHS, type Reply, startLoginService } from './service.ts';

const HOUR = 3_600_000;
const COPILOT = { kind: 'copilot', owner: 'copilot' } as const;
const CHATGPT = { kind: 'chatgpt', owner: 'chatgpt' } as const;
const ADD = fileURLToPath(new URL('fixtures/ask-access.ts', import.meta.url));

/** A user who logged in some time ago; the tokens expire in `left` milliseconds. */
async function user(left: number) {
  const service = await startLoginService();
  const now = Date.now();
  const folder = join(makeFolder(), 'user');
  const env = { CC_DELEGATE_HOME: folder, PATH: process.env.PATH ?? '' };
  const file = join(folder, 'credentials.json');
  const before = openAiTokens('before', now + left);
  mkdirSync(folder, { mode: 0o700 });
  const logins = {
    copilot: {
      kind: 'copilot',
      endpoints: service.endpoints.copilot,
      githubToken: 'ghu_0123456789abcdef',
      session: {
        token: 'session-before-0123456789',
        expiresAt: now + left,
        gotAt: now - HOUR,
        baseUrl: `${service.url}/models`,
      },
    },
    chatgpt: {
      kind: 'chatgpt',
      endpoints: service.endpoints.chatgpt,
      accessToken: before.access_token,
      refreshToken: before.refresh_token,
      accountId: 'acct-7',
      expiresAt: now + left,
      gotAt: now - HOUR,
      ofTomorrow: true,
    },
  };
  writeFileSync(file, JSON.stringify({ schema: 1, profiles: {}, providers: {}, logins }), { mode: 0o600 });
  service.answer(PATHS.exchange, session(service, 'session-after-0123456789'));
  const after = openAiTokens('after', now + HOUR);
  service.answer(PATHS.oauth, [200, after]);
  const saved = () => JSON.parse(readFileSync(file, 'utf8')).logins;
  return { service, env, file, before, after, saved };
}

function session(service: LoginService, token: string): Reply {
  const expires_at = Math.floor((Date.now() + HOUR) / 1000);
  return [200, { token, expires_at, endpoints: { api: `${service.url}/models` } }];
}

describe('the access of a saved login', () => {
  it('is what was saved, without a request, while it is good', async () => {
    const { service, env, before } = await user(HOUR);
    expect(await loginAccess(COPILOT, env)).toEqual({
      kind: 'ok',
      token: 'session-before-0123456789',
      baseUrl: `${service.url}/models`,
      headers: {
        authorization: 'Bearer session-before-0123456789',
        'copilot-integration-id': 'vscode-chat',
        'editor-version': expect.stringMatching(/^cc-delegate\//),
        'editor-plugin-version': expect.stringMatching(/^cc-delegate\//),
        'x-github-api-version': expect.any(String),
      },
    });
    expect(await loginAccess(CHATGPT, env)).toEqual({
      kind: 'ok',
      token: before.access_token,
      baseUrl: `${service.url}/codex`,
      headers: { authorization: `Bearer ${before.access_token}`, 'chatgpt-account-id': 'acct-7' },
    });
    expect(service.asked).toEqual([]);
  });

  it.each([4 * 60_000, -HOUR])('is renewed %d ms before its expiry, and saved for the next', async (left) => {
    const { service, env, file, before, after, saved } = await user(left);
    expect(await loginAccess(COPILOT, env)).toMatchObject({ token: 'session-after-0123456789' });
    expect(await loginAccess(CHATGPT, env)).toMatchObject({ token: after.access_token });
    expect(service.to(PATHS.oauth)[0]?.body).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: before.refresh_token,
      client_id: 'app_EMoamEEZ73f0CkXaXp7hrann',
    });
    expect(saved()).toMatchObject({
      copilot: { session: { token: 'session-after-0123456789' } },
      chatgpt: { refreshToken: after.refresh_token, ofTomorrow: true },
    });
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    await loginAccess(COPILOT, env);
    await loginAccess(CHATGPT, env);
    expect(service.asked).toHaveLength(2);
  });

  it('is renewed by one of ten processes and callers, and all have the same', async () => {
    const { service, env, after } = await user(-1);
    let answered = 0;
    service.answer(PATHS.oauth, {
      hold: new Promise((resolve) => setTimeout(resolve, 300)),
      next: [200, after],
    });
    const here = Array.from({ length: 6 }, () => loginAccess(CHATGPT, env));
    const there = Array.from({ length: 4 }, () => askElsewhere(env));
    for (const access of await Promise.all([...here, ...there])) {
      expect(access).toMatchObject({ kind: 'ok', token: after.access_token });
      answered += 1;
    }
    expect(answered).toBe(10);
    expect(service.to(PATHS.oauth)).toHaveLength(1);
  });

  it('is renewed when an endpoint has refused the token, by one caller only', async () => {
    const { service, env, before, after } = await user(HOUR);
    const rejected = before.access_token;
    const both = await Promise.all([
      loginAccess(CHATGPT, env, { rejected }),
      loginAccess(CHATGPT, env, { rejected }),
    ]);
    expect(both.map((access) => access.kind === 'ok' && access.token)).toEqual([
      after.access_token,
      after.access_token,
    ]);
    expect(service.to(PATHS.oauth)).toHaveLength(1);
  });

  it('is not asked for again and again when this machine’s clock is wrong', async () => {
    const { service, env } = await user(-1);
    service.answer(PATHS.exchange, [
      200,
      { token: 'session-odd-0123456789', expires_at: 1000, endpoints: { api: service.url } },
    ]);
    for (const _request of [1, 2, 3]) {
      expect(await loginAccess(COPILOT, env)).toMatchObject({ token: 'session-odd-0123456789' });
    }
    expect(service.to(PATHS.exchange)).toHaveLength(1);
  });

  it.each([
    {
      login: COPILOT,
      path: PATHS.exchange,
      reply: [401, { message: 'Bad credentials' }] as Reply,
    },
    { login: CHATGPT, path: PATHS.oauth, reply: [400, { error: 'invalid_grant' }] as Reply },
    {
      login: CHATGPT,
      path: PATHS.oauth,
      reply: [401, { error: { code: 'refresh_token_reused' } }] as Reply,
    },
  ])('is over when $path answers $reply: the next does not even ask', async ({ login, path, reply }) => {
    const { service, env } = await user(-1);
    service.answer(path, reply);
    for (const _request of [1, 2]) {
      const access = await loginAccess(login, env);
      expect(access).toMatchObject({ kind: 'refused' });
      expect(access.kind === 'refused' && access.message).toContain(`cc-delegate auth login ${login.owner}`);
    }
    expect(service.to(path)).toHaveLength(1);
  });

  it.each<{ what: string; reply: Reply }>([
    { what: 'a broken service', reply: [503, {}] },
    { what: 'too many requests', reply: [429, {}] },
    { what: 'a page', reply: { text: '<html>' } },
    { what: 'an answer without a token', reply: [200, {}] },
  ])('is only put off by $what: the tokens stay, and the next request has them', async ({ reply }) => {
    const { service, env, after, saved } = await user(-1);
    service.answer(PATHS.oauth, reply, [200, after]);
    service.answer(PATHS.exchange, reply, session(service, 'session-after-0123456789'));
    const before = saved();
    for (const login of [COPILOT, CHATGPT]) {
      expect(await loginAccess(login, env)).toMatchObject({ kind: 'unclear' });
      expect(saved()[login.owner]).toEqual(before[login.owner]);
      expect(await loginAccess(login, env)).toMatchObject({ kind: 'ok' });
    }
  });

  it('keeps the refresh token where the service sends no new one', async () => {
    const { service, env, before, after, saved } = await user(-1);
    service.answer(PATHS.oauth, [200, { access_token: after.access_token }]);
    await loginAccess(CHATGPT, env);
    expect(saved().chatgpt).toMatchObject({ refreshToken: before.refresh_token, accountId: 'acct-7' });
  });

  it('is gone with the login, and a renewal under way does not bring it back', async () => {
    const { service, env, after, saved } = await user(-1);
    let go: (value?: unknown) => void = () => undefined;
    const hold = new Promise((resolve) => {
      go = resolve;
    });
    service.answer(PATHS.oauth, { hold, next: [200, after] });
    const renewal = loginAccess(CHATGPT, env);
    await vi.waitFor(() => expect(service.to(PATHS.oauth)).toHaveLength(1));
    await removeLogins(env, 'chatgpt', () => undefined);
    go();
    await renewal;
    expect(saved().chatgpt).toBeUndefined();
    const access = await loginAccess(CHATGPT, env);
    expect(access).toMatchObject({
      kind: 'refused',
      message: 'nobody is logged in to ChatGPT; type in a terminal: cc-delegate auth login chatgpt',
    });
  });

  it('goes on with what it got when the disk is full; the file keeps what it had', async () => {
    const { service, env, file, after } = await user(-1);
    const content = readFileSync(file, 'utf8');
    const full = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    });
    try {
      for (const _request of [1, 2]) {
        expect(await loginAccess(CHATGPT, env)).toMatchObject({ kind: 'ok', token: after.access_token });
      }
    } finally {
      full.mockRestore();
    }
    expect(readFileSync(file, 'utf8')).toBe(content);
    expect(service.to(PATHS.oauth)).toHaveLength(1);
  });

  it('is told to those who hide it, before it is used', async () => {
    const { service, env, before } = await user(-1);
    // No other test has used these.
    const after = openAiTokens('heard', Date.now() + HOUR);
    service.answer(PATHS.oauth, [200, after]);
    service.answer(PATHS.exchange, session(service, 'session-heard-0123456789'));
    const heard: string[] = [];
    onToken((token) => void heard.push(token));
    await loginAccess(COPILOT, env);
    await loginAccess(CHATGPT, env);
    expect(heard).toEqual(
      expect.arrayContaining(['session-heard-0123456789', after.access_token, after.refresh_token]),
    );
    expect(heard).not.toContain(before.access_token);
  });
});

/** The same question, asked by another process. */
function askElsewhere(env: Record<string, string>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', ADD], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    child.on('close', () => {
      try {
        resolve(JSON.parse(text));
      } catch (error) {
        reject(error);
      }
    });
  });
}
