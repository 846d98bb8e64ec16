import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verb as answer } from '../../src/cli/answer.ts';
import { verb as followup } from '../../src/cli/followup.ts';
import { verb as list } from '../../src/cli/list.ts';
import { mayRaise } from '../../src/cli/model-caller.ts';
import { predecessor } from '../../src/cli/predecessor.ts';
import { verb as resume } from '../../src/cli/resume.ts';
import { limitsOfWork } from '../../src/cli/resume-chain.ts';
import { startRequest } from '../../src/cli/start-options.ts';
import type { JobRecord } from '../../src/job/record.ts';
import type { Grant } from '../../src/notify/consent/grant.ts';
import { openInbox } from '../../src/store/mailbox.ts';
import { openStore } from '../../src/store/open.ts';
import { runPaths } from '../../src/store/paths.ts';
import { readTask, writeTask } from '../../src/store/task-file.ts';
import { makeFolder, makeRepository } from '../helpers/repository.ts';
import { askingRecord, jobOf } from '../notify/jobs.ts';
import { refusal } from '../provider/user-error-of.ts';
import { newId, sampleRecord, sampleTask } from '../store/fixtures/records.ts';
import { agreed, contextOf } from './context.ts';

const PERSON = {};
const USED = { input: 900, output: 100, cacheRead: 0, cacheWrite: 0 };

const typed = (...words: string[]): Grant => ({
  ...agreed(words, 'typed'),
  kind: 'typed',
  verb: 'delegate-followup',
  words,
});

function scene(change: Partial<JobRecord> = {}) {
  const userDir = makeFolder();
  const repo = makeRepository({ 'a.txt': 'a\n' });
  const record = jobOf(repo, 's1', userDir, change);
  const store = openStore(repo, { create: false });
  const task = sampleTask();
  writeTask(runPaths(store, record.id).task, task);
  const context = (args: readonly string[], call: { consent?: Grant; env?: Record<string, string> } = {}) =>
    contextOf({ cwd: repo, userDir, args, ...call });
  return { record, store, repo, userDir, id: record.id, context };
}

/** At its cap of $5, with $5 spent. */
function atItsCap(costUsd = 5) {
  const asking = askingRecord(sampleRecord(), 'May it spend more?');
  const question = asking.question && { ...asking.question, kind: 'budget' as const };
  return scene({ state: 'needs_input', openQuestions: 1, question, costUsd });
}

describe('an answer to a job that asks for money', () => {
  const byDialog = agreed(['answer']);

  it.each([
    ['a text', ['50'], undefined],
    ['a text, with a yes to something else', ['raise to $50'], byDialog],
    ['a text, with typed words that have the sum', ['50'], typed('a1b2c3', '$50')],
    ['a file, with a yes to the file', ['--text-file', 'sum.txt'], byDialog],
    ['the option, without a yes', ['--raise-budget', '50'], undefined],
  ])('is refused from a model as %s', async (_, words, consent) => {
    const { id, repo, store, context } = atItsCap();
    writeFileSync(join(repo, 'sum.txt'), '50\n');
    const call = context([id, ...words], consent === undefined ? {} : { consent });
    const remedy = expect.stringContaining('--raise-budget 50');
    expect(await refusal(() => answer.run(call))).toMatchObject({ exit: 5, code: 'needs_the_user', remedy });
    expect(openInbox(store, id).pending()).toEqual([]);
  });

  it.each([
    ['the option with the yes to it', ['--raise-budget', '50'], { consent: byDialog }, '50', 'it goes on'],
    ['a person’s text', ['$7.50'], { env: PERSON }, '7.5', 'it goes on'],
    ['the end', ['stop'], {}, 'stop', 'it ends, and its work is kept'],
    ['no more money at all', ['0'], {}, 'stop', 'it ends, and its work is kept'],
  ])('is taken: %s', async (_, words, call, text, said) => {
    const { id, store, context } = atItsCap();
    const output = await answer.run(context([id, ...words], call));
    expect(output.text).toContain(said);
    expect(openInbox(store, id).pending()).toMatchObject([{ type: 'answer', text }]);
  });

  it('may be a sum far below a cent', async () => {
    const { id, store, context } = atItsCap();
    const cheap = atItsCap(0.00000004);
    await answer.run(cheap.context([cheap.id, '--raise-budget', '0.0000001'], { env: PERSON }));
    expect(openInbox(cheap.store, cheap.id).pending()).toMatchObject([{ text: '0.0000001' }]);
    const low = await refusal(() =>
      answer.run(context([id, '--raise-budget', '0.0000001'], { env: PERSON })),
    );
    expect(low).toMatchObject({ exit: 2, remedy: 'more than $5.00' });
    expect(openInbox(store, id).pending()).toEqual([]);
  });
});

