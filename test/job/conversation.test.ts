import { describe, expect, it } from 'vitest';
import { answerJson } from '../../src/job/answer-json.ts';
import {
  budgetLeft,
  inOrder,
  isResumable,
  startOfNextTurn,
  turnUnderWay,
} from '../../src/job/conversation.ts';
import { DEFAULT_LIMITS } from '../../src/job/limits.ts';
import { type JobRecord, NO_RESULT } from '../../src/job/record.ts';
import { type Task, toolName } from '../../src/job/task.ts';
import { briefOf, failedTwice } from '../../src/job/unchanged-retry.ts';
import { newId, sampleRecord, sampleTask } from '../store/fixtures/records.ts';

const TASK = sampleTask();
const COMMIT = 'a'.repeat(40);

describe('the next turn', () => {
  it('comes after the one with the highest number, and not while one is under way', () => {
    const turns = [3, 1, 2].map((turn) => sampleRecord({ id: newId(), turn, state: 'succeeded' }));
    expect(inOrder(turns).map(({ turn }) => turn)).toEqual([1, 2, 3]);
    expect(turnUnderWay(turns)).toBeUndefined();
    const asking = sampleRecord({ id: newId(), turn: 4, state: 'needs_input' });
    expect(turnUnderWay([...turns, asking])).toBe(asking);
  });

  it.each<[string, JobRecord['result'], Task['goesOn'], string | null]>([
    ['what the turn before left', { ...NO_RESULT, commit: COMMIT }, null, COMMIT],
    ['what that one started with, when it left nothing', NO_RESULT, goesOn('b'.repeat(40)), 'b'.repeat(40)],
    ['its result rather than its start', { ...NO_RESULT, commit: COMMIT }, goesOn('b'.repeat(40)), COMMIT],
    ['the base, when there is neither', null, null, null],
  ])('starts with %s', (_what, result, from, expected) => {
    expect(startOfNextTurn(sampleRecord({ result }), { goesOn: from })).toBe(expected);
  });

  it.each([
    ['failed', 'runner_lost', true],
    ['failed', 'over_budget', true],
    ['failed', 'max_steps', true],
    ['timeout', 'wall', true],
    ['timeout', 'stall', true],
    ['timeout', 'queue', false],
    ['failed', 'gate_failed', false],
    ['failed', 'tampered', false],
    ['cancelled', null, false],
    ['succeeded', null, false],
  ] as const)('of %s by %s: resumable is %s', (state, reason, expected) => {
    expect(isResumable({ state, reason })).toBe(expected);
  });

  it.each([
    [5, [5], 0],
    [8, [5, 1.5], 1.5],
    [5, [5.2], 0],
    [5, [null, 1], 4],
    [0.3, [0.1, 0.1], 0.1],
  ])('of %d dollars with %j spent %d are left', (inAll, spent, left) => {
    expect(budgetLeft(inAll, spent)).toBe(left);
  });
});

function goesOn(start: string): Task['goesOn'] {
  return { job: newId(), how: 'followup', start };
}

describe('an unchanged retry', () => {
  const failed = (change: Partial<JobRecord> = {}, task: Partial<Task> = {}) => ({
    record: sampleRecord({ id: newId(), state: 'failed', reason: 'gate_failed', ...change }),
    task: { ...TASK, ...task },
  });
  const brief = briefOf(failed().record, TASK);

  it('is one after two failures for the same reason', () => {
    expect(failedTwice(brief, [failed()])).toBeNull();
    expect(failedTwice(brief, [failed(), failed()])).toBe('gate_failed');
    expect(failedTwice(brief, [failed(), failed({ reason: 'no_changes' })])).toBeNull();
    expect(failedTwice(brief, [failed(), failed({ reason: 'no_changes' }), failed()])).toBe('gate_failed');
  });

  it.each<[string, ReturnType<typeof failed>]>([
    ['prompt', failed({}, { prompt: 'other' })],
    ['definition of done', failed({}, { done: 'other' })],
    ['start', failed({}, { goesOn: goesOn(COMMIT) })],
    ['model', failed({ model: 'other:one' })],
    ['base', failed({ base: 'c'.repeat(40) })],
    ['test', failed({ gate: { test: 'other', setup: null, criteria: false } })],
    ['limit', failed({ limits: { ...DEFAULT_LIMITS, budgetUsd: 9 } })],
    ['engine', failed({ engine: 'claude' })],
    ['permission mode', failed({}, { permissionMode: 'acceptEdits' })],
    ['tool', failed({}, { allowTools: ['Read'] })],
    ['tool denied', failed({}, { denyTools: ['Bash'] })],
    ['folder', failed({}, { addDirs: ['/usr/share'] })],
    ['size of the prompt', failed({}, { clientPrompt: 'full' })],
    ['word to the worker', failed({}, { appendSystemPrompt: 'Be brief.' })],
  ])('is none with another %s', (_what, other) => {
    expect(failedTwice(brief, [failed(), other])).toBeNull();
  });

  it.each([
    'auth',
    'quota',
    'rate_limited',
    'runner_lost',
    'launch_failed',
    'storage',
    'engine_error',
  ] as const)('does not count %s, which is not the work’s own', (reason) =>
    expect(failedTwice(brief, [failed({ reason }), failed({ reason })])).toBeNull(),
  );

  it('does not count what failed before a success, and the order of limits and rules says nothing', () => {
    const succeeded = failed({ state: 'succeeded', reason: null });
    expect(failedTwice(brief, [failed(), succeeded, failed()])).toBeNull();
    const limits = Object.fromEntries(Object.entries(brief.limits).reverse()) as JobRecord['limits'];
    expect(failedTwice(brief, [failed({ limits }), failed()])).toBe('gate_failed');
    const ruled = (...allowTools: string[]) => failed({}, { allowTools });
    const { record, task } = ruled('Read', 'Edit');
    const twice = [ruled('Edit', 'Read'), ruled('Read', 'Edit')];
    expect(failedTwice(briefOf(record, task), twice)).toBe('gate_failed');
  });
});

it.each([
  ['{"a": 1}', { a: 1 }],
  [' \n[1, 2]\n', [1, 2]],
  ['```json\n{"a": "```"}\n```', { a: '```' }],
  ['```\n"x"\n```\n', 'x'],
  ['null', null],
])('the JSON of the answer %j is %j', (answer, value) => {
  expect(answerJson(answer)).toEqual({ ok: true, value });
});

it.each(['Here: {"a": 1}', '{"a": 1', '', '```json\n{"a": 1}', 'five'])(
  'the answer %j is no JSON',
  (answer) => {
    expect(answerJson(answer)).toEqual({ ok: false });
  },
);

it.each([
  ['Bash', 'bash'],
  ['grep', 'grep'],
  ['toString', null],
  ['Task', 'task'],
  ['WebFetch', null],
  ['', null],
])('the tool %j is ours as %j', (typed, name) => {
  expect(toolName(typed)).toBe(name);
});
