import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ClaudeOptions } from '../../../src/engine/claude/options.ts';
import type { EngineEvent } from '../../../src/engine/engine.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { eventually, processesWith } from '../../workspace/sandbox/helpers.ts';
import { begin, eventsOf, finish, modelRef, scripted } from '../harness.ts';
import { fakeClient, makeScene, result, type Step } from './scene.ts';

/** A client that is none, for what the real one does too seldom to be waited for. */
async function play(steps: readonly Step[], more: Parameters<typeof makeScene>[1] = {}) {
  const model = await scripted([{ text: 'x' }]);
  const scene = await makeScene(fakeClient(steps), more);
  const run = await finish({ engine: scene.engine(), models: [modelRef(model, 'anthropic')] });
  return { ...run, model, scene };
}

const TURN = [{ take: 1 }] as const;
const call = (id: string, name: string, input: object, message = 'm1'): Step => ({
  say: { type: 'assistant', message: { id: message, content: [{ type: 'tool_use', id, name, input }] } },
});
const answer = (id: string, content: unknown, more: object = {}): Step => ({
  say: { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] } },
});

it.each<{ odd: string; steps: readonly Step[]; outcome: object; warns?: number }>([
  {
    odd: 'several results: the last one counts',
    steps: [...TURN, result('first'), result('second'), { untilClosed: 1 }],
    outcome: { status: 'done', finalText: 'second' },
  },
  {
    odd: 'events nobody knows',
    steps: [
      ...TURN,
      { say: { type: 'novelty', a: 1 } },
      { say: { type: 'system', subtype: 'later' } },
      { say: { type: 'assistant', message: { id: 'm', content: [{ type: 'hologram' }] } } },
      { say: { type: 'assistant', message: 'of another form' } },
      result('fine'),
    ],
    outcome: { status: 'done', finalText: 'fine' },
  },
  {
    odd: 'a line that is no JSON',
    steps: [...TURN, { raw: 'Segmentation fau\n' }, { raw: '[1]\n' }, result('fine')],
    outcome: { status: 'done' },
    warns: 2,
  },
  {
    odd: 'a line of 300 KB, in pieces that cut a character in two',
    steps: [
      ...TURN,
      call('t1', 'Read', { file_path: '/a' }),
      answer('t1', 'é'.repeat(150_000)),
      result('fine'),
    ],
    outcome: { status: 'done' },
  },
  {
    odd: 'a last line without its end',
    steps: [...TURN, { raw: JSON.stringify(result('torn').say) }],
    outcome: { status: 'done', finalText: 'torn' },
  },
  {
    odd: 'an error that calls itself a success',
    steps: [...TURN, result('API Error: 400 no', { is_error: true, api_error_status: 400 }), { exit: 1 }],
    outcome: { status: 'failed', kind: 'bad_request', message: 'API Error: 400 no' },
  },
  {
    odd: 'a prompt that is too long',
    steps: [
      ...TURN,
      result('too long', { is_error: true, api_error_status: 400, terminal_reason: 'prompt_too_long' }),
    ],
    outcome: { status: 'failed', kind: 'overflow' },
  },
  {
    odd: 'all turns used',
    steps: [
      ...TURN,
      result('', {
        is_error: true,
        subtype: 'error_max_turns',
        terminal_reason: 'max_turns',
        errors: ['max'],
      }),
      { exit: 1 },
    ],
    outcome: {
      status: 'stopped',
      stop: { kind: 'failed', reason: 'max_steps', detail: '400 of 400 steps used' },
    },
  },
  {
    odd: 'an answer without a word',
    steps: [...TURN, result(' \n')],
    outcome: { status: 'failed', kind: 'empty' },
  },
  {
    odd: 'a crash in the middle, after a result of an earlier turn was told',
    steps: [...TURN, { stderr: 'out of memory' }, { exit: 9 }],
    outcome: {
      status: 'failed',
      kind: 'engine',
      message: 'the client ended without a result (exit 9): out of memory',
    },
  },
  {
    odd: 'a signal, as from a machine that is out of memory',
    steps: [...TURN, { die: 'SIGKILL' }, { wait: 5000 }],
    outcome: { status: 'failed', kind: 'engine', message: 'the client ended without a result (SIGKILL)' },
  },
  {
    odd: 'an answer that the model never comes to the end of',
    steps: [
      ...TURN,
      result(
        "API Error: Claude's response exceeded the 32000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.",
        { is_error: true },
      ),
      { exit: 1 },
    ],
    outcome: {
      status: 'failed',
      kind: 'engine',
      message:
        'the model did not come to the end of its answer within 32000 output tokens; where it may write more: cc-delegate config profile set NAME --max-output N',
    },
  },
  {
    odd: 'an answer that broke off again and again',
    steps: [
      ...TURN,
      result('API Error: Connection lost mid-response. The response above may be incomplete.', {
        is_error: true,
      }),
      { exit: 1 },
    ],
    outcome: {
      status: 'failed',
      kind: 'transient',
      message: "the endpoint's answer broke off, again and again",
    },
  },
])('makes sense of $odd', async ({ steps, outcome, warns = 0 }) => {
  const run = await play(steps);
  expect(run.outcome).toMatchObject(outcome);
  expect(eventsOf(run.events, 'warn')).toHaveLength(warns);
});

