import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelRef } from '../../../src/engine/engine.ts';
import { nativeEngine } from '../../../src/engine/native/engine.ts';
import { accountTokens } from '../../../src/engine/native/google-token.ts';
import { finish, scripted } from '../harness.ts';
import { loopback } from './loopback.ts';

/** A host that sends every request to another one, as a moved or a captured endpoint does. */
async function redirecting(status: number, to: string): Promise<string> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(status, { location: `${to}${incoming.url ?? ''}` });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const BASE = {
  provider: 'openai',
  model: 'm',
  apiKey: 'sk-secret',
  headers: {},
  prices: null,
  contextWindow: null,
  maxOutput: null,
} as const;

const KINDS: readonly (readonly [name: string, parts: Pick<ModelRef, 'api' | 'cloud'>])[] = [
  ['openai-chat', { api: 'openai-chat' }],
  ['openai-responses', { api: 'openai-responses' }],
  ['anthropic', { api: 'anthropic' }],
  ['google', { api: 'google' }],
  ['azure', { api: 'openai-chat', cloud: { kind: 'azure', apiVersion: null } }],
  ['bedrock', { api: 'openai-chat', cloud: { kind: 'bedrock', region: 'eu-central-1', signing: null } }],
  ['vertex', { api: 'google', cloud: { kind: 'vertex', project: 'p', location: 'eu', account: null } }],
];

describe('an endpoint that sends requests to another host', () => {
  it.each(KINDS)('is not followed, and another model takes over: %s', async (_name, parts) => {
    const elsewhere = await loopback(() => ({ type: 'application/json', body: '{}' }));
    const moved = { ...BASE, ...parts, baseUrl: await redirecting(307, elsewhere.url) };
    const alone = await finish({ engine: nativeEngine, models: [moved] });
    expect(alone.outcome).toMatchObject({
      message: expect.stringMatching(/\(HTTP 307\), which is not followed: correct the baseUrl/),
    });
    const other = await scripted([{ text: 'Done.' }]);
    const spare = { ...BASE, api: 'openai-chat', apiKey: null, baseUrl: other.url } as const;
    const run = await finish({ engine: nativeEngine, models: [moved, spare] });
    expect(run.outcome).toEqual({ status: 'done', finalText: 'Done.' });
    expect(elsewhere.asked).toEqual([]);
  });

  it('gets no claim of a service account either', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const elsewhere = await loopback(() => ({ type: 'application/json', body: '{"access_token":"t"}' }));
    const token = accountTokens(
      { clientEmail: 'worker@p.example', privateKey },
      `${await redirecting(308, elsewhere.url)}/token`,
    );
    const answer = await token(fetch);
    expect(answer).toMatchObject({ status: 401 });
    expect(elsewhere.asked).toEqual([]);
  });
});
