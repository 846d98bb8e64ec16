import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loginCheck } from '../../../src/cli/doctor/login-check.ts';
import { createRedactor } from '../../../src/job/redaction/redactor.ts';
import { settingsSecrets } from '../../../src/provider/known-secrets.ts';
import { profileSchema } from '../../../src/provider/profile.ts';
import { resolveModel } from '../../../src/provider/resolve-model.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { refusal } from '../user-error-of.ts';
import { PATHS, startLoginService } from './service.ts';

const FAR = 9e12;
const copilot = (fields: object = {}) => ({
  kind: 'copilot',
  endpoints: { web: 'https://github.com', api: 'https://api.github.com' },
  githubToken: 'ghu_0123456789abcdef',
  session: { token: 'session-51-0123456789', expiresAt: FAR, gotAt: 0, baseUrl: 'https://api.x.example' },
  ...fields,
});
const chatgpt = {
  kind: 'chatgpt',
  endpoints: { auth: 'https://auth.openai.com', api: 'https://chatgpt.com/backend-api/codex' },
  accessToken: 'access-0123456789',
  refreshToken: 'refresh-0123456789',
  accountId: 'acct-7',
  expiresAt: FAR,
  gotAt: 0,
};

function user(logins: object, profile: string | null = 'work') {
  const folder = makeFolder();
  const env = { CC_DELEGATE_HOME: folder };
  writeFileSync(
    join(folder, 'credentials.json'),
    JSON.stringify({ schema: 1, profiles: {}, providers: {}, logins }),
    { mode: 0o600 },
  );
  const work = profileSchema.parse({ provider: 'copilot', model: 'm' });
  const settings = {
    profiles: profile === null ? {} : { [profile]: work },
    defaultProfile: null,
    graderProfile: null,
    allowedModels: 'all' as const,
    permissionMode: null,
  };
  const resolve = (model?: string) => resolveModel({ model }, settings, env, () => undefined);
  return { folder, env, resolve };
}

describe('a model that is reached by a login', () => {
  it.each([
    { what: 'the profile’s own', logins: { work: copilot(), copilot: copilot() }, owner: 'work' },
    { what: 'the provider’s', logins: { copilot: copilot() }, owner: 'copilot' },
    {
      what: 'the provider’s, not another kind',
      logins: { work: chatgpt, copilot: copilot() },
      owner: 'copilot',
    },
  ])('has $what, and no key', ({ logins, owner }) => {
    const { primary } = user(logins).resolve();
    expect(primary).toMatchObject({
      key: null,
      keySource: { kind: 'none' },
      endpoint: { login: { kind: 'copilot', owner } },
    });
    expect(JSON.stringify(primary)).not.toMatch(/ghu_|session-51/);
  });

  it.each([
    { what: 'nobody has logged in', logins: {}, code: 'nobody is logged in to GitHub Copilot' },
    { what: 'it is of another kind', logins: { work: chatgpt }, code: 'nobody is logged in' },
    { what: 'its form is unknown', logins: { work: { kind: 'copilot' } }, code: 'nobody is logged in' },
    {
      what: 'its token would go out unencrypted',
      logins: { work: copilot({ endpoints: { web: 'https://github.com', api: 'http://api.github.com' } }) },
      code: 'nobody is logged in',
    },
    { what: 'it was refused', logins: { work: copilot({ refusedAt: 1 }) }, code: 'is not taken any more' },
  ])('is refused with the command when $what', async ({ logins, code }) => {
    const error = await refusal(() => user(logins).resolve());
    expect(error).toMatchObject({
      code: 'no_login',
      exit: 6,
      remedy: 'type in a terminal: cc-delegate auth login work',
    });
    expect(error.what).toContain(code);
  });

  it('is the default of somebody who has a login and nothing else', () => {
    expect(user({ chatgpt }, null).resolve()).toMatchObject({
      modelSource: 'provider:chatgpt (default)',
      primary: { endpoint: { login: { kind: 'chatgpt', owner: 'chatgpt' } } },
    });
  });
});

it('tokens are among the secrets of the settings', () => {
  const { env } = user({ work: copilot(), chatgpt, odd: { kind: 'of tomorrow' } });
  const redactor = createRedactor({ values: settingsSecrets(env, () => undefined) });
  for (const token of [
    'ghu_0123456789abcdef',
    'session-51-0123456789',
    'access-0123456789',
    'refresh-0123456789',
  ])
    expect(redactor.known(`a ${token} b`)).toBe('a [redacted:key] b');
});

describe('the doctor', () => {
  it.each([
    { reply: [401, {}] as const, found: { remedy: 'type in a terminal: cc-delegate auth login work' } },
    { reply: [503, {}] as const, found: { text: expect.stringContaining('could not be checked') } },
  ])('asks about the login, and no model: $reply', async ({ reply, found }) => {
    const service = await startLoginService();
    const { env } = user({ work: copilot({ endpoints: service.endpoints.copilot }) });
    const login = { kind: 'copilot', owner: 'work' } as const;
    service.answer(PATHS.exchange, [
      200,
      { token: 'session-52-0123456789', expires_at: FAR, endpoints: { api: service.url } },
    ]);
    expect(await loginCheck(login, env)).toBe('the login to GitHub Copilot is good; no model was asked');
    service.answer(PATHS.exchange, reply);
    expect(await loginCheck(login, env)).toMatchObject(found);
    expect(service.asked.every(({ path }) => path === PATHS.exchange)).toBe(true);
    expect(readdirSync(env.CC_DELEGATE_HOME).sort()).toEqual(['credentials.json', 'logins']);
  });
});
