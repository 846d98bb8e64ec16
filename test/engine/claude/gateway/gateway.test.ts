import { statSync } from 'node:fs';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Turn } from '../../../../src/engine/scripted/turn.ts';
import { eventsOf, spent } from '../../harness.ts';
import { open, TOKEN } from './scene.ts';

const DONE: Turn = { text: 'All done.' };
const BUSY = { error: { type: 'overloaded_error', message: 'overloaded' } };

describe('what an endpoint does', () => {
  it.each<{
    what: string;
    script: readonly Turn[];
    second?: readonly Turn[];
    idleMs?: number;
    status: number;
    says?: string;
    upstream: number;
    waits?: number[];
    verdict?: object | null;
    final?: boolean;
  }>([
    { what: 'answers', script: [DONE], status: 200, says: 'All done.', upstream: 1 },
    { what: 'fails once (500)', script: [{ status: 500 }, DONE], status: 200, upstream: 2, waits: [1000] },
    {
      what: 'asks for patience (429, Retry-After)',
      script: [{ status: 429, headers: { 'retry-after': '7' } }, DONE],
      status: 200,
      upstream: 2,
      waits: [7000],
    },
    {
      what: 'asks for more patience than there is',
      script: [{ status: 429, headers: { 'retry-after': '300' } }],
      status: 429,
      final: true,
      upstream: 1,
      waits: [],
      verdict: { status: 'failed', kind: 'rate_limit' },
    },
    {
      what: 'always fails (500)',
      script: [{ status: 500 }],
      status: 500,
      final: true,
      upstream: 3,
      verdict: { status: 'failed', kind: 'transient' },
    },
    { what: 'is overloaded (529)', script: [{ status: 529, body: BUSY }, DONE], status: 200, upstream: 2 },
    {
      what: 'does not know the key (401)',
      script: [{ status: 401, body: { error: { message: 'invalid key sk-test-key' } } }],
      status: 401,
      final: true,
      upstream: 1,
      verdict: { status: 'failed', kind: 'auth' },
    },
    {
      what: 'wants money (402)',
      script: [{ status: 402 }],
      status: 403,
      final: true,
      upstream: 1,
      verdict: { status: 'failed', kind: 'quota' },
    },
    {
      what: 'does not know the model (404), and there is another',
      script: [{ status: 404 }],
      second: [DONE],
      status: 200,
      upstream: 1,
    },
    {
      what: 'refuses a request of ours (400)',
      script: [{ status: 400, body: { error: { message: 'bad field' } } }],
      second: [DONE],
      status: 400,
      final: true,
      upstream: 1,
      verdict: { status: 'failed', kind: 'bad_request' },
    },
    {
      what: 'says in its stream that it is overloaded, before any content',
      script: [{ ending: 'error_event', noChoices: true }, DONE],
      status: 200,
      says: 'All done.',
      upstream: 2,
    },
    {
      what: 'breaks off before any content',
      script: [{ noChoices: true, ending: 'cut' }, DONE],
      status: 200,
      upstream: 2,
    },
    {
      what: 'is silent',
      script: [{ noChoices: true, ending: 'hang' }, DONE],
      idleMs: 200,
      status: 200,
      upstream: 2,
    },
    {
      what: 'only keeps the line open',
      script: [{ noChoices: true, ending: 'keep_alive', chunkMs: 50 }, DONE],
      idleMs: 400,
      status: 200,
      upstream: 2,
    },
    {
      what: 'ends a stream without an end, before any content',
      script: [{ noChoices: true, ending: 'no_finish' }, DONE],
      status: 200,
      upstream: 2,
    },
    {
      what: 'answers 200 with an error in JSON where a stream was asked for',
      script: [{ status: 200, body: { error: { message: 'no', code: 503 } } }, DONE],
      status: 200,
      upstream: 2,
    },
    {
      what: 'sends requests elsewhere',
      script: [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
      status: 400,
      final: true,
      upstream: 1,
      verdict: { status: 'failed', kind: 'bad_request' },
    },
    {
      what: 'finds the context too long, and there is a longer one',
      script: [{ status: 400, body: { error: { message: 'prompt is too long: 9 tokens' } } }],
      second: [DONE],
      status: 200,
      upstream: 1,
    },
    {
      what: 'finds the context too long: the client may still sum it up',
      script: [{ status: 400, body: { error: { message: 'context length exceeded' } } }],
      status: 400,
      says: 'prompt is too long',
      final: true,
      upstream: 1,
      verdict: null,
    },
  ])('$what', async ({ script, second, idleMs, status, says, upstream, waits, verdict, final }) => {
    const scene = await open({
      script,
      ...(second && { second }),
      ...(idleMs !== undefined && { options: { idleMs } }),
    });
    const reply = await scene.ask();
    expect(reply).toMatchObject({ status, broken: false });
    if (says) expect(reply.text).toContain(says);
    expect(scene.model.requests).toHaveLength(upstream);
    if (waits) expect(scene.clock.waits).toEqual(waits);
    expect(reply.headers['x-should-retry']).toBe(final ? 'false' : undefined);
    if (verdict === null || verdict === undefined) expect(scene.gateway.verdict).toBeNull();
    else expect(scene.gateway.verdict).toMatchObject(verdict);
    expect(JSON.stringify(reply)).not.toContain('sk-test-key');
    expect(eventsOf(scene.events, 'fallback')).toHaveLength(second && status === 200 ? 1 : 0);
  });

  it('breaks the connection when an answer broke off on its way, and counts that: the client asks again, not for ever', async () => {
    const scene = await open({ script: [{ text: 'x'.repeat(400), ending: 'cut' }] });
    const first = await scene.ask();
    expect(first).toMatchObject({ status: 200, broken: true });
    expect(scene.gateway.verdict).toBeNull();
    await scene.ask();
    await scene.ask();
    expect(scene.gateway.verdict).toMatchObject({ status: 'failed', kind: 'transient' });
    expect(await scene.ask()).toMatchObject({ status: 500 });
    expect(scene.model.requests).toHaveLength(3);
    expect(eventsOf(scene.events, 'step_start')).toHaveLength(1);
    const [cut] = eventsOf(scene.events, 'spend');
    expect(cut).toMatchObject({ estimated: true, spend: { usage: { output: 100 } } });
  });

  it('hands on a tool call only when the answer is whole: the client would run it, and again after a cut', async () => {
    const call = { name: 'Write', args: { file_path: 'a.txt', content: 'x' } };
    const scene = await open({
      script: [
        { calls: [call], ending: 'cut' },
        { text: 'I write.', calls: [call] },
      ],
    });
    const reply = await scene.ask();
    expect(reply).toMatchObject({ status: 200, broken: false });
    expect(reply.text.match(/"tool_use"/g)).toHaveLength(2);
    expect(scene.model.requests).toHaveLength(2);
    expect(eventsOf(scene.events, 'retry')).toHaveLength(1);
  });

  it('hands on bytes as they come, and every one of them', async () => {
    const text = `ä€${'ö'.repeat(300_000)}𝄞`;
    const scene = await open({ script: [{ text, chunkMs: 0 }] });
    const reply = await scene.ask();
    const deltas = eventsOf(scene.events, 'text').map(({ delta }) => delta);
    expect(deltas.join('')).toBe(text);
    expect(reply.text).toContain('message_stop');
    const sent = [...reply.text.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, part]) => part);
    expect(sent.join('')).toBe(text);
  });

  it('stops asking as soon as the client has left', async () => {
    const scene = await open({ script: [{ text: 'I will', ending: 'hang' }] });
    const asked = request({
      socketPath: scene.socket,
      path: '/v1/messages',
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    asked.on('error', () => {
      // We broke it ourselves.
    });
    asked.on('response', () => asked.destroy());
    asked.end(
      JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: 'go' }] }),
    );
    await expect.poll(() => scene.model.requests[0]?.gone.aborted).toBe(true);
    await expect.poll(() => eventsOf(scene.events, 'spend')).toMatchObject([{ estimated: true }]);
    expect(scene.gateway.verdict).toBeNull();
  });
});

