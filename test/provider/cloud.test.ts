import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownSecrets } from '../../src/job/redaction/known.ts';
import { settingsSecrets } from '../../src/provider/known-secrets.ts';
import { profileSchema } from '../../src/provider/profile.ts';
import { parseReference } from '../../src/provider/reference.ts';
import { type ModelResolution, resolveModel } from '../../src/provider/resolve-model.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/provider/settings.ts';
import { makeFolder } from '../helpers/repository.ts';
import { refusal } from './user-error-of.ts';

const PRIVATE_KEY =
  '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----\n';

function accountFile(fields: object = {}): string {
  const file = join(makeFolder(), 'account.json');
  const account = {
    type: 'service_account',
    client_email: 'worker@p.iam.gserviceaccount.com',
    private_key: PRIVATE_KEY,
    project_id: 'from-the-file',
  };
  writeFileSync(file, JSON.stringify({ ...account, ...fields }));
  return file;
}

function resolve(
  model: string,
  env: Record<string, string>,
  settings: Partial<Settings> = {},
): ModelResolution {
  const variables = { CC_DELEGATE_HOME: makeFolder(), ...env };
  return resolveModel({ model }, { ...DEFAULT_SETTINGS, ...settings }, variables, () => undefined);
}

const AWS = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7',
};
const BEDROCK = 'bedrock:us.anthropic.claude-x-v1:0';
const VERTEX_HOST = 'https://europe-west4-aiplatform.googleapis.com';
const PLACED = { GOOGLE_VERTEX_PROJECT: 'p', GOOGLE_VERTEX_LOCATION: 'europe-west4' };

describe('access to a cloud', () => {
  it('is read from the variables its own tools know: Bedrock, signed', () => {
    const { primary } = resolve(BEDROCK, { ...AWS, AWS_SESSION_TOKEN: 'st' });
    expect(primary.key).toBeNull();
    expect(primary.endpoint).toMatchObject({
      model: 'us.anthropic.claude-x-v1:0',
      baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
      cloud: {
        kind: 'bedrock',
        region: 'eu-central-1',
        signing: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7', sessionToken: 'st' },
      },
    });
  });

  it('prefers a key to signing: Bedrock', () => {
    const { primary } = resolve(BEDROCK, { ...AWS, AWS_BEARER_TOKEN_BEDROCK: 'bk' });
    expect(primary).toMatchObject({ key: 'bk', endpoint: { cloud: { kind: 'bedrock', signing: null } } });
  });

  it.each([
    {
      what: 'the resource',
      profile: {},
      env: { AZURE_API_KEY: 'k', AZURE_RESOURCE_NAME: 'mine' },
      baseUrl: 'https://mine.openai.azure.com/openai/v1',
      apiVersion: null,
    },
    {
      what: 'the profile',
      profile: { baseUrl: 'https://gate.example/openai', apiVersion: '2024-10-21' },
      env: { AZURE_API_KEY: 'k', AZURE_RESOURCE_NAME: 'mine' },
      baseUrl: 'https://gate.example/openai',
      apiVersion: '2024-10-21',
    },
  ])('goes to where $what says: Azure', ({ profile, env, baseUrl, apiVersion }) => {
    const profiles = { a: { provider: 'azure', model: 'dep', ...profile } };
    const { primary } = resolve('a', env, { profiles, defaultProfile: 'a' });
    expect(primary).toMatchObject({ key: 'k', endpoint: { baseUrl, cloud: { kind: 'azure', apiVersion } } });
  });

  it.each([
    { where: 'europe-west4', host: VERTEX_HOST },
    { where: 'global', host: 'https://aiplatform.googleapis.com' },
    { where: 'eu', host: 'https://aiplatform.eu.rep.googleapis.com' },
  ])('is a service account of a project in $where: Vertex', ({ where, host }) => {
    const env = { GOOGLE_APPLICATION_CREDENTIALS: accountFile(), GOOGLE_VERTEX_LOCATION: where };
    const { primary } = resolve('vertex:gemini-3.8-flash', env);
    expect(primary.endpoint).toMatchObject({
      api: 'google',
      baseUrl: `${host}/v1beta1/projects/from-the-file/locations/${where}/publishers/google`,
      cloud: { account: { clientEmail: 'worker@p.iam.gserviceaccount.com', privateKey: PRIVATE_KEY } },
    });
  });

  it('takes a key without a project, and with one: Vertex', () => {
    const alone = resolve('vertex:m', { GOOGLE_VERTEX_API_KEY: 'vk' });
    expect(alone.primary.endpoint.baseUrl).toBe('https://aiplatform.googleapis.com/v1/publishers/google');
    const placed = resolve('vertex:m', { GOOGLE_VERTEX_API_KEY: 'vk', ...PLACED });
    expect(placed.primary).toMatchObject({
      key: 'vk',
      endpoint: { baseUrl: `${VERTEX_HOST}/v1beta1/projects/p/locations/europe-west4/publishers/google` },
    });
  });

  it.each([
    [BEDROCK, { ...AWS, AWS_REGION: '' }, 'AWS_REGION'],
    [BEDROCK, { ...AWS, AWS_REGION: 'evil.example/x' }, 'AWS_REGION'],
    [BEDROCK, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'a' }, 'AWS_SECRET_ACCESS_KEY'],
    ['azure:dep', { AZURE_API_KEY: 'k' }, 'AZURE_RESOURCE_NAME'],
    ['azure:dep', { AZURE_API_KEY: 'k', AZURE_RESOURCE_NAME: 'a.evil/' }, 'AZURE_RESOURCE_NAME'],
    ['azure:dep', { AZURE_RESOURCE_NAME: 'mine' }, 'AZURE_API_KEY'],
    ['vertex:m', PLACED, 'GOOGLE_APPLICATION_CREDENTIALS'],
    [
      'vertex:m',
      { ...PLACED, GOOGLE_APPLICATION_CREDENTIALS: '/no/such/file' },
      'the JSON file of a service account',
    ],
    ['vertex:m', { GOOGLE_VERTEX_API_KEY: 'k', GOOGLE_VERTEX_PROJECT: 'p' }, 'GOOGLE_VERTEX_LOCATION'],
  ])('names what is missing for %s with %j', async (model, env, named) => {
    const error = await refusal(() => resolve(model, env));
    expect(error.exit).toBe(6);
    expect(error.remedy).toContain(named);
  });

  it('takes no person’s login for a service account', async () => {
    const file = accountFile({ type: 'authorized_user' });
    const error = await refusal(() =>
      resolve('vertex:m', { ...PLACED, GOOGLE_APPLICATION_CREDENTIALS: file }),
    );
    expect(error.remedy).toContain('service account');
  });

  it('is never guessed from variables that lie around', async () => {
    const env = { CC_DELEGATE_HOME: makeFolder(), ...AWS, AWS_BEARER_TOKEN_BEDROCK: 'bk' };
    const error = await refusal(() => resolveModel({}, DEFAULT_SETTINGS, env, () => undefined));
    expect(error.exit).toBe(6);
  });

  it('leaves a fallback out that lacks it, and goes on', () => {
    const profiles = { p: { provider: 'ollama', model: 'm', fallbacks: ['azure:dep'] } };
    const { fallbacks, notices } = resolve('p', {}, { profiles, defaultProfile: 'p' });
    expect(fallbacks).toEqual([]);
    expect(notices.join()).toContain('azure:dep');
  });

  it('has secrets, which are known as such', () => {
    const bedrock = resolve(BEDROCK, { ...AWS, AWS_SESSION_TOKEN: 'FwoGZXIvYXdzEBYaD' }).primary;
    const env = { GOOGLE_APPLICATION_CREDENTIALS: accountFile(), ...PLACED };
    const vertex = resolve('vertex:m', env).primary;
    const models = [bedrock, vertex].map(({ endpoint, key }) => ({ ...endpoint, apiKey: key }));
    const wanted = ['wJalrXUtnFEMI/K7', 'FwoGZXIvYXdzEBYaD', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj'];
    expect(ownSecrets({ models }).map(({ value }) => value)).toEqual(expect.arrayContaining(wanted));
    const all = { CC_DELEGATE_HOME: makeFolder(), ...AWS, AWS_SESSION_TOKEN: 'FwoGZXIvYXdzEBYaD', ...env };
    expect(settingsSecrets(all, () => undefined).map(({ value }) => value)).toEqual(
      expect.arrayContaining(wanted),
    );
  });
});

