import { describe, expect, it } from 'vitest';
import type { Script } from '../../src/engine/scripted/server.ts';
import type { Turn } from '../../src/engine/scripted/turn.ts';
import { git } from '../helpers/repository.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';

const WORK: Turn = { calls: [write('good.txt', 'good\n')] };
const DONE: Turn = { text: 'done' };
const READ = { name: 'read', args: { path: 'README.md' } };
const BUSY = (retryAfter: string): Turn => ({ status: 429, headers: { 'retry-after': retryAfter } });
const TORN = { name: 'write', rawArguments: '{"path":"torn.txt","content":"line1\\nli' };

/** The good turns first, then always this one. */
const thenAlways = (turn: Turn): readonly Turn[] => [WORK, turn];

interface Row {
  readonly title: string;
  readonly script: Script;
  /** null: the job succeeds. */
  readonly reason: string | null;
  /** Part of the record's error. */
  readonly error?: string;
  /** How many requests there may be at the most. */
  readonly requests: number;
  /** How many calls of tools are refused with an explanation. */
  readonly refused?: number;
  readonly costUsd?: number;
}

const ROWS: readonly Row[] = [
  {
    title: 'MOD-01 too many requests twice: waits as it is told and completes; refused requests are free',
    script: [WORK, BUSY('1'), BUSY('1'), DONE],
    reason: null,
    requests: 4,
    costUsd: 2 * (100 * 1 + 10 * 10) * 1e-6,
  },
  {
    title: 'MOD-01 too many requests for ever: ends after a bounded number of them',
    script: thenAlways(BUSY('1')),
    reason: 'rate_limited',
    requests: 6,
  },
  {
    title: 'MOD-01 asked to wait for a day: ends, and names the time',
    script: thenAlways(BUSY('86400')),
    reason: 'rate_limited',
    error: '86400 s',
    requests: 2,
  },
  {
    title: 'MOD-03 a stream that is cut in a call: nothing of it is run, and it is asked again',
    script: [WORK, { calls: [TORN], ending: 'cut' }, DONE],
    reason: null,
    requests: 3,
  },
  {
    title: 'MOD-03 a stream that ends in a call without a finish: the same',
    script: [WORK, { calls: [TORN], ending: 'no_finish' }, DONE],
    reason: null,
    requests: 3,
  },
  {
    title:
      'MOD-05 arguments that are no JSON, empty, null, absent, wrong, or too many: each is an error the model is told',
    script: [
      WORK,
      {
        calls: [
          { name: 'read', rawArguments: 'not json' },
          { name: 'read', rawArguments: '' },
          { name: 'read', rawArguments: 'null' },
          { name: 'read', rawArguments: null },
          { name: 'read', args: {} },
          { name: 'read', args: { path: 42 } },
          { name: 'read', args: { path: 'good.txt', extra: 1 } },
        ],
      },
      DONE,
    ],
    reason: null,
    requests: 3,
    refused: 7,
  },
  {
    title: 'MOD-05 nothing but malformed calls: bounded',
    script: ({ index }) =>
      index === 0 ? WORK : { calls: [{ name: 'read', rawArguments: `not json ${index}` }] },
    reason: 'loop',
    requests: 15,
  },
  {
    title: 'MOD-06 unknown, empty and misspelt tools: an error each, nothing is guessed',
    script: [
      WORK,
      { calls: [{ name: 'generic_command', args: { command: 'touch guessed' } }] },
      { calls: [{ name: '', args: {} }] },
      { calls: [{ name: 'WRITE ', args: { path: 'guessed', content: '' } }] },
      DONE,
    ],
    reason: null,
    requests: 5,
    // An empty name has no call to answer: the model is asked which tool it meant.
    refused: 2,
  },
  {
    title: 'MOD-08 an empty answer once: asked again, completes',
    script: [WORK, { text: '' }, DONE],
    reason: null,
    requests: 3,
  },
  {
    title: 'MOD-08 empty answers for ever: ends',
    script: thenAlways({ text: ' \n' }),
    reason: 'empty_responses',
    requests: 5,
  },
  {
    title: 'MOD-08 an answer without choices for ever: a fault of the endpoint, bounded',
    script: thenAlways({ noChoices: true }),
    reason: 'engine_error',
    error: 'gave up after',
    requests: 8,
  },
  {
    title: 'MOD-08 an error in a good answer (HTTP 200) for ever: the same',
    script: thenAlways({ status: 200, body: { error: { message: 'overloaded', code: 503 } } }),
    reason: 'engine_error',
    requests: 8,
  },
  {
    title: 'MOD-10 (a) too long for the model: shortened, completes',
    script: ({ index, text }) => tooLong(text, 60_000) ?? (index < 8 ? noise(index) : DONE),
    reason: null,
    requests: 30,
  },
  {
    title: 'MOD-10 (b) too long whatever is left out: ends',
    script: ({ index }) => (index === 0 ? WORK : OVERFLOW),
    reason: 'context_overflow',
    requests: 12,
  },
  {
    title: 'MOD-16 the same call for ever: stopped long before the step limit',
    script: thenAlways({ calls: [READ] }),
    reason: 'loop',
    requests: 20,
  },
  {
    title: 'MOD-16 two calls by turns for ever: the same',
    script: ({ index }) =>
      index === 0 ? WORK : { calls: [index % 2 ? READ : { name: 'glob', args: { pattern: '*' } }] },
    reason: 'loop',
    requests: 40,
  },
  {
    title: 'MOD-16 the same look at a thing that changes: not a loop for a good while',
    script: ({ index }) =>
      index === 0 ? WORK : index < 15 ? { calls: [bash('date +%s%N >> good.txt; cat good.txt')] } : DONE,
    reason: null,
    requests: 16,
  },
];