describe('money', () => {
  it('charges cached tokens once, at their own price, streamed or not', async () => {
    const usage = { prompt: 262_960, cacheRead: 257_955, cacheWrite: 1000, output: 1744 };
    const prices = { input: 1.25, cacheRead: 0.3125, cacheWrite: 2, output: 10 };
    const scene = await open({ script: [{ ...DONE, usage }], ref: { prices } });
    await scene.ask();
    await scene.ask({ stream: false });
    // By hand: 4,005 × 1.25 + 257,955 × 0.3125 + 1,000 × 2 + 1,744 × 10, per million.
    const once = (5006.25 + 80_610.9375 + 2000 + 17_440) / 1e6;
    expect(spent(scene.events).usd).toBeCloseTo(2 * once, 9);
    expect(eventsOf(scene.events, 'spend')[1]?.spend.usage).toEqual({
      input: 4005,
      output: 1744,
      cacheRead: 257_955,
      cacheWrite: 1000,
    });
  });

  it('leaves an unknown price unknown', async () => {
    const scene = await open({ script: [DONE] });
    await scene.ask();
    expect(eventsOf(scene.events, 'spend')[0]?.spend).toMatchObject({ usd: null, basis: 'unknown' });
  });

  it('asks before each request, repeated ones too, and lets nothing pass after a stop', async () => {
    const stop = { kind: 'failed', reason: 'over_budget', detail: '$5.00 of $5.00 spent' } as const;
    const asked: number[] = [];
    const scene = await open({
      script: [{ status: 500 }],
      host: {
        mayCall: ({ attempt }) => {
          asked.push(attempt);
          return asked.length > 2 ? stop : null;
        },
      },
    });
    const reply = await scene.ask();
    expect(reply).toMatchObject({ status: 403, headers: { 'x-should-retry': 'false' } });
    expect(reply.text).toContain('over_budget');
    expect(await scene.gateway.whenVerdict).toEqual({ status: 'stopped', stop });
    expect(await scene.ask()).toMatchObject({ status: 403 });
    expect(asked).toEqual([1, 2, 3]);
    expect(scene.model.requests).toHaveLength(2);
  });

  it('counts steps for the main agent and for others apart, and names whose calls they are', async () => {
    const scene = await open({ script: { turns: { worker: [DONE], tester: [DONE] } } });
    await scene.ask();
    await scene.ask();
    expect(eventsOf(scene.events, 'step_start').map(({ step }) => step)).toEqual([1, 2]);
    expect(eventsOf(scene.events, 'step_end').map(({ finish }) => finish)).toEqual(['stop', 'stop']);
    expect(scene.model.requests.map(({ role }) => role)).toEqual(['worker', 'worker']);
  });
});

