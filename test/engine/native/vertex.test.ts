import { createVerify, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nativeEngine } from '../../../src/engine/native/engine.ts';
import { accountTokens } from '../../../src/engine/native/google-token.ts';
import { openVertex } from '../../../src/engine/native/open-vertex.ts';
import { runStep } from '../../../src/engine/native/step.ts';
import { finish, scripted, spent } from '../harness.ts';
import { loopback } from './loopback.ts';

const BASE = {
  apiKey: null,
  headers: {},
  prices: null,
  contextWindow: null,
  maxOutput: null,
} as const;

const VERTEX = { provider: 'vertex', model: 'gemini-3.8-flash', api: 'google' } as const;
const PLACE = '/v1beta1/projects/p/locations/europe-west4/publishers/google';
const PATH = `${PLACE}/models/gemini-3.8-flash:streamGenerateContent`;

describe('Vertex', () => {
  it('is asked with a key', async () => {
    const usage = { prompt: 100, output: 10, cacheRead: 40 };
    const model = await scripted([
      { calls: [{ name: 'read', args: { path: 'a.txt' } }] },
      { text: 'Done.', usage },
    ]);
    const cloud = { kind: 'vertex', project: 'p', location: 'europe-west4', account: null } as const;
    const baseUrl = `${new URL(model.url).origin}${PLACE}`;
    const run = await finish({
      engine: nativeEngine,
      models: [{ ...BASE, ...VERTEX, baseUrl, cloud, apiKey: 'vk' }],
    });
    expect(run.outcome).toEqual({ status: 'done', finalText: 'Done.' });
    expect(spent(run.events).usage).toEqual({ input: 160, output: 20, cacheRead: 40, cacheWrite: 0 });
    expect(model.requests[0]?.path).toBe(PATH);
    expect(model.requests[0]?.headers['x-goog-api-key']).toBe('vk');
    expect(model.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(model.requests[1]?.body.contents).toMatchObject([
      {},
      { parts: [{ functionCall: { name: 'read' }, thoughtSignature: 'c2NyaXB0ZWQ=' }] },
      {},
    ]);
  });

  it('is asked as a service account, with a token that is kept', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const google = await loopback(() => ({
      type: 'application/json',
      body: JSON.stringify({ access_token: 'ya29.token', expires_in: 3599 }),
    }));
    const model = await scripted([{ text: 'Done.' }]);
    const account = { clientEmail: 'worker@p.iam.gserviceaccount.com', privateKey };
    const cloud = { kind: 'vertex', project: 'p', location: 'europe-west4', account } as const;
    const ref = { ...BASE, ...VERTEX, baseUrl: `${new URL(model.url).origin}${PLACE}`, cloud };
    const opened = {
      ...openVertex(ref, cloud, `${google.url}/token`),
      sdk: await import('ai'),
      maxOutput: undefined,
    };
    const question = {
      role: 'worker',
      system: 's',
      messages: [{ role: 'user', content: 'q' }],
      tools: [],
    } as const;
    const options = {
      signal: new AbortController().signal,
      idleMs: 5000,
      nowMs: 0,
      onDelta: () => undefined,
    };
    for (let n = 0; n < 2; n += 1) {
      expect(await runStep(opened, question, options)).toMatchObject({
        kind: 'answer',
        answer: { text: 'Done.' },
      });
    }
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill('Bearer ya29.token'),
    );
    expect(google.asked).toHaveLength(1);
    const form = new URLSearchParams(google.asked[0]?.text);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    expect(
      createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url'),
    ).toBe(true);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: account.clientEmail,
      aud: `${google.url}/token`,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
  });

  it.each([
    { why: 'the account is unknown', status: 400, wanted: 401 },
    { why: 'the service is down', status: 503, wanted: 503 },
  ])('fails as what it is when $why', async ({ status, wanted }) => {
    const google = await loopback(() => ({
      status,
      type: 'application/json',
      body: '{"error":"invalid_grant"}',
    }));
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const answer = await accountTokens({ clientEmail: 'a@b', privateKey }, google.url)(fetch);
    expect(answer).toMatchObject({ status: wanted });
  });

  it('says so when the account’s key is none, and shows nothing of it', async () => {
    const answer = await accountTokens(
      { clientEmail: 'a@b', privateKey: 'no key at all' },
      'http://127.0.0.1:1',
    )(fetch);
    const text = answer instanceof Response ? await answer.text() : '';
    expect(text).toContain('the private key of the service account');
    expect(text).not.toContain('no key at all');
  });
});