const OVERFLOW: Turn = {
  status: 400,
  body: { error: { message: 'maximum context length exceeded', code: 'context_length_exceeded' } },
};

function tooLong(text: string, bytes: number): Turn | null {
  return text.length > bytes ? OVERFLOW : null;
}

function noise(index: number): Turn {
  return index === 0 ? WORK : { calls: [bash(`echo ${index}; head -c 20000 /dev/zero | tr '\\0' x`)] };
}

describe('what a model may do', () => {
  it.each(ROWS)('$title', async (row) => {
    const world = await makeWorld({ script: row.script });
    const id = await world.start();
    const record = await world.ended(id);
    expect([record.reason, record.result?.error ?? '']).toEqual([
      row.reason,
      row.error ? expect.stringContaining(row.error) : expect.any(String),
    ]);
    expect(record.state).toBe(row.reason === null ? 'succeeded' : 'failed');
    // Whatever the end: the work is kept, and nothing of a torn, guessed or refused call is in it.
    expect(record.result).toMatchObject({ files: 1, salvaged: row.reason !== null });
    expect(git(world.repository, 'diff', '--name-only', record.base, record.branch)).toBe('good.txt');
    expect(world.model.requests.length).toBeLessThanOrEqual(row.requests);
    if (row.reason === null && !row.title.includes('(a)')) {
      expect(world.model.requests.length).toBe(row.requests);
    }
    const refused = world.events(id, 'tool_end').filter(({ ok }) => ok === false);
    expect(refused).toHaveLength(row.refused ?? refused.length);
    if (row.costUsd !== undefined) expect(record.costUsd).toBeCloseTo(row.costUsd, 9);
  });

  it('MOD-01 a wait for the endpoint is shown, is no stall, and a cancel ends it at once', async () => {
    const world = await makeWorld({ script: thenAlways(BUSY('50')) });
    const id = await world.start(['--stall-timeout', '8']);
    const waiting = await world.until(id, ({ progress }) => progress.note.startsWith('waiting'));
    expect(waiting.progress.note).toContain('50 s');
    expect((await world.run(['progress', id])).stdout).toContain('waiting 50 s');
    const before = performance.now();
    expect((await world.run(['cancel', id])).exit).toBe(0);
    expect(performance.now() - before).toBeLessThan(40_000);
    expect(world.record(id)).toMatchObject({ state: 'cancelled', result: { files: 1, salvaged: true } });
  });
});
