import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/provider/choose-model.ts';
import type { Profile } from '../../src/provider/profile.ts';
import { resolveModel } from '../../src/provider/resolve-model.ts';
import { DEFAULT_SETTINGS } from '../../src/provider/settings.ts';
import { makeFolder } from '../helpers/repository.ts';
import { refusal } from './user-error-of.ts';

const KEYS = { OPENROUTER_API_KEY: 'or', DEEPSEEK_API_KEY: 'ds', GROQ_API_KEY: 'gq', MINIMAX_API_KEY: 'mm' };
const copilot = {
  kind: 'copilot',
  endpoints: { web: 'https://github.com', api: 'https://api.github.com' },
  githubToken: 'ghu_0123456789abcdef',
  session: { token: 'session-51-0123456789', expiresAt: 9e12, gotAt: 0, baseUrl: 'https://api.x.example' },
};

/** The models of a job of the claude engine, through a profile `p`. */
function resolve(p: Profile, request: ModelRequest = {}, others: Readonly<Record<string, Profile>> = {}) {
  const userDir = makeFolder();
  const credentials = { schema: 1, profiles: {}, providers: {}, logins: { copilot } };
  writeFileSync(join(userDir, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 });
  const settings = { ...DEFAULT_SETTINGS, profiles: { p, ...others }, defaultProfile: 'p' };
  return resolveModel(
    { engine: 'claude', ...request },
    settings,
    { CC_DELEGATE_HOME: userDir, ...KEYS },
    (line) => expect(line).toBe('no warning'),
  );
}

const own = (fields: Partial<Profile>): Profile => ({ provider: 'openai-compatible', model: 'm', ...fields });

describe('the endpoint of a model for the claude engine', () => {
  it.each<[string, Profile, string]>([
    ['openrouter', { provider: 'openrouter', model: 'a/b' }, 'https://openrouter.ai/api/v1'],
    ['deepseek', { provider: 'deepseek', model: 'm' }, 'https://api.deepseek.com/anthropic/v1'],
    ['minimax', { provider: 'minimax', model: 'm' }, 'https://api.minimax.io/anthropic/v1'],
    [
      'any, with a URL',
      { provider: 'anthropic-compatible', model: 'm', baseUrl: 'http://l:1' },
      'http://l:1/v1',
    ],
    ['one of ours that says so', own({ api: 'anthropic', baseUrl: 'http://l:1/x' }), 'http://l:1/x/v1'],
    ['a login', { provider: 'copilot', model: 'claude-sonnet-5-5' }, 'https://api.githubcopilot.com/v1'],
  ])('of %s is the one that speaks its protocol', (_, profile, baseUrl) => {
    const { primary, engine } = resolve(profile);
    expect(engine).toBe('claude');
    expect(primary.endpoint).toMatchObject({ api: 'anthropic', baseUrl });
  });

  it.each<[string, Profile]>([
    ['groq', { provider: 'groq', model: 'm' }],
    ['a local server', { provider: 'ollama', model: 'm' }],
    ['a URL of another protocol', own({ baseUrl: 'http://l:1/v1' })],
    ['a provider at another URL', { provider: 'deepseek', model: 'm', baseUrl: 'http://l:1/v1' }],
    ['a login’s model of another protocol', { provider: 'copilot', model: 'gpt-6.1-terra' }],
    ['a login without it', { provider: 'chatgpt', model: 'gpt-6.1-terra' }],
  ])('is not to be had of %s: exit 6, with the providers that have one', async (_, profile) => {
    const refused = await refusal(() => resolve(profile));
    expect(refused).toMatchObject({
      exit: 6,
      code: 'no_anthropic_endpoint',
      value: `${profile.provider}:${profile.model}`,
    });
    expect(refused.remedy).toMatch(/--engine native, or .*: openrouter, minimax, deepseek, .*anthropic/);
    for (const without of ['groq', 'ollama', 'chatgpt']) expect(refused.remedy).not.toContain(without);
  });
});

describe('who does the job', () => {
  const deepseek = { provider: 'deepseek', model: 'm' } as const;

  it.each([
    [undefined, undefined, 'native', 'openai-chat'],
    ['claude', undefined, 'claude', 'anthropic'],
    ['claude', 'native', 'native', 'openai-chat'],
    ['native', 'claude', 'claude', 'anthropic'],
  ] as const)('the profile says %s, the call %s: %s', (engine, asked, found, api) => {
    const resolved = resolve({ ...deepseek, ...(engine && { engine }) }, { engine: asked });
    expect(resolved).toMatchObject({ engine: found, primary: { endpoint: { api } } });
  });
});

describe('the other models of a job of the claude engine', () => {
  const profile: Profile = {
    provider: 'openrouter',
    model: 'a/b',
    fallbacks: ['groq:f', 'deepseek:f', 'lan:f', 'far:f'],
    smallModel: 'groq:s',
    roleModels: { tester: 'groq:t', reviewer: 'minimax:r' },
    graderModel: 'groq:g',
  };
  const others = {
    lan: own({ baseUrl: 'http://l:1/v1' }),
    far: { provider: 'anthropic-compatible', model: 'x', baseUrl: 'http://far:1' },
  };

  it('are left out with a notice where it cannot speak to them; the grader is our own loop’s', () => {
    const found = resolve(profile, {}, others);
    const why = 'has no endpoint the claude engine can use, and is left out';
    expect(found.notices).toEqual([
      `fallback groq:f ${why}`,
      `fallback openai-compatible:f ${why}`,
      `small model groq:s ${why}`,
      `role model groq:t ${why}`,
    ]);
    const name = ({ endpoint }: (typeof found)['primary']) =>
      `${endpoint.provider}:${endpoint.model} ${endpoint.api}`;
    expect(found.fallbacks.map(name)).toEqual(['deepseek:f anthropic', 'anthropic-compatible:f anthropic']);
    expect(found.small).toBeNull();
    expect(Object.entries(found.roles).map(([role, model]) => [role, name(model)])).toEqual([
      ['reviewer', 'minimax:r anthropic'],
    ]);
    expect(found.grader && name(found.grader)).toBe('groq:g openai-chat');
    expect(found.graderFallbacks.map(name)).toEqual([
      'groq:f openai-chat',
      'deepseek:f openai-chat',
      'openai-compatible:f openai-chat',
      'anthropic-compatible:f anthropic',
    ]);
  });

  it('are all there for our own loop', () => {
    const found = resolve(profile, { engine: 'native' }, others);
    expect(found.notices).toEqual([]);
    expect([found.fallbacks.length, Object.keys(found.roles)]).toEqual([4, ['tester', 'reviewer']]);
    expect(found.small?.endpoint.api).toBe('openai-chat');
  });

  it('have a small model that the call names, with its own key', () => {
    const { small } = resolve(profile, { smallModel: 'deepseek:tiny' }, others);
    expect(small).toMatchObject({ key: 'ds', endpoint: { api: 'anthropic', model: 'tiny' } });
  });
});
