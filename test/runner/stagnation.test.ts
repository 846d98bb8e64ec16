import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ToolDefinition } from '../../src/engine/engine.ts';
import { createNativeEngine } from '../../src/engine/native/engine.ts';
import { STAGNATION_LIMITS } from '../../src/job/stagnation.ts';
import { type Look, Stagnation, workspaceLook } from '../../src/runner/stagnation.ts';
import { eventsOf, fastClock, modelRef, scripted } from '../engine/harness.ts';
import { makeFolder, makeRepository, writeFiles } from '../helpers/repository.ts';
import { plainSandbox } from '../workspace/plain-sandbox.ts';

const { unchanged, repeated } = STAGNATION_LIMITS;

/** A worker that makes one call a round, a new one each time or always `fixed`, against this watch. */
async function workerAgainst(stagnation: Stagnation, turn: (index: number) => string) {
  const model = await scripted(({ index }) => ({
    calls: [{ name: 'bash', args: { command: turn(index) } }],
  }));
  const bash: ToolDefinition = {
    name: 'bash',
    description: 'a shell',
    input: z.strictObject({ command: z.string() }),
    readOnly: false,
    run: async () => ({ ok: true, text: 'exit 0 (0.1s)', summary: '' }),
  };
  const events: Parameters<typeof eventsOf>[0][number][] = [];
  let steps = 0;
  const run = createNativeEngine(fastClock()).start(
    {
      system: 's',
      prompt: 'p',
      models: [modelRef(model, 'openai-chat')],
      conversation: { file: join(makeFolder(), 't.ndjson'), resume: false },
      retry: { attempts: 1, capMs: 1 },
      idleMs: 60_000,
    },
    {
      tools: [bash],
      mayCall: () => {
        steps += 1;
        return steps > 130 ? { kind: 'failed', reason: 'max_steps', detail: 'enough' } : null;
      },
      afterRound: (calls) => stagnation.afterRound(calls),
      emit: (event) => void events.push(event),
    },
  );
  return { outcome: await run.done, events, model };
}

describe('a worker that gets nowhere', () => {
  it('is told once, and stopped with the reason "loop"', async () => {
    const look: Look = { changed: 0, print: 'same' };
    const { outcome, events, model } = await workerAgainst(
      new Stagnation(async () => look),
      (at) => `ls ${at}`,
    );
    expect(outcome).toMatchObject({
      status: 'failed',
      kind: 'loop',
      message: expect.stringContaining('gets nowhere'),
    });
    expect(model.requests).toHaveLength(unchanged.stop);
    expect(eventsOf(events, 'warn')).toHaveLength(1);
    expect(model.requests[unchanged.warn]?.text).toContain('without a change of any file');
    expect(model.requests[unchanged.warn - 1]?.text).not.toContain('without a change of any file');
  });

  it('verifies what does not change, with other steps between', async () => {
    const look: Look = { changed: 3, print: 'same' };
    const turn = (at: number): string => (at % 3 === 0 ? 'npm test' : `ls ${at}`);
    const { outcome, model } = await workerAgainst(new Stagnation(async () => look), turn);
    expect(outcome).toMatchObject({ status: 'failed', kind: 'loop' });
    expect(model.requests).toHaveLength((repeated.stop - 1) * 3 + 1);
  });
});

describe('a worker whose shell changes files', () => {
  it.each<[string, () => Promise<Look | null>, (at: number) => string]>([
    ['is at work', async () => ({ changed: 2, print: 'x' }), (at) => `sed -i ${at}`],
    [
      'is at work though it tests the same again and again',
      (() => {
        let looks = 0;
        return async () => ({ changed: 1, print: String(looks++) });
      })(),
      (at) => (at % 3 === 0 ? 'npm test' : `sed -i ${at}`),
    ],
    ['is believed to be, where nobody can look', async () => null, (at) => `ls ${at}`],
  ])('%s', async (_, look, turn) => {
    const { outcome } = await workerAgainst(new Stagnation(look), turn);
    expect(outcome).toMatchObject({ status: 'stopped' });
  });
});

it('looks at the files git does not ignore, without what set-up left', async () => {
  const work = makeRepository({ 'a.txt': 'a\n', '.gitignore': 'build\n' });
  const look = workspaceLook({ sandbox: plainSandbox(), leftovers: new Map([['made.txt', 'x']]) }, work);
  writeFiles(work, { 'made.txt': 'x\n', 'build/x': 'x\n' });
  const before = await look();
  expect(before?.changed).toBe(0);
  writeFiles(work, { 'new.txt': 'n\n', 'a.txt': 'b\n' });
  const after = await look();
  expect(after?.changed).toBe(2);
  appendFileSync(join(work, 'new.txt'), 'more\n');
  expect((await look())?.print).not.toBe(after?.print);
  expect(await workspaceLook({ sandbox: plainSandbox(), leftovers: new Map() }, makeFolder())()).toBeNull();
});