describe('what goes out', () => {
  it('has the key, the model and the role of ours, and nothing that only the protocol’s own endpoint takes', async () => {
    const scene = await open({
      script: [DONE],
      ref: { model: 'vendor/model', body: { provider: { zdr: true } }, maxOutput: 500 },
      options: { clean: (text) => text.replaceAll('hush', '***') },
    });
    await scene.ask({
      context_management: {},
      output_config: {},
      metadata: {},
      thinking: { type: 'adaptive' },
      unknown_field: 1,
      messages: [
        { role: 'user', content: 'hush now' },
        { role: 'system', content: 'a reminder' },
      ],
    });
    const [sent] = scene.model.requests;
    expect(sent?.body).toEqual({
      model: 'vendor/model',
      max_tokens: 500,
      stream: true,
      system: [{ type: 'text', text: 'You are a test.' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '*** now' },
            { type: 'text', text: 'a reminder' },
          ],
        },
      ],
      unknown_field: 1,
      provider: { zdr: true },
    });
    expect(sent?.headers).toMatchObject({ 'x-api-key': 'sk-test-key', 'x-cc-delegate-role': 'worker' });
    expect(sent?.headers.authorization).toBeUndefined();
    expect(JSON.stringify(sent?.headers)).not.toContain(TOKEN);
  });

  it('takes other models by their names, and every unknown name for the first', async () => {
    const scene = await open({ script: [DONE] });
    expect(await scene.ask({ model: 'claude-haiku-4-5' })).toMatchObject({ status: 200 });
    expect(scene.model.requests[0]?.body.model).toBe('scripted');
  });
});

