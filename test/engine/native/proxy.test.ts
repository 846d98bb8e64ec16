import { expect, it, onTestFinished, vi } from 'vitest';
import { nativeEngine } from '../../../src/engine/native/engine.ts';
import { CERTIFICATE_FILE, handOn, startProxy, startSecure } from '../../helpers/proxy.ts';
import { begin, modelRef, scripted } from '../harness.ts';

function setVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

it.each(['openai-chat', 'anthropic'] as const)('a whole exchange goes through the proxy: %s', async (api) => {
  const model = await scripted([{ calls: [{ name: 'read', args: { path: 'a' } }] }, { text: 'done' }]);
  const own = modelRef(model, api);
  const { port } = new URL(own.baseUrl);
  const secure = await startSecure((incoming, response) =>
    handOn(Number(port), incoming.url ?? '/', incoming, response),
  );
  const proxy = await startProxy({ password: 'me:secret' });
  setVariables({ HTTPS_PROXY: `http://me:secret@${proxy.address}`, SSL_CERT_FILE: CERTIFICATE_FILE });
  const baseUrl = own.baseUrl.replace(`http://127.0.0.1:${port}`, `https://model.test:${secure}`);
  const { run } = begin({ engine: nativeEngine, models: [{ ...own, baseUrl }] });
  expect(await run.done).toMatchObject({ status: 'done' });
  expect(model.requests).toHaveLength(2);
  expect(proxy.passed[0]).toMatchObject({ method: 'CONNECT', target: `model.test:${secure}` });
});

it('a proxy that refuses the password ends the run, named and without it', async () => {
  const model = await scripted([]);
  const proxy = await startProxy({ password: 'me:other' });
  setVariables({ HTTPS_PROXY: `http://me:proxy-password@${proxy.address}` });
  const { run } = begin({
    engine: nativeEngine,
    models: [{ ...modelRef(model, 'openai-chat'), baseUrl: 'https://model.test/v1' }],
  });
  const outcome = await run.done;
  expect(outcome).toMatchObject({ status: 'failed', kind: 'auth' });
  expect(JSON.stringify(outcome)).toContain(`the proxy ${proxy.address} (HTTPS_PROXY) refuses`);
  expect(JSON.stringify(outcome)).not.toContain('proxy-password');
  expect(proxy.passed).toHaveLength(1);
});
