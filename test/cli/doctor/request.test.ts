import { createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestCheck } from '../../../src/cli/doctor/request.ts';
import { explainRequest } from '../../../src/cli/doctor/request-outcome.ts';
import { MODEL_APIS, type ModelApi } from '../../../src/engine/engine.ts';
import { startScriptedModel } from '../../../src/engine/scripted/server.ts';
import type { ModelResolution } from '../../../src/provider/resolve-model.ts';

const KEY = 'sk-doctor-0123456789abcdef';

function resolution(baseUrl: string, api: ModelApi = 'openai-chat'): ModelResolution {
  return {
    name: 'openai-compatible:scripted',
    modelSource: 'profile:cheap (default)',
    profile: 'cheap',
    primary: {
      endpoint: {
        provider: 'openai-compatible',
        model: 'scripted',
        api,
        baseUrl,
        headers: {},
        prices: null,
        contextWindow: null,
        maxOutput: null,
      },
      key: KEY,
      keySource: { kind: 'environment', variable: 'X' },
    },
    fallbacks: [],
    grader: null,
    graderFallbacks: [],
    roles: {},
    small: null,
    engine: 'native',
    permissionMode: null,
    notices: [],
  };
}

/** An endpoint that answers everything with this. */
async function endpoint(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`;
}

describe('one real request', () => {
  it.each(MODEL_APIS)('is answered by a %s endpoint', async (api) => {
    const model = await startScriptedModel({ script: [{ text: 'ok' }] });
    onTestFinished(() => model.close());
    const url = { anthropic: model.anthropicUrl, google: model.googleUrl }[String(api)] ?? model.url;
    expect(await requestCheck(resolution(url, api), {})).toMatch(
      /^openai-compatible:scripted answered in \d/,
    );
  });

  it.each([
    [401, 'config key set cheap'],
    [403, 'config key set cheap'],
    [402, 'no credit'],
    [404, 'config profile show cheap'],
    [429, 'in a minute'],
    [503, 'a problem of its own'],
    [302, 'config profile show cheap'],
  ])('says what %i means, in the endpoint’s words and without the key', async (status, remedy) => {
    const url = await endpoint(status, `{"error":{"message":"no: ${KEY} \\u001b[31m"}}`);
    const finding = await requestCheck(resolution(url), {});
    expect(finding).toMatchObject({ text: expect.stringContaining(`answered ${status}: no: …`) });
    expect(finding).toMatchObject({ remedy: expect.stringContaining(remedy) });
    expect(JSON.stringify(finding)).not.toMatch(/sk-doctor/);
  });

  it('says when nobody listens; what is on this machine is asked without the proxy', async () => {
    const url = await endpoint(200, '');
    const { port } = new URL(url);
    const free = Number(port) === 1 ? 2 : 1;
    await new Promise((resolve) => connect(free, '127.0.0.1').once('error', resolve));
    const finding = await requestCheck(resolution(`http://127.0.0.1:${free}/v1`), {
      HTTP_PROXY: 'http://proxy',
    });
    expect(JSON.stringify(finding)).toMatch(/127\.0\.0\.1 cannot be reached/);
    expect(JSON.stringify(finding)).not.toMatch(/proxy/);
  });

  it('says when it is the proxy that cannot be reached, without its password', async () => {
    const finding = await requestCheck(resolution('https://model.test/v1'), {
      HTTPS_PROXY: 'http://me:proxy-password@127.0.0.1:1',
    });
    expect(finding).toMatchObject({
      text: 'the proxy 127.0.0.1:1 (HTTPS_PROXY) cannot be reached (ECONNREFUSED)',
      remedy: expect.stringContaining('NO_PROXY'),
    });
    expect(JSON.stringify(finding)).not.toMatch(/proxy-password/);
  });

  it('leaves the first signed request to a job', async () => {
    const { primary, ...rest } = resolution('http://127.0.0.1:9');
    const cloud = { kind: 'bedrock', region: 'eu-central-1', signing: null } as const;
    const bedrock = { ...rest, primary: { ...primary, endpoint: { ...primary.endpoint, cloud } } };
    expect(await requestCheck(bedrock, {})).toContain('is set up; its requests are signed');
  });

  it.each([
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
    ['CERT_HAS_EXPIRED', 'NODE_EXTRA_CA_CERTS'],
    ['ENOTFOUND', 'the name is not known'],
    ['ECONNREFUSED', 'start the endpoint'],
    ['UND_ERR_SOCKET', 'check the network'],
  ])('explains %s', (code, remedy) => {
    const target = { name: 'p:m', owner: 'cheap', host: 'h', keyUrl: null };
    expect(explainRequest(target, { kind: 'failed', code })).toMatchObject({
      remedy: expect.stringContaining(remedy),
    });
  });
});