describe('a profile of a cloud', () => {
  it.each([
    { provider: 'bedrock', model: 'us.anthropic.claude-x-v1:0', region: 'us-east-1' },
    { provider: 'azure', model: 'dep', api: 'openai-responses' },
    { provider: 'vertex', project: 'example.com:p', location: 'global' },
  ])('needs no URL: %j', (profile) => {
    expect(profileSchema.safeParse(profile).success).toBe(true);
  });

  it.each([
    { provider: 'azure' },
    { provider: 'bedrock', region: 'us-east-1/x' },
    { provider: 'vertex', api: 'anthropic' },
    { provider: 'vertex', keyEnv: 'GEMINI_API_KEY' },
  ])('is refused: %j', (profile) => {
    expect(profileSchema.safeParse(profile).success).toBe(false);
  });
});

it('finds Google’s key under either of its names, its own first', () => {
  const key = (env: Record<string, string>) => resolve('google:gemini-3.8-flash', env).primary.key;
  expect(key({ GEMINI_API_KEY: 'second' })).toBe('second');
  expect(key({ GEMINI_API_KEY: 'second', GOOGLE_GENERATIVE_AI_API_KEY: 'first' })).toBe('first');
});

it.each([
  ['litellm:gemini/gemini-3.8-flash', 'google', 'gemini-3.8-flash'],
  ['litellm:dashscope/qwen3.7-plus', 'qwen', 'qwen3.7-plus'],
  ['litellm:vertex_ai/gemini-3.8-flash', 'vertex', 'gemini-3.8-flash'],
  ['litellm:github_copilot/kimi-k3', 'copilot', 'kimi-k3'],
])('reads %s as %s:%s', (typed, provider, model) => {
  expect(parseReference(typed, { own: null, profiles: {} })).toEqual({ provider, model, profile: null });
});

it('refuses a prefix nobody knows, with the way to a LiteLLM proxy', async () => {
  const error = await refusal(() => resolve('litellm:together_ai/x', {}));
  expect(error.exit).toBe(2);
  expect(error.remedy).toMatch(/LiteLLM proxy: cc-delegate config profile set .*--base-url/);
});