it('shows the end of what the client said when it crashed at its start', async () => {
  const noise = '[claude-code:unrecognized_model] {"model":"x"}\n';
  const { outcome } = await play([
    { stderr: `${noise}${'.'.repeat(4000)}\ncannot load: EBADF\n` },
    { exit: 1 },
  ]);
  const { message } = outcome as { message: string };
  expect(message).toMatch(/^the client ended without a result \(exit 1\): \.+\ncannot load: EBADF$/);
  expect(message.length).toBeLessThan(2100);
});

it('says so when there is no client to be started', async () => {
  const scene = await makeScene(fakeClient([]));
  writeFileSync(scene.options.client, '#!/nowhere/at/all\n');
  const model = await scripted([{ text: 'x' }]);
  const { outcome } = await finish({ engine: scene.engine(), models: [modelRef(model, 'anthropic')] });
  expect(outcome).toMatchObject({ status: 'failed', kind: 'engine' });
  expect(JSON.stringify(outcome)).toMatch(/cannot run in the sandbox; .*cannot be started: .*ENOENT/);
});

it('finds the node of a client that is a script, whatever the PATH is', async () => {
  const client = fakeClient([...TURN, result('fine')]);
  writeFileSync(client, readFileSync(client, 'utf8').replace(/^.*/, '#!/usr/bin/env node'));
  const model = await scripted([{ text: 'x' }]);
  const scene = await makeScene(client, { callerEnv: { PATH: makeFolder() } });
  const { outcome } = await finish({ engine: scene.engine(), models: [modelRef(model, 'anthropic')] });
  expect(outcome).toMatchObject({ status: 'done', finalText: 'fine' });
});

it('says of a script that starts what is not seen inside where the program itself is to be named', async () => {
  const client = fakeClient([]);
  writeFileSync(client, '#!/bin/sh\nexec /nowhere/claude "$@"\n');
  const model = await scripted([{ text: 'x' }]);
  const scene = await makeScene(client);
  const { outcome } = await finish({ engine: scene.engine(), models: [modelRef(model, 'anthropic')] });
  expect(outcome).toMatchObject({ kind: 'engine' });
  expect(JSON.stringify(outcome)).toMatch(/claude\.path must name the program itself.*exit 127.*\/nowhere/);
});

