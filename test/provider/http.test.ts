import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { getJson } from '../../src/provider/get-json.ts';
import { httpFetch } from '../../src/provider/http.ts';
import { routeOf } from '../../src/provider/http-proxy.ts';
import { CERTIFICATE_FILE, listen, startProxy, startSecure } from '../helpers/proxy.ts';

const ok = (_request: IncomingMessage, response: ServerResponse) => response.end('{"ok":true}');

async function errorOf(asked: Promise<unknown>): Promise<Error> {
  return asked.then(
    () => new Error('no error'),
    (error: Error) => error,
  );
}

describe('the way of a request', () => {
  const P = 'http://proxy.corp:3128';
  it.each<[string, Record<string, string>, string | null]>([
    ['https://a.test/v1', {}, null],
    ['https://a.test/v1', { HTTPS_PROXY: P }, 'proxy.corp:3128 (HTTPS_PROXY)'],
    ['https://a.test/v1', { https_proxy: 'http://low:1', HTTPS_PROXY: P }, 'low:1 (https_proxy)'],
    ['https://a.test/v1', { HTTP_PROXY: P }, null],
    ['http://a.test/v1', { HTTP_PROXY: P }, 'proxy.corp:3128 (HTTP_PROXY)'],
    ['https://a.test/v1', { ALL_PROXY: P }, 'proxy.corp:3128 (ALL_PROXY)'],
    ['http://a.test/v1', { all_proxy: 'proxy.corp:8080' }, 'proxy.corp:8080 (all_proxy)'],
    ['https://a.test/v1', { HTTPS_PROXY: 'proxy.corp' }, 'proxy.corp:80 (HTTPS_PROXY)'],
    ['https://a.test/v1', { HTTPS_PROXY: 'socks5h://proxy.corp' }, 'proxy.corp:1080 (HTTPS_PROXY)'],
    ['https://a.test/v1', { HTTPS_PROXY: ' ' }, null],
    ['https://a.test/v1', { HTTPS_PROXY: P, NO_PROXY: 'b.test, a.test' }, null],
    ['https://x.a.test/v1', { HTTPS_PROXY: P, NO_PROXY: 'a.test' }, null],
    ['https://x.a.test/v1', { HTTPS_PROXY: P, NO_PROXY: '.a.test' }, null],
    ['https://x.a.test/v1', { HTTPS_PROXY: P, no_proxy: '*.A.test' }, null],
    ['https://xa.test/v1', { HTTPS_PROXY: P, NO_PROXY: 'a.test' }, 'proxy.corp:3128 (HTTPS_PROXY)'],
    ['https://a.test/v1', { HTTPS_PROXY: P, NO_PROXY: 'a.test:443' }, null],
    ['https://a.test:8443/v1', { HTTPS_PROXY: P, NO_PROXY: 'a.test:443' }, 'proxy.corp:3128 (HTTPS_PROXY)'],
    ['http://[fd00::1]:8000/v1', { HTTP_PROXY: P, NO_PROXY: 'fd00::1' }, null],
    ['https://a.test/v1', { HTTPS_PROXY: P, NO_PROXY: '*' }, null],
    ['http://127.0.0.1:1234/v1', { HTTP_PROXY: P, ALL_PROXY: P }, null],
    ['http://localhost:1234/v1', { HTTP_PROXY: P }, null],
  ])('to %s with %j', (url, env, expected) => {
    const route = routeOf(url, env);
    expect(route.kind === 'proxy' ? route.proxy.name : null).toBe(expected);
    expect(route.kind).toBe(expected === null ? 'direct' : 'proxy');
  });

  it('is refused where the variable is no proxy, without repeating it', async () => {
    const env = { HTTPS_PROXY: 'ftp://me:proxy-password@x' };
    const error = await errorOf(httpFetch(env)('https://a.test/'));
    expect(error.message).toBe('HTTPS_PROXY is not the URL of a proxy (http, https or socks5)');
  });
});

