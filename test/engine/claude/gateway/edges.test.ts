import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import type { EngineHost } from '../../../../src/engine/engine.ts';
import type { ScriptedRequest } from '../../../../src/engine/scripted/server.ts';
import { pieces, type Turn } from '../../../../src/engine/scripted/turn.ts';
import { eventsOf, spent } from '../../harness.ts';
import { open, TOKEN } from './scene.ts';

const DONE: Turn = { text: 'All done.' };
const HANGING: Turn = { text: 'I will', ending: 'hang' };
const SSE = { 'content-type': 'text/event-stream' };

const frame = (type: string, fields: object): string =>
  `event: ${type}\r\ndata: ${JSON.stringify({ type, ...fields })}\r\n\r\n`;
const PIECE = 200_000;
const MESSAGE = { id: 'm1', type: 'message', role: 'assistant', model: 'scripted', content: [] };

/** A whole answer as an endpoint writes it, in these words. */
function answer(
  text: string,
  usage: object = { input_tokens: 10, output_tokens: 0 },
  last: object = {},
): string {
  return [
    frame('message_start', { message: { ...MESSAGE, usage } }),
    frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces(text, PIECE).map((piece) =>
      frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } }),
    ),
    frame('content_block_stop', { index: 0 }),
    frame('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5, ...last } }),
    frame('message_stop', {}),
  ].join('');
}

/** The address of an endpoint that says this, and nothing more, for ever. */
async function lineThatStaysOpen(text: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(200, SSE).write(text));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The last thing the user said in this request. */
function lastWords({ body }: ScriptedRequest): string {
  return String(body.messages.at(-1)?.content);
}

describe('an endpoint', () => {
  it('may ask for patience without saying how much', async () => {
    const scene = await open({ script: [{ status: 429 }, { status: 429 }, DONE] });
    expect(await scene.ask()).toMatchObject({ status: 200 });
    expect(scene.clock.waits).toEqual([1000, 2000]);
  });

  it('may not let us in (403): the next model is asked, and the ones after it never again', async () => {
    const scene = await open({ script: [{ status: 403 }], second: [DONE] });
    expect(await scene.ask()).toMatchObject({ status: 200 });
    expect(await scene.ask()).toMatchObject({ status: 200 });
    expect(scene.model.requests).toHaveLength(1);
    expect(eventsOf(scene.events, 'fallback')).toMatchObject([
      { from: 'test/scripted', to: 'test/second', kind: 'auth' },
    ]);
  });

  it.each([
    { type: 'authentication_error', waits: [] },
    { type: 'permission_error', waits: [] },
    { type: 'overloaded_error', waits: [1000, 2000] },
    { type: 'rate_limit_error', waits: [1000, 2000] },
  ])('may say $type in its stream as it would have said it before', async ({ type, waits }) => {
    const failing = { status: 200, headers: SSE, body: frame('error', { error: { type, message: 'no' } }) };
    const scene = await open({ script: [failing], second: [DONE] });
    expect(await scene.ask()).toMatchObject({ status: 200 });
    expect(scene.clock.waits).toEqual(waits);
  });

  it('may send a line of 300 KB, with CRLF, in one piece', async () => {
    const long = 'ä'.repeat(150_000);
    const scene = await open({ script: [{ status: 200, headers: SSE, body: answer(long) }] });
    const reply = await scene.ask();
    expect(reply.text).toBe(answer(long));
    expect(eventsOf(scene.events, 'text')).toMatchObject([{ delta: long }]);
  });

  it('may answer with something that is no answer', async () => {
    const garbage = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>hello</html>' };
    const scene = await open({ script: [garbage, { ...garbage, body: '{"half":' }, DONE] });
    expect(await scene.ask()).toMatchObject({ status: 200 });
    expect(await scene.ask({ stream: false })).toMatchObject({ status: 200 });
    expect(scene.model.requests).toHaveLength(4);
  });

  it('may report what a request cost', async () => {
    const usage = { input_tokens: 10, output_tokens: 0 };
    const body = answer('ok', usage, { cost: 0.0123 });
    const scene = await open({
      script: [{ status: 200, headers: SSE, body }],
      ref: { prices: { input: 1, output: 1 } },
    });
    await scene.ask();
    expect(eventsOf(scene.events, 'spend')[0]).toMatchObject({
      estimated: false,
      spend: { usd: 0.0123, basis: 'reported', usage: { input: 10, output: 5 } },
    });
  });

  it('may keep the line open after its last word: the answer is whole', async () => {
    const baseUrl = await lineThatStaysOpen(answer('ok'));
    const scene = await open({ script: [DONE], ref: { baseUrl }, options: { idleMs: 60_000 } });
    expect(await scene.ask()).toMatchObject({ status: 200, broken: false, text: answer('ok') });
    expect(eventsOf(scene.events, 'step_end')).toMatchObject([{ finish: 'stop' }]);
  });

  it('may hand back the key: the client does not get it', async () => {
    const echo = { error: { message: 'context length exceeded for sk-test-key' } };
    const scene = await open({
      script: [{ status: 400, headers: { 'request-id': 'r1', 'x-echo': 'sk-test-key' }, body: echo }],
    });
    const reply = await scene.ask();
    expect(reply.text).toContain('prompt is too long');
    expect(JSON.stringify(reply)).not.toContain('sk-test-key');
  });

  it('gets what is new in the protocol, and its versions, where it is the protocol’s own', async () => {
    const own = await open({ script: [DONE], ref: { provider: 'anthropic' } });
    const headers = { 'anthropic-version': '2099-01-01', 'anthropic-beta': 'b1' };
    const body = { model: 'x', stream: true, messages: [] };
    await own.post('/v1/messages?beta=true', body, headers);
    expect(own.model.requests[0]?.headers).toMatchObject(headers);
    const other = await open({ script: [DONE] });
    await other.post('/v1/messages?beta=true', body, headers);
    expect(other.model.requests[0]?.headers['anthropic-version']).toBe('2099-01-01');
    expect(other.model.requests[0]?.headers['anthropic-beta']).toBeUndefined();
  });
});