describe('the door', () => {
  it.each([
    { what: 'no token', headers: { authorization: '' } },
    { what: 'another token', headers: { authorization: 'Bearer token-of-this-rum' } },
    { what: 'a longer one', headers: { authorization: `Bearer ${TOKEN}x` } },
  ])('lets nobody in with $what', async ({ headers }) => {
    const scene = await open({ script: [DONE] });
    expect(await scene.post('/v1/messages', {}, headers)).toMatchObject({ status: 401 });
    expect(await scene.post('/tools/ask_supervisor', {}, headers)).toMatchObject({ status: 401 });
    expect(scene.model.requests).toHaveLength(0);
  });

  it('takes the token as a key too', async () => {
    const scene = await open({ script: [DONE] });
    const reply = await scene.post(
      '/v1/messages/count_tokens',
      { a: 'b' },
      { authorization: '', 'x-api-key': TOKEN },
    );
    expect(JSON.parse(reply.text)).toEqual({ input_tokens: 3 });
  });

  it.each([
    { path: '/v1/models', body: {}, status: 404 },
    { path: '/v1/messages', body: 'no json', status: 400 },
    { path: '/v1/messages', body: { messages: 'none' }, status: 400 },
    { path: '/guard', body: 'no json', status: 200 },
    { path: '/tools/nothing', body: {}, status: 200 },
  ])('answers $path with $status whatever it is sent', async ({ path, body, status }) => {
    const scene = await open({ script: [DONE] });
    expect(await scene.post(path, body)).toMatchObject({ status });
    expect(await scene.ask()).toMatchObject({ status: 200 });
  });

  it('is open to nobody but its user, and gone when it is closed', async () => {
    const scene = await open({ script: [{ text: 'I will', ending: 'hang' }] });
    expect(statSync(scene.socket).mode & 0o777).toBe(0o600);
    const hanging = scene.ask();
    await expect.poll(() => scene.model.requests.length).toBe(1);
    await scene.gateway.close();
    expect(statSync(scene.socket, { throwIfNoEntry: false })).toBeUndefined();
    expect(await hanging.catch(() => ({ broken: true }))).toMatchObject({ broken: true });
    expect(scene.model.requests[0]?.gone.aborted).toBe(true);
  });
});

describe('the desk', () => {
  const ask = {
    name: 'ask_supervisor',
    description: 'asks',
    input: z.strictObject({ question: z.string().min(1), context: z.string().optional() }),
    readOnly: false,
    run: async (args: unknown) => ({ ok: true, text: `you said ${JSON.stringify(args)}`, summary: '' }),
  };

  it.each([
    { args: ['Why?'], answer: { ok: true, text: 'you said {"question":"Why?"}' } },
    { args: ['Why?', 'so'], answer: { ok: true, text: 'you said {"question":"Why?","context":"so"}' } },
    { args: [], answer: { ok: false, text: 'usage: ask_supervisor "question" ["context"]' } },
    { args: [''], answer: { ok: false, text: 'usage: ask_supervisor "question" ["context"]' } },
    { args: ['a', 'b', 'c'], answer: { ok: false, text: 'usage: ask_supervisor "question" ["context"]' } },
  ])('runs a tool of the host with $args', async ({ args, answer }) => {
    const scene = await open({ script: [DONE], host: { tools: [ask] } });
    const reply = await scene.post('/tools/ask_supervisor', { args });
    expect(JSON.parse(reply.text)).toEqual(answer);
  });

  it('asks the guard, and takes in the session', async () => {
    const lines: string[] = [];
    const scene = await open({
      script: [DONE],
      options: {
        guard: (command, cwd) => ({ allow: false, reason: `${command} in ${cwd}` }),
        onSession: (bytes, offset, session) => {
          if (session === 'a') lines.push(`${offset}:${Buffer.from(bytes).toString()}`);
          return session === 'a';
        },
      },
    });
    const reply = await scene.post('/guard', { command: 'git push', cwd: '/w' });
    expect(JSON.parse(reply.text)).toEqual({ allow: false, reason: 'git push in /w' });
    expect(await scene.post('/session?offset=12&session=a', '{"a":1}\n')).toMatchObject({ status: 200 });
    expect(await scene.post('/session?offset=0&session=b', '{"b":1}\n')).toMatchObject({ status: 409 });
    expect(lines).toEqual(['12:{"a":1}\n']);
  });
});
