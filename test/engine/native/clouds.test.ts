import { AwsV4Signer } from 'aws4fetch';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ModelRef } from '../../../src/engine/engine.ts';
import { nativeEngine } from '../../../src/engine/native/engine.ts';
import { KEY_HEADERS } from '../../../src/provider/key-header.ts';
import { finish, scripted, spent } from '../harness.ts';
import { type Asked, awsEvents, loopback } from './loopback.ts';

const BASE = {
  apiKey: null,
  headers: {},
  prices: null,
  contextWindow: null,
  maxOutput: null,
} as const;

const converse = (events: Parameters<typeof awsEvents>[0]) => ({
  type: 'application/vnd.amazon.eventstream',
  body: awsEvents(events),
});

const CALLS = converse([
  ['messageStart', { role: 'assistant' }],
  [
    'contentBlockStart',
    { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'tooluse_1', name: 'read' } } },
  ],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{"path":"a.txt"}' } } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ['messageStop', { stopReason: 'tool_use' }],
  ['metadata', { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 115, cacheWriteInputTokens: 100 } }],
]);
const SAYS = converse([
  ['messageStart', { role: 'assistant' }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Done.' } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ['messageStop', { stopReason: 'end_turn' }],
  ['metadata', { usage: { inputTokens: 20, outputTokens: 3, totalTokens: 123, cacheReadInputTokens: 100 } }],
]);

const MODEL = 'global.anthropic.claude-sonnet-5-5';
const bedrock = () => loopback((_asked, index) => (index === 0 ? CALLS : SAYS));

function bedrockRef(baseUrl: string, fields: Partial<ModelRef>): ModelRef {
  const cloud = { kind: 'bedrock', region: 'eu-central-1', signing: null } as const;
  return { ...BASE, provider: 'bedrock', model: MODEL, api: 'openai-chat', baseUrl, cloud, ...fields };
}

describe('Bedrock', () => {
  it('is asked with a Bedrock key, streams a tool call and an answer, and caches', async () => {
    const server = await bedrock();
    const body = { additionalModelRequestFields: { top_k: 5 } };
    const models = [bedrockRef(server.url, { apiKey: 'bedrock-api-key', body })] as const;
    const run = await finish({ engine: nativeEngine, models });
    expect(run.outcome).toEqual({ status: 'done', finalText: 'Done.' });
    expect(run.log).toEqual(['content of a.txt']);
    expect(spent(run.events).usage).toEqual({ input: 30, output: 8, cacheRead: 100, cacheWrite: 100 });
    const [first, second] = server.asked;
    expect(first?.url).toBe(`/model/${MODEL}/converse-stream`);
    expect(first?.headers.authorization).toBe('Bearer bedrock-api-key');
    expect(JSON.parse(first?.text ?? '')).toMatchObject({
      ...body,
      system: [{ text: 'You are a test.' }, { cachePoint: { type: 'default' } }],
      messages: [{ role: 'user', content: [{ text: 'Do the task.' }, { cachePoint: { type: 'default' } }] }],
    });
    expect(JSON.parse(second?.text ?? '').messages).toMatchObject([
      {},
      { content: [{ toolUse: { toolUseId: 'tooluse_1', name: 'read', input: { path: 'a.txt' } } }] },
      { content: [{ toolResult: { toolUseId: 'tooluse_1' } }, { cachePoint: {} }] },
    ]);
  });

  it('has its requests signed as they are sent, the user’s fields in the body', async () => {
    const server = await bedrock();
    const signing = {
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG',
      sessionToken: 'session-token',
    };
    const cloud = { kind: 'bedrock', region: 'eu-central-1', signing } as const;
    const body = { additionalModelRequestFields: { top_k: 5 } };
    await finish({ engine: nativeEngine, models: [bedrockRef(server.url, { cloud, body })] });
    const [asked] = server.asked;
    expect(asked?.text).toContain('top_k');
    expect(asked?.headers['x-amz-security-token']).toBe('session-token');
    expect(asked?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, /,
    );
    expect(await signatureOf(server.url, asked, signing)).toBe(asked?.headers.authorization);
  });

  it('is not told to cache with a model that cannot', async () => {
    const server = await bedrock();
    await finish({
      engine: nativeEngine,
      models: [bedrockRef(server.url, { model: 'qwen.qwen3', apiKey: 'k' })],
    });
    expect(server.asked[0]?.text).not.toContain('cachePoint');
  });
});

/** The signature that belongs to what arrived. */
async function signatureOf(
  origin: string,
  asked: Asked | undefined,
  signing: { accessKeyId: string; secretAccessKey: string; sessionToken: string },
): Promise<string | null> {
  const { headers = {}, url = '', text = '' } = asked ?? {};
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const kept = names
    .filter((name) => name !== 'host')
    .map((name): [string, string] => [name, headers[name] ?? '']);
  const signer = new AwsV4Signer({
    ...signing,
    url: `${origin}${url}`,
    method: 'POST',
    headers: kept,
    body: text,
    region: 'eu-central-1',
    service: 'bedrock',
    datetime: headers['x-amz-date'] ?? '',
  });
  return (await signer.sign()).headers.get('authorization');
}

describe('Azure', () => {
  it.each([
    { api: 'openai-chat', apiVersion: null, url: '/openai/v1/chat/completions', base: '/openai/v1' },
    { api: 'openai-responses', apiVersion: null, url: '/openai/v1/responses', base: '/openai/v1' },
    {
      api: 'openai-chat',
      apiVersion: '2024-10-21',
      url: '/openai/deployments/my-gpt/chat/completions',
      base: '/openai',
    },
  ] as const)('is asked by $api, version $apiVersion', async ({ api, apiVersion, url, base }) => {
    const usage = { prompt: 100, output: 10, cacheRead: 40 };
    const model = await scripted([
      { calls: [{ name: 'read', args: { path: 'a.txt' } }] },
      { text: 'Done.', usage },
    ]);
    const baseUrl = `${new URL(model.url).origin}${base}`;
    const cloud = { kind: 'azure', apiVersion } as const;
    const ref = { ...BASE, provider: 'azure', model: 'my-gpt', api, baseUrl, cloud, apiKey: 'azure-key' };
    const run = await finish({ engine: nativeEngine, models: [ref] });
    expect(run.outcome).toEqual({ status: 'done', finalText: 'Done.' });
    expect(spent(run.events).usage).toEqual({ input: 160, output: 20, cacheRead: 40, cacheWrite: 0 });
    const [asked, next] = model.requests;
    expect(asked?.path).toBe(url);
    expect(asked?.headers['api-key']).toBe('azure-key');
    expect(asked?.headers).not.toHaveProperty('authorization');
    expect(asked?.body).toMatchObject({ model: 'my-gpt', stream: true });
    expect(next?.text).toContain('content of a.txt');
  });
});

it.each([
  { api: 'openai-chat', cloud: { kind: 'bedrock', region: 'eu-central-1', signing: null } },
  { api: 'openai-chat', cloud: { kind: 'azure', apiVersion: null } },
  { api: 'openai-responses', cloud: { kind: 'azure', apiVersion: null } },
  { api: 'google', cloud: { kind: 'vertex', project: 'p', location: 'eu', account: null } },
] as const)('takes no key and no setting from the environment: $cloud.kind, $api', async ({ api, cloud }) => {
  const server = await loopback(() => ({ status: 400, type: 'application/json', body: '{}' }));
  const names = [
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
  ];
  const others = ['AZURE_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_VERTEX_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'];
  for (const name of [...names, ...others]) vi.stubEnv(name, 'sk-of-the-user');
  for (const name of ['AWS_ENDPOINT_URL', 'AZURE_RESOURCE_NAME']) vi.stubEnv(name, 'http://127.0.0.1:1');
  onTestFinished(() => void vi.unstubAllEnvs());
  await finish({
    engine: nativeEngine,
    models: [{ ...BASE, provider: 'c', model: 'm', api, baseUrl: server.url, cloud }],
  });
  expect(server.asked).toHaveLength(1);
  for (const name of KEY_HEADERS) expect(server.asked[0]?.headers).not.toHaveProperty(name);
  expect(JSON.stringify(server.asked)).not.toContain('sk-of-the-user');
});
