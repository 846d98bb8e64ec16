import { describe, expect, it } from 'vitest';
import type { ModelRef } from '../../src/engine/engine.ts';
import type { ModelRequest } from '../../src/provider/choose-model.ts';
import { setKey } from '../../src/provider/credentials.ts';
import { destinationsOf } from '../../src/provider/destinations.ts';
import { resolveModel } from '../../src/provider/resolve-model.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/provider/settings.ts';
import { makeFolder } from '../helpers/repository.ts';
import { refusal } from './user-error-of.ts';

const OPENROUTER = { OPENROUTER_API_KEY: 'or-key' };
const warn = (line: string) => expect(line).toBe('no warning');

function resolver(settings: Partial<Settings>, variables: Record<string, string> = OPENROUTER) {
  const env = { CC_DELEGATE_HOME: makeFolder(), ...variables };
  return {
    env,
    resolve: (request: ModelRequest = {}) =>
      resolveModel(request, { ...DEFAULT_SETTINGS, ...settings }, env, warn),
  };
}

const profiles = {
  cheap: {
    provider: 'openrouter',
    model: 'deepseek/flash',
    prices: { input: 0, output: 0 },
    contextWindow: 64_000,
    headers: { 'X-Title': 'mine' },
    fallbacks: ['qwen/coder:free', 'minimax:MiniMax-M3', 'lan'],
    graderModel: 'big/grader',
    smallModel: 'openrouter:tiny/one',
  },
  lan: { provider: 'openai-compatible', model: 'qwen3:8b', baseUrl: 'http://10.0.0.7:8000/v1/' },
  far: {
    provider: 'anthropic-compatible',
    model: 'm',
    baseUrl: 'https://models.example/api',
    keyEnv: 'FAR_KEY',
  },
};
const two = { profiles, defaultProfile: 'cheap' };

