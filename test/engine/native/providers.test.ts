import { describe, expect, it } from 'vitest';
import { nativeEngine } from '../../../src/engine/native/engine.ts';
import { endpointOf } from '../../../src/provider/endpoint.ts';
import { PROVIDERS, type ProviderApi } from '../../../src/provider/providers.ts';
import { finish, scripted } from '../harness.ts';

const CHAT = 'openai-chat';
const RESPONSES = 'openai-responses';

interface Row {
  readonly id: string;
  readonly api: ProviderApi;
  /** Without a profile. */
  readonly base: string;
  /** As the endpoint sees it, host apart. */
  readonly path: string;
  readonly key: Readonly<Record<string, string>>;
}

const row = (id: string, api: ProviderApi, base: string, path: string, header: string | null): Row => {
  const value = header === 'authorization' ? 'Bearer sk-test-key' : 'sk-test-key';
  return { id, api, base, path, key: header === null ? {} : { [header]: value } };
};

const BEARER = 'authorization';
const ROWS: readonly Row[] = [
  row('openrouter', CHAT, 'https://openrouter.ai/api/v1', '/api/v1/chat/completions', BEARER),
  row('openrouter', 'anthropic', 'https://openrouter.ai/api/v1', '/api/v1/messages', BEARER),
  row('minimax', 'anthropic', 'https://api.minimax.io/anthropic/v1', '/anthropic/v1/messages', 'x-api-key'),
  row('minimax', CHAT, 'https://api.minimax.io/v1', '/v1/chat/completions', BEARER),
  row('deepseek', CHAT, 'https://api.deepseek.com/v1', '/v1/chat/completions', BEARER),
  row(
    'deepseek',
    'anthropic',
    'https://api.deepseek.com/anthropic/v1',
    '/anthropic/v1/messages',
    'x-api-key',
  ),
  row('moonshot', CHAT, 'https://api.moonshot.ai/v1', '/v1/chat/completions', BEARER),
  row('moonshot', 'anthropic', 'https://api.moonshot.ai/anthropic/v1', '/anthropic/v1/messages', 'x-api-key'),
  row('zai', CHAT, 'https://api.z.ai/api/paas/v4', '/api/paas/v4/chat/completions', BEARER),
  row('zai', 'anthropic', 'https://api.z.ai/api/anthropic/v1', '/api/anthropic/v1/messages', 'x-api-key'),
  row(
    'google',
    'google',
    'https://generativelanguage.googleapis.com/v1beta',
    '/v1beta/models/gemini-3.8-flash:streamGenerateContent',
    'x-goog-api-key',
  ),
  row('xai', CHAT, 'https://api.x.ai/v1', '/v1/chat/completions', BEARER),
  row('xai', RESPONSES, 'https://api.x.ai/v1', '/v1/responses', BEARER),
  row('groq', CHAT, 'https://api.groq.com/openai/v1', '/openai/v1/chat/completions', BEARER),
  row('mistral', CHAT, 'https://api.mistral.ai/v1', '/v1/chat/completions', BEARER),
  row(
    'qwen',
    CHAT,
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    '/compatible-mode/v1/chat/completions',
    BEARER,
  ),
  row(
    'qwen',
    'anthropic',
    'https://dashscope-intl.aliyuncs.com/apps/anthropic/v1',
    '/apps/anthropic/v1/messages',
    'x-api-key',
  ),
  row('openai', RESPONSES, 'https://api.openai.com/v1', '/v1/responses', BEARER),
  row('openai', CHAT, 'https://api.openai.com/v1', '/v1/chat/completions', BEARER),
  row('anthropic', 'anthropic', 'https://api.anthropic.com/v1', '/v1/messages', 'x-api-key'),
  row('ollama', CHAT, 'http://127.0.0.1:11434/v1', '/v1/chat/completions', null),
  row('lmstudio', CHAT, 'http://127.0.0.1:1234/v1', '/v1/chat/completions', null),
  row('vllm', CHAT, 'http://127.0.0.1:8000/v1', '/v1/chat/completions', null),
];

/** What each protocol has in its body whatever the provider. */
const BODIES: Record<ProviderApi, (model: string) => object> = {
  'openai-chat': (model) => ({
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'system' }, { role: 'user' }],
    tools: [{ type: 'function' }, {}, {}],
  }),
  'openai-responses': (model) => ({
    model,
    stream: true,
    store: false,
    tools: [{ type: 'function' }, {}, {}],
  }),
  anthropic: (model) => ({
    model,
    stream: true,
    max_tokens: expect.any(Number),
    system: [{ type: 'text', cache_control: { type: 'ephemeral' } }],
  }),
  google: () => ({ contents: [{ role: 'user' }], systemInstruction: {}, tools: [{}] }),
};

/** Clouds, logins and what a profile alone brings to life have tests of their own. */
const HAS_OWN_TEST = [
  'bedrock',
  'azure',
  'vertex',
  'copilot',
  'chatgpt',
  'openai-compatible',
  'anthropic-compatible',
];

