import { describe, expect, it } from 'vitest';
import type { ScriptedRequest } from '../../src/engine/scripted/server.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';

/** The text of everything the model was told in a request. */
function told(request: ScriptedRequest | undefined): string {
  return request?.text ?? '';
}

const ask = (question: string, context?: string) => ({
  name: 'ask_supervisor',
  args: { question, ...(context && { context }) },
});

describe('a worker that asks', () => {
  it('waits in needs_input without calling the model, and goes on with the answer', async () => {
    const world = await makeWorld({
      script: [
        { calls: [ask('Keep the v1 API?', 'two callers use it')] },
        { calls: [write('a.txt', 'kept\n')] },
        { text: 'kept v1' },
      ],
    });
    const id = await world.start();
    const waiting = await world.run(['wait', id, '--json']);
    expect(waiting.exit).toBe(10);
    expect(waiting.json()).toMatchObject({
      state: 'needs_input',
      question: { id: 'q1', kind: 'question', message: 'Keep the v1 API?' },
    });
    const calls = world.model.requests.length;
    const progress = await world.run(['progress', id, '--json']);
    expect(progress.json()).toMatchObject({
      question: { id: 'q1', context: 'two callers use it', options: [] },
    });
    expect((await world.run(['status'])).stdout).toContain('asks: Keep the v1 API?');
    expect(world.model.requests.length).toBe(calls);

    const answered = await world.run(['answer', id, 'drop it; nobody uses it']);
    expect(answered).toMatchObject({ exit: 0, stderr: '' });
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'succeeded', question: null, openQuestions: 0 });
    expect(told(world.model.requests[calls])).toContain('drop it; nobody uses it');
    const afterwards = (await world.run(['progress', id, '--json'])).json();
    expect(afterwards).toMatchObject({ filesTouched: ['a.txt'], partialText: 'kept v1', toolCalls: 2 });
    expect(afterwards).toMatchObject({
      activity: [
        { tool: 'ask_supervisor', ok: true },
        { tool: 'write', ok: true },
      ],
    });
  });

  it('goes on by itself, running again, when nobody answers in time', async () => {
    const world = await makeWorld({
      script: [
        { calls: [ask('Which colour?')] },
        { calls: [bash('sleep 1; echo blue > colour.txt')] },
        { text: 'blue' },
      ],
    });
    const id = await world.start(['--ask-timeout', '1']);
    await world.until(id, (record) => record.state === 'needs_input');
    await world.until(id, (record) => record.state === 'running');
    const record = await world.ended(id);
    expect(record.state).toBe('succeeded');
    expect(told(world.model.requests[1])).toContain('Nobody answered within 1 s');
    expect(world.events(id, 'question_expired')).toHaveLength(1);
  });

  it('keeps a question and a blocker apart, and answers each by its id', async () => {
    const world = await makeWorld({
      script: [
        { calls: [ask('First?')] },
        {
          calls: [{ name: 'report_blocker', args: { problem: 'the build fails', attempts: 'three times' } }],
        },
        { calls: [write('a.txt', 'x')] },
        { text: 'done' },
      ],
    });
    const id = await world.start();
    await world.until(id, (record) => record.question?.id === 'q1');
    expect((await world.run(['answer', id, 'x', '--question', 'q7'])).exit).toBe(2);
    expect(
      (await world.run(['answer', id, '--text-file', '-'], { input: 'one\n$(touch /tmp/x) "two"' })).exit,
    ).toBe(0);
    const blocked = await world.until(id, (record) => record.question?.id === 'q2');
    expect(blocked.question).toMatchObject({ kind: 'blocker', message: 'the build fails' });
    expect((await world.run(['answer', id, 'use make'])).exit).toBe(0);
    await world.ended(id);
    expect(told(world.model.requests[1])).toContain('$(touch /tmp/x)');
    expect(told(world.model.requests[2])).toContain('use make');
  });
});

describe('steering', () => {
  it('delivers three quick messages in order with the next request, each with a receipt; it is refused once the job has ended, as is an answer where nothing is asked', async () => {
    const world = await makeWorld({
      script: [
        { calls: [bash('while [ ! -e go ]; do sleep 0.05; done')] },
        { calls: [write('a.txt', 'x')] },
        { text: 'done' },
      ],
    });
    const id = await world.start();
    const { workspace } = await world.until(id, (record) => record.progress.toolCalls === 1);
    // An answer where nothing is asked is told what to do instead.
    const refused = await world.run(['answer', id, 'yes', '--json']);
    expect(refused.exit).toBe(4);
    expect(refused.json()).toMatchObject({
      error: { code: 'no_question', remedy: expect.stringContaining('steer') },
    });
    for (const text of ['use tabs', 'not spaces', 'and no semicolons']) {
      expect((await world.run(['steer', id, text])).exit).toBe(0);
    }
    await world.until(id, () => world.events(id, 'steer').length === 3);
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${workspace}/go`, '');
    await world.ended(id);
    const text = told(world.model.requests[1]);
    const places = ['use tabs', 'not spaces', 'and no semicolons'].map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    const delivered = world.events(id, 'steer_delivered').flatMap((event) => event.ids);
    expect(delivered).toEqual(world.events(id, 'steer').map((event) => event.id));
    expect((await world.run(['steer', id, 'faster'])).exit).toBe(4);
  });
});