describe('which model a job gets', () => {
  it.each<[string, Partial<Settings>, ModelRequest, string, string, string | null]>([
    ['the default profile', two, {}, 'openrouter:deepseek/flash', 'profile:cheap (default)', 'cheap'],
    ['the named profile', two, { profile: 'lan' }, 'openai-compatible:qwen3:8b', 'profile:lan', 'lan'],
    [
      'the only profile',
      { profiles: { lan: profiles.lan } },
      {},
      'openai-compatible:qwen3:8b',
      'profile:lan (default)',
      'lan',
    ],
    ['a bare model of the default profile', two, { model: 'a/b' }, 'openrouter:a/b', 'flag', 'cheap'],
    ['a model with a suffix', two, { model: 'a/b:free' }, 'openrouter:a/b:free', 'flag', 'cheap'],
    [
      'a bare model of the named profile',
      two,
      { profile: 'lan', model: 'llama3:70b' },
      'openai-compatible:llama3:70b',
      'flag',
      'lan',
    ],
    [
      'a model of a known provider',
      two,
      { model: 'ollama:qwen3-coder:30b' },
      'ollama:qwen3-coder:30b',
      'flag',
      null,
    ],
    [
      'a model through another profile',
      two,
      { model: 'lan:llama3' },
      'openai-compatible:llama3',
      'flag',
      'lan',
    ],
    [
      'a model of the only profile of its provider',
      two,
      { model: 'openai-compatible:x' },
      'openai-compatible:x',
      'flag',
      'lan',
    ],
    ['an older litellm name', two, { model: 'litellm:openrouter/a/b' }, 'openrouter:a/b', 'flag', 'cheap'],
    ['vendor/model without any profile', {}, { model: 'a/b' }, 'openrouter:a/b', 'flag', null],
    [
      'the default of the provider a key is there for',
      {},
      {},
      'openrouter:deepseek/deepseek-v4-flash-0731',
      'provider:openrouter (default)',
      null,
    ],
  ])('is %s', (_case, settings, request, name, modelSource, profile) => {
    const { resolve } = resolver(settings);
    expect(resolve(request)).toMatchObject({ name, modelSource, profile });
  });

  it('carries what the profile says, and all of it only to its own model', () => {
    const { resolve } = resolver(two);
    expect(resolve().primary).toEqual({
      endpoint: {
        provider: 'openrouter',
        model: 'deepseek/flash',
        api: 'openai-chat',
        baseUrl: 'https://openrouter.ai/api/v1',
        headers: { 'X-Title': 'mine' },
        prices: { input: 0, output: 0, cacheRead: undefined, cacheWrite: undefined },
        contextWindow: 64_000,
        maxOutput: null,
      },
      key: 'or-key',
      keySource: { kind: 'environment', variable: 'OPENROUTER_API_KEY' },
    });
    const { endpoint, key } = resolve().primary;
    // What the engine takes: the types have to agree, though neither folder knows the other.
    expect({ ...endpoint, apiKey: key } satisfies ModelRef).toHaveProperty('apiKey', 'or-key');
    const other = resolve({ model: 'a/b' });
    expect(other.primary.endpoint).toMatchObject({
      prices: null,
      contextWindow: null,
      headers: { 'X-Title': 'mine' },
    });
    expect(other.fallbacks).toEqual([]);
  });

  it('has fallbacks with their own endpoint and key, and names those without a key', () => {
    const { resolve } = resolver(two);
    const { fallbacks, notices, grader, small } = resolve();
    expect(fallbacks.map(({ endpoint, key }) => [endpoint.model, endpoint.baseUrl, key])).toEqual([
      ['qwen/coder:free', 'https://openrouter.ai/api/v1', 'or-key'],
      ['qwen3:8b', 'http://10.0.0.7:8000/v1', null],
    ]);
    expect(notices).toEqual(['fallback minimax:MiniMax-M3 has no key and is left out']);
    expect([grader?.endpoint.model, small?.endpoint.model]).toEqual(['big/grader', 'tiny/one']);
  });

  it('gives the grader the fallbacks of its own profile, else of the job’s; and sub-agents their own models', () => {
    const far = { ...profiles.far, fallbacks: ['n'] };
    const own = resolver(
      { ...two, profiles: { ...profiles, far }, graderProfile: 'far' },
      { ...OPENROUTER, FAR_KEY: 'k' },
    );
    expect(own.resolve().graderFallbacks).toMatchObject([
      { endpoint: { model: 'n', baseUrl: expect.stringContaining('models.example') }, key: 'k' },
    ]);
    const cheap = { ...profiles.cheap, fallbacks: ['qwen/coder:free'], roleModels: { tester: 'tiny/one' } };
    const shared = resolver({ ...two, profiles: { ...profiles, cheap } }).resolve();
    expect(shared.graderFallbacks.map(({ endpoint }) => endpoint.model)).toEqual(['qwen/coder:free']);
    expect(Object.entries(shared.roles).map(([role, { endpoint }]) => [role, endpoint.model])).toEqual([
      ['tester', 'tiny/one'],
    ]);
    const none = resolver({ ...two, profiles: { ...profiles, cheap: { ...cheap, graderModel: undefined } } });
    expect(none.resolve()).toMatchObject({ grader: null, graderFallbacks: [] });
  });

  it('takes the grader from the grader profile, with that profile’s own key', () => {
    const { resolve } = resolver({ ...two, graderProfile: 'far' }, { ...OPENROUTER, FAR_KEY: 'far-key' });
    expect(resolve().grader).toMatchObject({
      endpoint: { api: 'anthropic', baseUrl: 'https://models.example/api/v1' },
      key: 'far-key',
    });
  });

  it('says when the default of a provider is used', () => {
    const { resolve } = resolver({}, { MINIMAX_API_KEY: 'mm' });
    expect(resolve()).toMatchObject({
      name: 'minimax:MiniMax-M3',
      primary: { key: 'mm', endpoint: { api: 'anthropic' } },
    });
    expect(resolve().notices.join()).toContain('MiniMax-M3');
  });

  it.each<[string, Partial<Settings>, ModelRequest, number, string, string]>([
    ['an unknown profile', two, { profile: 'nope' }, 2, 'no_such_profile', 'cheap, lan, far'],
    [
      'a profile named like a property of objects',
      two,
      { profile: 'constructor' },
      2,
      'no_such_profile',
      'cheap',
    ],
    [
      'an unknown prefix',
      two,
      { model: 'opnrouter:a/b' },
      2,
      'unknown_provider',
      '--provider openai-compatible',
    ],
    ['an unknown litellm prefix', two, { model: 'litellm:nope/a' }, 2, 'unknown_provider', 'openrouter'],
    ['a bare name without any profile', {}, { model: 'flash' }, 2, 'invalid_model', 'provider:model'],
    ['an empty model', two, { model: 'openrouter:' }, 2, 'invalid_model', 'provider:model'],
    ['a model with a line break', two, { model: 'a/b\nc' }, 2, 'invalid_model', 'provider:model'],
    [
      'a profile and a model of another provider',
      two,
      { profile: 'cheap', model: 'ollama:x' },
      2,
      'profile_mismatch',
      '--profile',
    ],
    [
      'a generic provider without a profile',
      { profiles: { cheap: profiles.cheap } },
      { model: 'openai-compatible:x' },
      2,
      'no_endpoint',
      '--base-url',
    ],
    [
      'a generic provider with several profiles',
      { profiles: { a: profiles.lan, b: profiles.lan } },
      { model: 'openai-compatible:x' },
      2,
      'ambiguous_profile',
      '--profile a',
    ],
    [
      'several profiles without a default',
      { profiles },
      {},
      6,
      'no_default_profile',
      'config profile default',
    ],
    ['a missing key', two, { profile: 'far' }, 6, 'no_key', 'FAR_KEY'],
    [
      'a missing key of a known provider',
      two,
      { model: 'deepseek:x' },
      6,
      'no_key',
      'DEEPSEEK_API_KEY (get one at https://',
    ],
  ])('refuses %s', async (_case, settings, request, exit, code, remedy) => {
    const { resolve } = resolver(settings);
    const error = await refusal(() => resolve(request));
    expect(error).toMatchObject({ exit, code });
    expect(error.remedy).toContain(remedy);
  });

  it('refuses to start without any model, with the command to type', async () => {
    const { resolve } = resolver({}, {});
    expect(await refusal(() => resolve())).toMatchObject({
      exit: 6,
      code: 'no_model',
      remedy: expect.stringContaining('config profile set'),
    });
  });
});