describe('a request to a provider', () => {
  it('has a row here for every protocol of every entry', () => {
    const entries = PROVIDERS.filter(({ id }) => !HAS_OWN_TEST.includes(id));
    const wanted = entries.flatMap(({ id, endpoints }) => endpoints.map(({ api }) => `${id} ${api}`));
    expect(ROWS.map(({ id, api }) => `${id} ${api}`).sort()).toEqual(wanted.sort());
  });

  it.each(ROWS)(
    'goes to $base by $api, with its key where it belongs: $id',
    async ({ id, api, base, path, key }) => {
      const provider = PROVIDERS.find((entry) => entry.id === id);
      const name = provider?.defaultModel ?? 'some-model';
      const reference = { provider: id, model: name, profile: null };
      expect(endpointOf(reference, { provider: id, model: name, api }).baseUrl).toBe(base);

      const model = await scripted([{ text: 'Done.' }]);
      const baseUrl = `${new URL(model.url).origin}${new URL(base).pathname}`;
      const endpoint = endpointOf(reference, { provider: id, model: name, api, baseUrl });
      const ref = { ...endpoint, apiKey: provider?.needsKey === 'always' ? 'sk-test-key' : null };
      const run = await finish({ engine: nativeEngine, models: [ref] });
      expect(run.outcome).toEqual({ status: 'done', finalText: 'Done.' });

      const [asked] = model.requests;
      expect(asked?.path).toBe(path);
      const { authorization, ...headers } = asked?.headers ?? {};
      const keys = ['x-api-key', 'x-goog-api-key', 'api-key'].flatMap((each) => headers[each] ?? []);
      expect({ ...headers, authorization }).toMatchObject({ ...key, 'x-cc-delegate-role': 'worker' });
      expect([...keys, ...(authorization === undefined ? [] : [authorization])]).toEqual(Object.values(key));
      expect(asked?.body).toMatchObject(BODIES[api](name));
    },
  );

  it('asks Copilot by the protocol each of its models has', () => {
    const apiOf = (model: string) => endpointOf({ provider: 'copilot', model, profile: null }, undefined);
    expect(apiOf('gemini-3.8-flash')).toMatchObject({
      api: CHAT,
      baseUrl: 'https://api.githubcopilot.com',
      login: { kind: 'copilot', owner: 'copilot' },
    });
    expect(apiOf('gpt-6.1-terra')).toMatchObject({
      api: RESPONSES,
      baseUrl: 'https://api.githubcopilot.com',
    });
    expect(apiOf('claude-sonnet-5.5')).toMatchObject({
      api: 'anthropic',
      baseUrl: 'https://api.githubcopilot.com/v1',
    });
    const chatgpt = endpointOf({ provider: 'chatgpt', model: 'gpt-6-luna', profile: 'mine' }, undefined);
    expect(chatgpt).toMatchObject({
      api: RESPONSES,
      baseUrl: 'https://chatgpt.com/backend-api/codex',
      login: { kind: 'chatgpt', owner: 'mine' },
    });
  });
});

describe('the body of a request', () => {
  it.each(['openai-chat', 'openai-responses', 'anthropic', 'google'] as const)(
    'has the user’s own fields laid over it: %s',
    async (api) => {
      const model = await scripted([{ text: 'Done.' }]);
      const base = { anthropic: model.anthropicUrl, google: model.googleUrl }[String(api)] ?? model.url;
      const reference = { provider: 'openai', model: 'm', profile: null };
      const endpoint = endpointOf(reference, { provider: 'openai', model: 'm', api, baseUrl: base });
      const body = { provider: { zdr: true }, stream_options: null };
      await finish({ engine: nativeEngine, models: [{ ...endpoint, apiKey: null, body }] });
      expect(model.requests[0]?.body).toMatchObject(body);
    },
  );

  it.each([
    ['openai', 'max_completion_tokens'],
    ['mistral', 'max_tokens'],
  ])('limits the answer of %s by %s', async (provider, field) => {
    const model = await scripted([{ text: 'Done.' }]);
    const profile = { provider, model: 'm', api: CHAT, baseUrl: model.url, maxOutput: 77 } as const;
    const endpoint = endpointOf({ provider, model: 'm', profile: null }, profile);
    await finish({ engine: nativeEngine, models: [{ ...endpoint, apiKey: null }] });
    const limits = Object.entries(model.requests[0]?.body ?? {}).filter(([name]) => name.startsWith('max_'));
    expect(limits).toEqual([[field, 77]]);
  });
});

it('takes a header of the profile for the key’s', async () => {
  const model = await scripted([{ text: 'Done.' }]);
  const profile = {
    provider: 'anthropic',
    model: 'm',
    baseUrl: model.anthropicUrl,
    headers: { 'X-Api-Key': 'own' },
  };
  const endpoint = endpointOf({ provider: 'anthropic', model: 'm', profile: null }, profile);
  await finish({ engine: nativeEngine, models: [{ ...endpoint, apiKey: 'sk-test-key' }] });
  expect(model.requests[0]?.headers['x-api-key']).toBe('own');
});