describe('a sum', () => {
  it.each([
    ['a person', null, PERSON, true],
    ['a model by itself', null, undefined, false],
    ['the dialog, which shows the call', agreed(['x']), undefined, true],
    ['typed words without it', typed('a1b2c3', 'go', 'on'), undefined, false],
    ['typed words with another one', typed('a1b2c3', '--raise-budget', '8'), undefined, false],
    ['a bare number', typed('a1b2c3', 'issue', '9'), undefined, false],
    ['the option', typed('a1b2c3', '--raise-budget', '9'), undefined, true],
    ['the option with =', typed('a1b2c3', '--raise-budget=9'), undefined, true],
    ['dollars', typed('a1b2c3', 'up', 'to', '$9'), undefined, true],
    ['dollars and cents', typed('a1b2c3', '$9.00'), undefined, true],
    ['a budget in words', typed('a1b2c3', 'Budget', '9'), undefined, true],
    ['a sign alone', typed('a1b2c3', '$'), undefined, false],
  ])('of nine dollars may be said by %s', (_, consent, env, may) => {
    const { env: full } = contextOf({ cwd: '/', userDir: makeFolder(), ...(env && { env }) });
    expect(mayRaise({ env: full, consent }, '--raise-budget', 9)).toBe(may);
    expect(mayRaise({ env: full, consent: typed('$') }, '--raise-budget', 0)).toBe(false);
  });

  it('is not agreed to by a command that names the job for something else', async () => {
    const limits = { ...sampleRecord().limits, budgetUsd: 2 };
    const { id, context } = scene({ state: 'succeeded', endedAt: new Date().toISOString(), limits });
    const call = context([id, 'more', '--budget', '4'], { consent: typed(id, 'go', 'on') });
    expect(await refusal(() => followup.run(call))).toMatchObject({
      exit: 5,
      value: '--budget 4 (before: 2)',
    });
    // With the sum it gets further: to what this job has not said.
    const named = context([id, 'more', '--budget', '4'], { consent: typed(id, 'up', 'to', '$4') });
    expect(await refusal(() => followup.run(named))).toMatchObject({ code: 'nothing_said' });
  });
});

describe('the cap of tokens of a job without a price', () => {
  const stopped = {
    state: 'failed',
    reason: 'over_budget',
    endedAt: new Date().toISOString(),
    usage: USED,
  } as const;
  const limits = { ...sampleRecord().limits, maxTokens: 1000 };

  it.each([
    ['unknown', null, 'unknown'],
    ['a subscription', 0, 'subscription'],
    ['known in part', 1, 'partial'],
  ] as const)('is not begun anew by a model that resumes it: %s', async (_, costUsd, costBasis) => {
    const { id, context } = scene({ ...stopped, limits, costUsd, costBasis });
    const refused = await refusal(() => resume.run(context([id])));
    expect(refused).toMatchObject({ exit: 4, what: 'its tokens are used up' });
    // A person comes to what stands behind it.
    expect((await refusal(() => resume.run(context([id], { env: PERSON })))).code).toBe('nothing_said');
  });

  it('does not hold where money bounds the job', async () => {
    const { id, context } = scene({ ...stopped, limits, costUsd: 1, costBasis: 'table' });
    expect((await refusal(() => resume.run(context([id])))).code).toBe('nothing_said');
  });
});

it('lists a job without a call as one that cost nothing, and a sum with an unknown part as more', async () => {
  const one = scene({ costUsd: null, costBasis: 'unknown' });
  const listed = async () => list.run(one.context([]));
  expect(await listed()).toMatchObject({
    json: { unpricedJobs: 0 },
    text: expect.stringMatching(/1 job, \$0\.00$/),
  });
  jobOf(one.repo, 's1', one.userDir, { costUsd: 2, costBasis: 'partial', usage: USED });
  expect(await listed()).toMatchObject({
    json: { unpricedJobs: 0, partialJobs: 1 },
    text: expect.stringMatching(/\$2\.00\+$/),
  });
  jobOf(one.repo, 's1', one.userDir, { costUsd: null, costBasis: 'unknown', usage: USED });
  expect((await listed()).text).toMatch(/\$2\.00\+, 1 of unknown price$/);
});

it.each([
  ['failed', 'auth'],
  ['cancelled', null],
] as const)('a job does not wait for one that has ended: %s', async (state, reason) => {
  const { id, context } = scene({ state, reason, endedAt: new Date().toISOString() });
  const call = context(['x', '--after', id]);
  const refused = await refusal(async () => predecessor(call, await startRequest(call)));
  expect(refused).toMatchObject({ exit: 4, what: expect.stringContaining(`did not succeed: ${state}`) });
});

it('what the work may cost from its beginning is what the turn had that others resumed', () => {
  const { store, record } = scene({ limits: { ...sampleRecord().limits, budgetUsd: 5, maxTokens: 1000 } });
  const limits = { ...record.limits, budgetUsd: 1, maxTokens: 10, maxSteps: 7 };
  const resumed = { ...record, id: newId(), turn: 2, limits };
  const read = readTask(runPaths(store, record.id).task);
  if (read.kind !== 'ok') throw new Error(read.kind);
  const goesOn = { job: record.id, how: 'resume', start: null } as const;
  writeTask(runPaths(store, resumed.id).task, { ...read.value, goesOn });
  const turns = [record, resumed];
  const conversation = {
    store,
    id: record.conversationId,
    turns,
    first: record,
    newest: resumed,
    named: resumed,
  };
  expect(limitsOfWork(conversation)).toEqual({ ...limits, budgetUsd: 5, maxTokens: 1000 });
  expect(limitsOfWork({ ...conversation, newest: record })).toEqual(record.limits);
});
