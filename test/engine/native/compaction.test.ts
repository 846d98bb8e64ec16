import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planCompaction } from '../../../src/engine/native/compaction.ts';
import { createNativeEngine } from '../../../src/engine/native/engine.ts';
import type { Message } from '../../../src/engine/native/messages.ts';
import { resumeTranscript } from '../../../src/engine/native/transcript.ts';
import type { ScriptedRequest } from '../../../src/engine/scripted/server.ts';
import type { Turn } from '../../../src/engine/scripted/turn.ts';
import { eventsOf, fastClock, finish, modelRef, scripted, type TestApi } from '../harness.ts';

const user = (content: string): Message => ({ role: 'user', content });
const call = (id: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: id, toolName: 'read', input: {} }],
});
const result = (id: string, value: string): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type: 'text', value } }],
});
const HISTORY = [
  user('task'),
  call('1'),
  result('1', 'x'),
  call('2'),
  result('2', 'y'),
  user('more'),
  call('3'),
  result('3', 'z'),
];

describe('planCompaction', () => {
  it.each([0, 20, 40, 60, 80, 100, 1000])('never parts a call from its result (keep %d tokens)', (keep) => {
    const plan = planCompaction(HISTORY, 'task', keep);
    if (plan === null) return;
    expect(plan.tail[0]?.role).not.toBe('tool');
    expect([...plan.head, ...plan.middle, ...plan.tail]).toEqual(HISTORY);
  });

  it('keeps the latest prompt word for word', () => {
    expect(planCompaction(HISTORY, 'more', 0)?.head).toEqual([user('task'), user('more')]);
  });

  it('has nothing to do for a task alone', () => {
    expect(planCompaction([user('task')], 'task', 0)).toBeNull();
  });
});

/** Twenty results of 30 KB each, at an endpoint that takes 200 KB; forgetful models look again. */
function narrow({ role, index, text }: ScriptedRequest): Turn {
  if (text.length > 200_000) {
    return { status: 400, body: { error: { message: 'context_length_exceeded: maximum context length' } } };
  }
  if (role === 'compactor') return { text: 'SUMMARY OF IT' };
  return index < 20 ? { calls: [{ name: 'big', args: { n: index } }] } : { text: 'done' };
}

describe.each<TestApi>(['openai-chat', 'anthropic'])('a context that grows, on %s', (api) => {
  it('is shortened after a refusal, and the run completes', async () => {
    const model = await scripted(narrow);
    const { outcome, events, file } = await finish({
      engine: createNativeEngine(fastClock()),
      models: [modelRef(model, api)],
    });
    expect(outcome).toEqual({ status: 'done', finalText: 'done' });
    expect(eventsOf(events, 'compacted').length).toBeGreaterThan(0);
    expect(eventsOf(events, 'spend').some(({ role }) => role === 'compactor')).toBe(true);
    expect(model.requests.at(-1)?.text).toContain('SUMMARY OF IT');
    expect(readFileSync(file, 'utf8')).toContain('"t":"compacted"');
    expect(JSON.stringify(resumeTranscript(file)?.messages)).toContain('SUMMARY OF IT');
  });

  it('is shortened before it is full', async () => {
    const usage = { prompt: 85_000, output: 10 };
    const model = await scripted({
      turns: {
        worker: [{ calls: [{ name: 'read', args: { path: 'a' } }], usage }, { text: 'done' }],
        compactor: [{ text: 'SUMMARY OF IT' }],
      },
    });
    const { outcome, events } = await finish({
      engine: createNativeEngine(fastClock()),
      models: [modelRef(model, api, { contextWindow: 100_000 })],
    });
    expect(outcome.status).toBe('done');
    expect(model.requests.map(({ role }) => role)).toEqual(['worker', 'compactor', 'worker']);
    expect(eventsOf(events, 'compacted')).toHaveLength(1);
  });
});