it('tells of tools, with how they went, and of the sub-agents by name', async () => {
  const sub = (id: string, agent: string, parent: string): Step => ({
    say: {
      type: 'assistant',
      parent_tool_use_id: parent,
      agent_id: agent,
      message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }] },
    },
  });
  const started = (id: string, parent: string, kind: string): Step => ({
    say: { type: 'system', subtype: 'task_started', task_id: id, tool_use_id: parent, subagent_type: kind },
  });
  const { events, scene } = await play([
    ...TURN,
    call('t1', 'Write', { file_path: '/elsewhere/a.ts', content: '' }),
    answer('t1', 'no', { is_error: true }),
    call('t2', 'Task', { description: 'try it out', prompt: 'p' }, 'm2'),
    call('t3', 'Task', {}, 'm2'),
    started('a1', 't2', 'tester'),
    started('a2', 't3', 'tester'),
    sub('s1', 'a1', 't2'),
    sub('s2', 'a2', 't3'),
    answer('s1', [{ type: 'text', text: 'one\ntwo' }]),
    answer('t2', '<tools-used-before-summary>Bash</tools-used-before-summary>\n\n[Subagent hand-back]\nfine'),
    result('fine'),
  ]);
  expect(scene.launches).toHaveLength(1);
  const seen = events.flatMap((event) => {
    if (event.t === 'tool_start') return [`${event.agent} ${event.tool}`];
    return event.t === 'tool_end' ? [`${event.agent} ${event.tool} ${event.ok} ${event.summary}`] : [];
  });
  expect(seen).toEqual([
    'main Write',
    'main Write false /elsewhere/a.ts',
    'main Task',
    'main Task',
    'tester#1 Bash',
    'tester#2 Bash',
    'tester#1 Bash true ls → one',
    'main Task true try it out',
  ]);
});

it('is told of a compaction', async () => {
  const boundary = { pre_tokens: 900, post_tokens: 80, trigger: 'auto' };
  const { events } = await play([
    ...TURN,
    { say: { type: 'system', subtype: 'compact_boundary', compact_metadata: boundary } },
    result('fine'),
  ]);
  expect(eventsOf(events, 'compacted')).toEqual([{ agent: 'main', t: 'compacted', before: 900, after: 80 }]);
});

it('tells the request again when the conversation was cut, and waits until that is heard', async () => {
  const cut = { say: { type: 'system', subtype: 'compact_boundary', compact_metadata: {} } };
  const steps: Step[] = [
    { take: 1 },
    cut,
    result('what was I to do?'),
    { wait: 100 },
    { hear: 'Write the poem.' },
  ];
  const told = await play([...steps, result('done'), { untilClosed: 1 }], { request: 'Write the poem.' });
  expect(told.outcome).toEqual({ status: 'done', finalText: 'done' });
  expect(eventsOf(told.events, 'steer_delivered')).toEqual([]);
});

it.each<{ what: string; edit: (options: ClaudeOptions) => void; says: RegExp }>([
  {
    what: 'is a folder',
    edit: ({ folder }) => mkdirSync(join(folder, 'settings.json')),
    says: /settings/,
  },
  {
    what: 'goes to where nothing is kept',
    edit: ({ folder }) => symlinkSync('/dev/null', join(folder, 'settings.json')),
    says: /settings of the guard.*; the client was not started/,
  },
])('starts nothing when the settings file $what', async ({ edit, says }) => {
  const scene = await makeScene(fakeClient([result('never')]));
  edit(scene.options);
  const model = await scripted([{ text: 'x' }]);
  const { outcome } = await finish({ engine: scene.engine(), models: [modelRef(model, 'anthropic')] });
  expect(outcome).toMatchObject({ status: 'failed', kind: 'engine' });
  expect((outcome as { message: string }).message).toMatch(says);
  expect(scene.launches).toEqual([]);
});

it('refuses a path that is too long for a socket', async () => {
  const socketFolder = `${makeFolder()}/${'x'.repeat(100)}`;
  const { outcome, scene } = await play([result('never')], { socketFolder });
  expect(JSON.stringify(outcome)).toContain('path of the socket is too long');
  expect(scene.launches).toEqual([]);
});

it('tells who must be told when a message has arrived, and makes another turn of a late one', async () => {
  const scene = await makeScene(
    fakeClient([
      { take: 1 },
      { say: { type: 'system', subtype: 'compact_boundary', compact_metadata: {} } },
      // The task has been answered before the message is taken.
      result('too early'),
      { wait: 100 },
      { take: 1 },
      result('with it'),
      { untilClosed: 1 },
    ]),
  );
  const model = await scripted([{ text: 'x' }]);
  const { run, events } = begin({
    engine: scene.engine(),
    models: [modelRef(model, 'anthropic')],
    onEvent: (event: EngineEvent, started) =>
      void (event.t === 'compacted' && started.steer({ id: 'm1', text: 'one more' })),
  });
  expect(await run.done).toEqual({ status: 'done', finalText: 'with it' });
  expect(eventsOf(events, 'steer_delivered')).toEqual([{ agent: 'main', t: 'steer_delivered', ids: ['m1'] }]);
});