describe('the allowed models', () => {
  const allowedModels = ['openrouter:deepseek/flash', 'openrouter:deepseek/flash-lite', 'ollama:qwen3:8b'];
  const plain = { ...profiles.cheap, fallbacks: [], graderModel: undefined, smallModel: undefined };
  const bounded = { profiles: { cheap: plain }, defaultProfile: 'cheap', allowedModels };

  it.each([
    ['the default', {}, 'openrouter:deepseek/flash'],
    ['a whole name', { model: 'ollama:qwen3:8b' }, 'ollama:qwen3:8b'],
    ['the last part of a name', { model: 'flash' }, 'openrouter:deepseek/flash'],
    ['a part of one name only', { model: 'LITE' }, 'openrouter:deepseek/flash-lite'],
  ])('let %s pass', (_case, request, name) => {
    expect(resolver(bounded).resolve(request).name).toBe(name);
  });

  it('say what a short name was taken for', () => {
    expect(resolver(bounded).resolve({ model: 'lite' }).notices).toEqual([
      'model lite is openrouter:deepseek/flash-lite',
    ]);
  });

  it('refuse a short name of several, with the list', async () => {
    const error = await refusal(() => resolver(bounded).resolve({ model: 'las' }));
    expect(error).toMatchObject({ exit: 2, code: 'ambiguous_model' });
    expect(error.remedy).toContain('openrouter:deepseek/flash, openrouter:deepseek/flash-lite');
  });

  it.each<[string, Partial<Settings>, ModelRequest]>([
    ['a model of the flag', bounded, { model: 'a/b' }],
    ['a fallback', { ...bounded, profiles: { cheap: { ...plain, fallbacks: ['a/b'] } } }, {}],
    ['a grader', { ...bounded, profiles: { cheap: { ...plain, graderModel: 'a/b' } } }, {}],
    ['anything when the list is empty', { ...bounded, allowedModels: [] }, {}],
  ])('refuse %s with exit 5 and the list', async (_case, settings, request) => {
    const error = await refusal(() => resolver(settings).resolve(request));
    expect(error).toMatchObject({ exit: 5, code: 'model_not_allowed' });
    expect(error.remedy).toContain(settings.allowedModels?.length === 0 ? 'none' : allowedModels.join(', '));
  });
});