describe('the client', () => {
  it('may ask twice at once: each has its answer and its step', async () => {
    const scene = await open({
      script: async (asked) => ({ text: `heard ${lastWords(asked)}`, firstByteMs: 50 }),
    });
    const say = (content: string) => scene.ask({ messages: [{ role: 'user', content }] });
    const [one, two] = await Promise.all([say('one'), say('two')]);
    expect(one.text).toContain('heard one');
    expect(two.text).toContain('heard two');
    expect(eventsOf(scene.events, 'step_start').map(({ step }) => step)).toEqual([1, 2]);
    expect(eventsOf(scene.events, 'step_end')).toHaveLength(2);
    expect(spent(scene.events).usage).toMatchObject({ input: 200, output: 20 });
  });

  it('asks again for what broke off while others are answered: one step, and an end to it', async () => {
    const scene = await open({
      script: async (asked) => (lastWords(asked) === 'bad' ? { text: 'x'.repeat(40), ending: 'cut' } : DONE),
    });
    const say = (content: string) => scene.ask({ messages: [{ role: 'user', content }] });
    for (let round = 0; round < 3; round += 1) {
      expect(scene.gateway.verdict).toBeNull();
      expect(await say('bad')).toMatchObject({ broken: true });
      if (round < 2) expect(await say('good')).toMatchObject({ broken: false });
    }
    expect(scene.gateway.verdict).toMatchObject({ status: 'failed', kind: 'transient' });
    expect(eventsOf(scene.events, 'step_start').map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(eventsOf(scene.events, 'retry').map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('goes to the next model with what breaks off again and again', async () => {
    const cut: Turn = { text: 'x'.repeat(40), ending: 'cut' };
    const scene = await open({ script: [cut], second: [DONE] });
    for (let round = 0; round < 3; round += 1) expect(await scene.ask()).toMatchObject({ broken: true });
    expect(await scene.ask()).toMatchObject({ status: 200, broken: false });
    expect(scene.gateway.verdict).toBeNull();
    expect(eventsOf(scene.events, 'step_start')).toHaveLength(1);
    // It has its answer: whoever says the same now, says it anew.
    await scene.ask();
    expect(eventsOf(scene.events, 'step_start').map(({ step }) => step)).toEqual([1, 2]);
  });

  it('may read slowly: the endpoint waits, and is not taken for silent', async () => {
    const whole = answer('x'.repeat(60 * PIECE));
    const scene = await open({
      script: [{ status: 200, headers: SSE, body: whole }],
      options: { idleMs: 500 },
    });
    const asked = request({
      socketPath: scene.socket,
      path: '/v1/messages',
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    asked.end(JSON.stringify({ model: 'x', stream: true, messages: [] }));
    const reply = await new Promise<NodeJS.ReadableStream>((resolve) => asked.once('response', resolve));
    await sleep(1200);
    expect(eventsOf(scene.events, 'text').length).toBeLessThan(30);
    let length = 0;
    for await (const part of reply) length += part.length;
    expect(length).toBe(whole.length);
    expect(eventsOf(scene.events, 'text')).toHaveLength(60);
    expect(scene.model.requests).toHaveLength(1);
  });

  it.each([
    { what: 'before anything came', turn: { firstByteMs: 60_000 }, is: { status: 503, broken: false } },
    { what: 'in the middle', turn: HANGING, is: { status: 200, broken: true } },
  ])('is told that the run is over, $what, and whenever it asks again', async ({ turn, is }) => {
    const run = new AbortController();
    const scene = await open({ script: [turn], options: { signal: run.signal } });
    const asked = scene.ask();
    await expect.poll(() => scene.model.requests.length).toBe(1);
    if (turn === HANGING) await expect.poll(() => eventsOf(scene.events, 'text').length).toBe(1);
    run.abort();
    expect(await asked).toMatchObject(is);
    expect(await scene.ask()).toMatchObject({ status: 503, headers: { 'x-should-retry': 'false' } });
    expect(scene.model.requests).toHaveLength(1);
    expect(scene.model.requests[0]?.gone.aborted).toBe(true);
  });

  it('cannot send without end', async () => {
    const scene = await open({ script: [DONE] });
    const reply = await scene.post('/v1/messages', 'x'.repeat(33 * 1024 * 1024));
    expect(reply).toMatchObject({ status: 413 });
    expect(await scene.post('/guard', 'x'.repeat(5 * 1024 * 1024))).toMatchObject({ status: 413 });
    expect(await scene.ask()).toMatchObject({ status: 200 });
  });

  it('cannot fill the runner’s memory with many requests at once', async () => {
    const scene = await open({ script: [DONE] });
    const half = () => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-length': 31 * 1024 * 1024 };
      const asked = request({ socketPath: scene.socket, method: 'POST', path: '/v1/messages', headers });
      const status = new Promise<number>((resolve, reject) => {
        asked.on('response', (response) => resolve(response.statusCode ?? 0));
        asked.on('error', reject);
      });
      const sent = new Promise((resolve) => asked.write(Buffer.alloc(30 * 1024 * 1024, 'x'), resolve));
      return { asked, status, sent };
    };
    const [first, second] = [half(), half()];
    await Promise.all([first.sent, second.sent]);
    await expect(half().status).resolves.toBe(503);
    first.asked.destroy();
    second.asked.destroy();
    first.status.catch(() => undefined);
    second.status.catch(() => undefined);
    const body = 'x'.repeat(30 * 1024 * 1024);
    await vi.waitFor(
      async () => expect(await scene.post('/v1/messages', body)).toMatchObject({ status: 400 }),
      5000,
    );
  });
});

describe('the desk', () => {
  it.each(['/session', '/session?offset=x&session=a', '/session?offset=-1&session=a', '/session?offset=0'])(
    'refuses %s',
    async (path) => {
      const scene = await open({
        script: [DONE],
        options: {
          onSession: () => {
            throw new Error('not to be called');
          },
        },
      });
      expect(await scene.post(path, '{}')).toMatchObject({ status: 400 });
    },
  );

  it('answers 500 for a bug, and goes on', async () => {
    const scene = await open({
      script: [DONE],
      options: {
        guard: () => {
          throw new Error('a bug');
        },
      },
    });
    expect(await scene.post('/guard', { command: 'ls', cwd: '/' })).toMatchObject({ status: 500 });
    expect(await scene.post('/tools/%', { args: [] })).toMatchObject({ status: 500 });
    expect(await scene.ask()).toMatchObject({ status: 200 });
  });

  it('leaves nobody with half an answer after a bug', async () => {
    const emit: EngineHost['emit'] = ({ t }) => {
      if (t === 'spend') throw new Error('a bug');
    };
    const scene = await open({ script: [{ text: 'I will', ending: 'cut' }], host: { emit } });
    expect(await scene.ask()).toMatchObject({ status: 200, broken: true });
  });

  it('breaks off a tool whose program has left', async () => {
    let gone: AbortSignal | undefined;
    const tools: EngineHost['tools'] = [
      {
        name: 'ask_supervisor',
        description: 'asks',
        input: z.strictObject({ question: z.string() }),
        readOnly: false,
        run: async (_args, { signal }) => {
          gone = signal;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          throw new Error('aborted');
        },
      },
    ];
    const scene = await open({ script: [DONE], host: { tools } });
    const program = request({
      socketPath: scene.socket,
      path: '/tools/ask_supervisor',
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    program.on('error', () => {
      // We broke it ourselves.
    });
    program.end(JSON.stringify({ args: ['Why?'] }));
    await expect.poll(() => gone !== undefined).toBe(true);
    program.destroy();
    await expect.poll(() => gone?.aborted).toBe(true);
    expect(await scene.ask()).toMatchObject({ status: 200 });
  });

  it('is not opened for a model of another protocol', async () => {
    await expect(open({ script: [DONE], ref: { api: 'google' } })).rejects.toThrow('not anthropic');
  });
});