it('ends a client that ignores TERM after three seconds, and all it has started', async () => {
  const mark = `77.${process.pid}`;
  const ready = { say: { type: 'system', subtype: 'compact_boundary', compact_metadata: {} } };
  const scene = await makeScene(
    fakeClient([{ ignoreTerm: 1 }, { take: 1 }, { fork: mark }, ready, { wait: 60_000 }]),
    { level: 'full' },
  );
  const model = await scripted([{ text: 'x' }]);
  let since = 0;
  const { run, events } = begin({
    engine: scene.engine(),
    models: [modelRef(model, 'anthropic')],
    onEvent: (event, started) => {
      if (event.t !== 'compacted') return;
      void eventually(
        () => processesWith(mark),
        (seen) => seen.length > 0,
      ).then(() => {
        since = Date.now();
        started.abort();
      });
    },
  });
  expect(await run.done).toEqual({ status: 'aborted' });
  expect(eventsOf(events, 'compacted')).toHaveLength(1);
  expect(Date.now() - since).toBeGreaterThan(2800);
  expect(Date.now() - since).toBeLessThan(6000);
  expect(processesWith(mark)).toEqual([]);
  expect(processesWith(scene.options.client)).toEqual([]);
});

it('gives the client nothing of what the supervisor has in its environment', async () => {
  const file = join(makeFolder(), 'told.json');
  const poison = {
    ANTHROPIC_API_KEY: 'sk-supervisor',
    ANTHROPIC_BASE_URL: 'https://elsewhere.invalid',
    OPENAI_API_KEY: 'sk-other',
    CLAUDECODE: '1',
    CLAUDE_CODE_SESSION_ID: 'theirs',
    AWS_SECRET_ACCESS_KEY: 'aws',
  };
  const { scene } = await play([...TURN, { tell: file }, result('fine')], { callerEnv: poison });
  const { env, argv } = JSON.parse(readFileSync(file, 'utf8'));
  const text = JSON.stringify({ env, argv });
  for (const secret of ['sk-supervisor', 'sk-other', 'elsewhere.invalid', 'theirs', 'aws', 'sk-test-key']) {
    expect(text).not.toContain(secret);
  }
  expect(env).toMatchObject({
    CC_DELEGATE_WORKER: '1',
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_MODEL: 'scripted',
    CLAUDE_CONFIG_DIR: scene.options.configFolder,
    HOME: scene.home,
  });
  expect(env.CLAUDECODE).toBeUndefined();
  expect(env.ANTHROPIC_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
  expect(env.PATH.split(':')[0]).toBe(join(scene.options.folder, 'programs'));
  expect(argv).not.toContain('Do the task.');
});

it('ends the run with what the gateway did not let pass', async () => {
  const stop = { kind: 'failed', reason: 'over_budget', detail: 'spent' } as const;
  const model = await scripted([{ text: 'x' }]);
  const body = { model: 'scripted', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
  const error = { is_error: true, api_error_status: 403 };
  const scene = await makeScene(fakeClient([...TURN, { ask: body }, result('no', error), { exit: 1 }]));
  const { outcome } = await finish({
    engine: scene.engine(),
    models: [modelRef(model, 'anthropic')],
    mayCall: () => stop,
  });
  expect(outcome).toEqual({ status: 'stopped', stop });
  expect(model.requests).toEqual([]);
});

it('stops a client that does not end although nothing is let pass any more', async () => {
  const stop = { kind: 'cancelled' } as const;
  const model = await scripted([{ text: 'x' }]);
  const body = { model: 'scripted', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
  const scene = await makeScene(fakeClient([...TURN, { ask: body }, { wait: 60_000 }]));
  const models = [modelRef(model, 'anthropic')] as const;
  const { outcome } = await finish({ engine: scene.engine(), models, mayCall: () => stop });
  expect(outcome).toEqual({ status: 'stopped', stop });
});

it('asks the host after every round whether the worker gets anywhere, and heeds the answer', async () => {
  const rounds: unknown[] = [];
  const steps = [1, 2, 3].flatMap((n) => [
    call(`a${n}`, 'Read', { file_path: `/${n}` }, `m${n}`),
    call(`b${n}`, 'Bash', { command: `${n}` }, `m${n}`),
    answer(`b${n}`, `b ${n}`),
    answer(`a${n}`, `a ${n}`),
  ]);
  const scene = await makeScene(fakeClient([...TURN, ...steps, { take: 1 }, { wait: 60_000 }]));
  const model = await scripted([{ text: 'x' }]);
  const { outcome, events } = await finish({
    engine: scene.engine(),
    models: [modelRef(model, 'anthropic')],
    host: {
      afterRound: (calls) => {
        rounds.push(calls);
        return rounds.length === 1
          ? { kind: 'warn', text: 'nothing changes' }
          : { kind: 'stop', text: 'still nothing' };
      },
    },
  });
  expect(outcome).toEqual({
    status: 'failed',
    kind: 'loop',
    message: 'the worker gets nowhere: still nothing',
  });
  expect(eventsOf(events, 'warn')).toEqual([
    { agent: 'main', t: 'warn', text: 'getting nowhere: nothing changes' },
  ]);
  expect(rounds[0]).toEqual([
    { call: '["Read",{"file_path":"/1"}]', result: 'a 1' },
    { call: '["Bash",{"command":"1"}]', result: 'b 1' },
  ]);
});

it('keeps the session as it grows, without secrets, and gives it back for the next turn', async () => {
  const file = join(makeFolder(), 'transcript.ndjson');
  const redactor = {
    text: (text: string) => text.replaceAll('hunter2', '***').replaceAll('looks-like', '~~~'),
    known: (text: string) => text.replaceAll('hunter2', '***'),
  };
  const conversation = { file, resume: false, redactor };
  const model = await scripted([{ text: 'x' }]);
  const models = [modelRef(model, 'anthropic')] as const;
  const first = await makeScene(
    fakeClient([
      ...TURN,
      { keep: { type: 'user', uuid: 'looks-like', message: { content: 'password hunter2, looks-like' } } },
      { keep: { type: 'api-request-blob', message: 'again' } },
      { wait: 500 },
      { keep: { type: 'assistant', sessionId: 's', message: { content: '\u001b[31m' } } },
      { keep: '{"type":"assis' },
      result('fine'),
    ]),
  );
  await finish({ engine: first.engine(), models, spec: { conversation } });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ engine: 'claude', version: 1 });
  expect(lines.slice(1).map((line) => JSON.parse(line))).toEqual([
    { type: 'user', uuid: 'looks-like', message: { content: 'password ***, ~~~' } },
    { type: 'assistant', sessionId: 's', message: { content: '\u001b[31m' } },
  ]);
  expect(readFileSync(file, 'utf8')).not.toContain('\u001b');

  // Another job, another home; the runner before was killed in the middle of a line.
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"torn`);
  const told = join(makeFolder(), 'told.json');
  const second = await makeScene(
    fakeClient([
      ...TURN,
      { tell: told },
      { keep: { type: 'user', message: { content: 'next' } } },
      result('fine'),
    ]),
  );
  const run = await finish({
    engine: second.engine(),
    models,
    spec: { conversation: { ...conversation, resume: true } },
  });
  expect(run.outcome).toMatchObject({ status: 'done' });
  expect(eventsOf(run.events, 'warn').map(({ text }) => text)).toEqual([
    'the last line of the transcript was torn and is cut off',
  ]);
  const { argv } = JSON.parse(readFileSync(told, 'utf8'));
  const { session } = JSON.parse(lines[0] ?? '');
  expect(argv[argv.indexOf('--resume') + 1]).toBe(session);
  expect(argv).not.toContain('--session-id');
  expect(existsSync(join(second.options.configFolder, 'projects'))).toBe(true);
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(4);
});