describe('a model beside the job’s own', () => {
  const only = (fields: object) => ({ profiles: { p: { provider: 'openrouter', model: 'a/b', ...fields } } });

  it.each([{ smallModel: undefined }, { smallModel: 'deepseek:tiny' }])(
    'that nothing needs is left out without a key: %j',
    (request) => {
      const { small, notices } = resolver(only({ smallModel: 'deepseek:tiny' })).resolve(request);
      expect(small).toBeNull();
      expect(notices).toEqual(['small model deepseek:tiny has no key and is left out']);
    },
  );

  it.each([{ graderModel: 'deepseek:big' }, { roleModels: { tester: 'deepseek:big' } }])(
    'that does a part of the work is wanted: %j',
    async (fields) => {
      expect(await refusal(() => resolver(only(fields)).resolve())).toMatchObject({ code: 'no_key' });
    },
  );

  it('is one of those that files go to, with its fallbacks', () => {
    const keys = { ...OPENROUTER, DEEPSEEK_API_KEY: 'd', MOONSHOT_API_KEY: 'm', GROQ_API_KEY: 'g' };
    const settings = {
      profiles: {
        p: { provider: 'openrouter', model: 'a/b', roleModels: { tester: 'groq:t' } },
        judge: { provider: 'deepseek', model: 'j', fallbacks: ['moonshot:k'] },
      },
      defaultProfile: 'p',
      graderProfile: 'judge',
    };
    const withSmall = {
      profiles: { p: { provider: 'openrouter', model: 'a/b', smallModel: 'deepseek:s' } },
      defaultProfile: 'p',
    };
    const side = (engine: 'native' | 'claude') =>
      destinationsOf(resolver(withSmall, keys).resolve({ engine })).map(({ provider }) => provider);
    expect(side('claude')).toEqual(['openrouter', 'deepseek']);
    expect(side('native')).toEqual(['openrouter']);
    const found = destinationsOf(resolver(settings, keys).resolve());
    expect(found.map(({ provider }) => provider).sort()).toEqual([
      'deepseek',
      'groq',
      'moonshot',
      'openrouter',
    ]);
  });
});