describe('a request', () => {
  it('goes through the proxy to a server whose authority SSL_CERT_FILE names', async () => {
    const port = await startSecure(ok);
    const proxy = await startProxy({ password: 'me:p@ss%' });
    const env = {
      HTTPS_PROXY: `http://me:p%40ss%25@${proxy.address}`,
      SSL_CERT_FILE: CERTIFICATE_FILE,
    };
    const response = await httpFetch(env)(`https://model.test:${port}/v1`);
    expect(await response.json()).toEqual({ ok: true });
    expect(proxy.passed).toMatchObject([{ method: 'CONNECT', target: `model.test:${port}` }]);
  });

  it('is asked of the proxy itself where it is not encrypted', async () => {
    const port = await listen(createServer(ok));
    const proxy = await startProxy({ password: 'me:' });
    const send = httpFetch({ http_proxy: `me@${proxy.address}` });
    const response = await send(`http://model.test:${port}/v1?x=1`, { method: 'POST', body: '{}' });
    expect(await response.json()).toEqual({ ok: true });
    expect(proxy.passed).toMatchObject([{ method: 'POST', target: `http://model.test:${port}/v1?x=1` }]);
  });

  it('takes a request object, too', async () => {
    let got = '';
    const port = await listen(
      createServer(async (incoming, response) => {
        for await (const part of incoming) got += String(part);
        response.end(`${incoming.method} ${incoming.headers['x-mine']}`);
      }),
    );
    const proxy = await startProxy();
    const asked = new Request(`http://model.test:${port}/`, {
      method: 'PUT',
      body: 'hello',
      headers: { 'x-mine': '1' },
    });
    const response = await httpFetch({ ALL_PROXY: `http://${proxy.address}` })(asked);
    expect([await response.text(), got]).toEqual(['PUT 1', 'hello']);
  });

  it('goes to this machine without the proxy', async () => {
    const port = await startSecure(ok);
    const env = { HTTPS_PROXY: 'http://127.0.0.1:1', SSL_CERT_FILE: CERTIFICATE_FILE };
    expect((await httpFetch(env)(`https://localhost:${port}/`)).status).toBe(200);
  });

  it('trusts nobody because of a file that is not there', async () => {
    const port = await startSecure(ok);
    const error = await errorOf(httpFetch({ SSL_CERT_FILE: '/nowhere.pem' })(`https://localhost:${port}/`));
    expect(error.cause).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  it('streams, and ends at once when it is aborted', async () => {
    let gone: Promise<unknown> = Promise.resolve();
    const port = await startSecure((_request, response) => {
      gone = once(response, 'close');
      response.write('first');
    });
    const proxy = await startProxy();
    const env = { HTTPS_PROXY: `http://${proxy.address}`, SSL_CERT_FILE: CERTIFICATE_FILE };
    const stop = new AbortController();
    const response = await httpFetch(env)(`https://model.test:${port}/`, { signal: stop.signal });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
    stop.abort(new Error('enough'));
    expect((await errorOf(reader?.read() ?? Promise.resolve())).message).toBe('enough');
    await gone;
  });

  it('follows no redirect', async () => {
    const port = await startSecure((_request, response) =>
      response.writeHead(302, { location: 'https://elsewhere.test/' }).end(),
    );
    const proxy = await startProxy();
    const env = { HTTPS_PROXY: `http://${proxy.address}`, SSL_CERT_FILE: CERTIFICATE_FILE };
    const response = await httpFetch(env)(`https://model.test:${port}/`, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(proxy.passed).toHaveLength(1);
  });
});

describe('a proxy that fails', () => {
  it.each([
    ['https://model.test/', 407, 'refuses user name and password (407)'],
    ['http://model.test/', 407, 'refuses user name and password (407)'],
    ['https://model.test/', 403, 'would not connect: it answered 403'],
  ])('is named, its password is not: %s %i', async (url, status, said) => {
    const proxy = await startProxy({ status });
    const way = `http://me:proxy-password@${proxy.address}`;
    const error = await errorOf(httpFetch({ HTTPS_PROXY: way, HTTP_PROXY: way })(url));
    const variable = url.startsWith('https') ? 'HTTPS_PROXY' : 'HTTP_PROXY';
    expect(error.message).toBe(`the proxy ${proxy.address} (${variable}) ${said}`);
    expect(error).toMatchObject({ statusCode: status });
    expect(JSON.stringify([error, error.cause, error.stack])).not.toMatch(/proxy-password/);
  });

  it('is told from an endpoint that fails', async () => {
    const error = await errorOf(httpFetch({ HTTPS_PROXY: 'http://127.0.0.1:1' })('https://model.test/'));
    expect(error.message).toBe('the proxy 127.0.0.1:1 (HTTPS_PROXY) cannot be reached (ECONNREFUSED)');
    const port = await startSecure(ok);
    const proxy = await startProxy();
    const other = await errorOf(
      httpFetch({ HTTPS_PROXY: `http://${proxy.address}` })(`https://model.test:${port}/`),
    );
    expect(other.cause).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  it('is what a list of models that cannot be fetched says', async () => {
    const proxy = await startProxy({ status: 407 });
    const answer = await getJson('https://model.test/models', {}, { HTTPS_PROXY: proxy.address });
    expect(answer).toMatchObject({
      why: `the proxy ${proxy.address} (HTTPS_PROXY) wants user name and password (407)`,
    });
  });
});

it('leaves node’s own fetch as it was', async () => {
  const port = await listen(createServer(ok));
  const program = `
    const { httpFetch } = await import(${JSON.stringify(new URL('../../src/provider/http.ts', import.meta.url).href)});
    const failed = await httpFetch({ HTTPS_PROXY: 'http://127.0.0.1:1' })('https://a.test/').catch((e) => e.message);
    const response = await fetch('http://127.0.0.1:${port}/');
    let text = '';
    for await (const part of response.body) text += Buffer.from(part).toString();
    const { getGlobalDispatcher, Agent } = await import('undici');
    console.log(JSON.stringify([failed, text, getGlobalDispatcher() instanceof Agent]));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    program,
  ]);
  // The dispatcher there is node's own still, not the package's.
  expect(JSON.parse(stdout)).toEqual([expect.stringContaining('cannot be reached'), '{"ok":true}', false]);
});

it('trusts what NODE_EXTRA_CA_CERTS names, beside SSL_CERT_FILE too', async () => {
  const port = await startSecure(ok);
  const program = `
    const { httpFetch } = await import(${JSON.stringify(new URL('../../src/provider/http.ts', import.meta.url).href)});
    for (const env of [{}, { SSL_CERT_FILE: '/nowhere.pem', NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }])
      console.log((await httpFetch(env)('https://localhost:${port}/')).status);
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE } },
  );
  expect(stdout).toBe('200\n200\n');
});