describe('where a key comes from', () => {
  const profile = { kind: 'profile', name: 'p' } as const;
  const provider = { kind: 'provider', name: 'deepseek' } as const;
  const deepseek = { profiles: { p: { provider: 'deepseek', model: 'm' } } };
  const host = 'api.deepseek.com';

  it('is the profile’s own, then the provider’s, then the variable', async () => {
    const { env, resolve } = resolver(deepseek, { DEEPSEEK_API_KEY: 'from-env' });
    expect(resolve().primary.key).toBe('from-env');
    await setKey(env, provider, { key: 'of-provider', provider: 'deepseek', host }, warn);
    expect(resolve().primary).toMatchObject({ key: 'of-provider', keySource: { owner: provider } });
    await setKey(env, profile, { key: 'of-profile', provider: 'deepseek', host }, warn);
    expect(resolve().primary).toMatchObject({ key: 'of-profile', keySource: { owner: profile } });
  });

  it('is the variable the profile names, in place of the provider’s', async () => {
    const named = { profiles: { p: { provider: 'deepseek', model: 'm', keyEnv: 'WORK_KEY' } } };
    const both = { DEEPSEEK_API_KEY: 'private', WORK_KEY: 'work' };
    expect(resolver(named, both).resolve().primary.key).toBe('work');
    expect(await refusal(() => resolver(named, { DEEPSEEK_API_KEY: 'private' }).resolve())).toMatchObject({
      code: 'no_key',
    });
  });

  it('is never the key of another provider', async () => {
    const everybody = {
      OPENROUTER_API_KEY: 'a',
      OPENAI_API_KEY: 'b',
      ANTHROPIC_API_KEY: 'c',
      DELEGATE_API_KEY: 'd',
    };
    const { env, resolve } = resolver(deepseek, everybody);
    await setKey(
      env,
      { kind: 'provider', name: 'openrouter' },
      { key: 'e', provider: 'openrouter', host: 'openrouter.ai' },
      warn,
    );
    await setKey(env, profile, { key: 'f', provider: 'openrouter', host: 'openrouter.ai' }, warn);
    expect(await refusal(() => resolve())).toMatchObject({ code: 'no_key', exit: 6 });
  });

  it.each([profile, provider])(
    'of a known provider does not follow a profile to another host: $kind',
    async (owner) => {
      const at = (baseUrl?: string) => ({
        profiles: { p: { provider: 'deepseek', model: 'm', ...(baseUrl !== undefined && { baseUrl }) } },
      });
      const { env } = resolver({});
      const resolve = (baseUrl?: string) =>
        resolveModel({}, { ...DEFAULT_SETTINGS, ...at(baseUrl) }, env, warn);
      await setKey(env, owner, { key: 'k', provider: 'deepseek', host }, warn);
      expect(resolve().primary.key).toBe('k');
      expect(resolve(`https://${host}/beta`).primary.key).toBe('k');
      expect(await refusal(() => resolve('https://b.example/v1'))).toMatchObject({ code: 'no_key' });
      await setKey(env, owner, { key: 'k', provider: 'deepseek', host: 'b.example' }, warn);
      expect(resolve('https://b.example/v1').primary.key).toBe('k');
      expect(await refusal(() => resolve())).toMatchObject({ code: 'no_key' });
    },
  );

  it('does not follow a profile to another host, but to another port', async () => {
    const at = (baseUrl: string) => ({
      profiles: { p: { provider: 'openai-compatible', model: 'm', baseUrl } },
    });
    const { env } = resolver({});
    await setKey(env, profile, { key: 'k', provider: 'openai-compatible', host: 'a.example' }, warn);
    const resolve = (baseUrl: string) => resolveModel({}, { ...DEFAULT_SETTINGS, ...at(baseUrl) }, env, warn);
    expect(resolve('https://a.example:8443/v1').primary.key).toBe('k');
    expect(await refusal(() => resolve('https://b.example/v1'))).toMatchObject({ code: 'no_key' });
  });

  it.each([
    ['ollama', { provider: 'ollama', model: 'm' }],
    ['a plain http endpoint', { provider: 'openai-compatible', model: 'm', baseUrl: 'http://lan:1/v1' }],
    [
      'https on this machine',
      { provider: 'openai-compatible', model: 'm', baseUrl: 'https://localhost:1/v1' },
    ],
    [
      'an endpoint with a header of its own',
      {
        provider: 'openai-compatible',
        model: 'm',
        baseUrl: 'https://x/v1',
        headers: { Authorization: 'Bearer x' },
      },
    ],
  ])('is not asked for by %s', (_case, only) => {
    expect(resolver({ profiles: { only } }, {}).resolve().primary).toMatchObject({
      key: null,
      keySource: { kind: 'none' },
    });
  });
});

describe('the older environment variables', () => {
  const legacy = { DELEGATE_MODEL: 'litellm:deepseek/deepseek-chat', DELEGATE_API_KEY: 'old-key' };

  it('choose model and key while there is no profile', () => {
    expect(resolver({}, legacy).resolve()).toMatchObject({
      name: 'deepseek:deepseek-chat',
      modelSource: 'environment (legacy)',
      primary: { key: 'old-key', keySource: { kind: 'legacy', variable: 'DELEGATE_API_KEY' } },
    });
  });

  it('name the variable the key is in', () => {
    const named = { DELEGATE_MODEL: 'a/b', DELEGATE_API_KEY_ENV_VAR: 'MY_KEY', MY_KEY: 'mine' };
    expect(resolver({}, named).resolve().primary).toMatchObject({
      key: 'mine',
      keySource: { variable: 'MY_KEY' },
    });
  });

  it.each<[string, Partial<Settings>, Record<string, string>, ModelRequest]>([
    ['once there is a profile', { profiles: { p: { provider: 'deepseek', model: 'm' } } }, legacy, {}],
    ['for a model of another provider', {}, legacy, { model: 'openrouter:a/b' }],
    [
      'when it is the variable of another provider',
      {},
      { DELEGATE_MODEL: 'a/b', DELEGATE_API_KEY_ENV_VAR: 'OPENAI_API_KEY', OPENAI_API_KEY: 'x' },
      {},
    ],
    ['when no model says whose it is', {}, { DELEGATE_API_KEY: 'old-key' }, { model: 'openrouter:a/b' }],
  ])('give no key %s', async (_case, settings, variables, request) => {
    expect(await refusal(() => resolver(settings, variables).resolve(request))).toMatchObject({
      code: 'no_key',
      exit: 6,
    });
  });
});
