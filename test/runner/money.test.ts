import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SpendRecord } from '../../src/job/spend-record.ts';
import { capsReader } from '../../src/runner/caps.ts';
import { readEvents } from '../../src/store/events.ts';
import { scanSpend, spendPath } from '../../src/store/spend-file.ts';
import { makeFolder } from '../helpers/repository.ts';
import { bundlePrograms, runProgram } from '../store/fixtures/bundle.ts';
import { billed, MODEL, openPurse, type PurseWanted, planned } from './fixtures/purse.ts';

function purse(wanted: PurseWanted = {}) {
  const userDir = makeFolder();
  return { userDir, ...openPurse(makeFolder(), userDir, wanted) };
}

function written(userDir: string): SpendRecord[] {
  const calls: SpendRecord[] = [];
  scanSpend(userDir, 0, (call) => void calls.push(call));
  return calls;
}

const reasonOf = (stop: unknown): unknown => Object(stop).reason ?? null;

describe('the record of calls', () => {
  it('has every call at once: who it was for, what was asked, what answered, what it cost and why', () => {
    const { account, userDir, writer } = purse();
    account.add(billed(0.5, { role: 'grader', model: 'alias', answered: 'the-real-one' }));
    const [call] = written(userDir);
    expect(call).toMatchObject({
      job: writer.record.id,
      repo: writer.record.repo,
      kind: 'task',
      role: 'grader',
      provider: 'test',
      asked: 'alias',
      model: 'the-real-one',
      usd: 0.5,
      basis: 'user',
      prices: MODEL.prices,
      estimated: false,
    });
  });

  it('keeps nothing of an endpoint that steers a terminal by the name of its model', () => {
    const { account, userDir } = purse();
    account.add(billed(0.5, { answered: `\u001b[31mevil\n${'x'.repeat(9000)}` }));
    expect(written(userDir)[0]?.model).toMatch(/^\[31mevil x{100,}…$/);
    expect(statSync(spendPath(userDir)).size).toBeLessThan(4096);
  });

  it('that cannot be written stops nothing, and what was spent counts all the same', async () => {
    const { account, userDir, money } = purse({
      caps: { perDay: 1, perRepository: null },
      limits: { askTimeout: 0 },
    });
    // A folder in the file's place: nobody can write there, root neither.
    mkdirSync(spendPath(userDir));
    account.add(billed(0.9));
    expect(account.spend.usd).toBe(0.9);
    expect(reasonOf(await money.mayCall(planned(), null))).toBe('over_budget');
  });

  it.skipIf(!existsSync('/dev/full'))(
    'on a full disk is the same: what was not written down counts',
    async () => {
      const { account, userDir, money } = purse({
        caps: { perDay: 1, perRepository: null },
        limits: { askTimeout: 0 },
      });
      symlinkSync('/dev/full', spendPath(userDir));
      account.add(billed(0.9));
      expect(reasonOf(await money.mayCall(planned(), null))).toBe('over_budget');
    },
  );

  it('tells of 50 and 80 per cent of the budget once each', () => {
    const { account, paths } = purse({ limits: { budgetUsd: 1 } });
    for (const usd of [0.4, 0.15, 0.1, 0.2, 0.05, 0.3]) account.add(billed(usd));
    const { events } = readEvents(paths.events);
    expect(events.filter(({ t }) => t === 'budget').map(({ percent }) => percent)).toEqual([50, 80]);
  });
});

describe('before a call', () => {
  it('whoever it is for, it is one account', async () => {
    for (const role of ['worker', 'grader', 'tester', 'compactor'] as const) {
      const { account, money } = purse({ limits: { budgetUsd: 0.00001, askTimeout: 0 } });
      expect(await money.mayCall(planned({ role }), null)).toBeNull();
      account.add(billed(0.001, { role }));
      for (const next of ['worker', 'grader', 'tester', 'compactor'] as const)
        expect(reasonOf(await money.mayCall(planned({ role: next }), null))).toBe('over_budget');
    }
  });

  it('a budget of 0 allows none, and nobody is asked about it', async () => {
    const { money } = purse({ limits: { budgetUsd: 0 } });
    expect(reasonOf(await money.mayCall(planned(), null))).toBe('over_budget');
  });

  it('a request that is made again is no new step, and a grader makes none', async () => {
    const { money } = purse({ limits: { maxSteps: 3 }, steps: () => 3 });
    expect(reasonOf(await money.mayCall(planned(), null))).toBe('max_steps');
    expect(await money.mayCall(planned({ attempt: 2 }), null)).toBeNull();
    expect(await money.mayCall(planned({ role: 'grader' }), null)).toBeNull();
  });

  it('a model without a price is stopped by its tokens, and a person is not asked for money', async () => {
    const { money, account } = purse({ limits: { maxTokens: 2000 } });
    const call = planned({ model: { ...MODEL, prices: null } });
    account.add(billed(null));
    expect(await money.mayCall(call, null)).toBeNull();
    account.add(billed(null));
    expect(reasonOf(await money.mayCall(call, null))).toBe('over_budget');
  });

  it('the cap of a repository is about all that was ever spent for it, by every job of it alone', async () => {
    const [userDir, here, there] = [makeFolder(), makeFolder(), makeFolder()];
    const wanted = { caps: { perDay: null, perRepository: 1 }, limits: { askTimeout: 0 } };
    openPurse(here, userDir).account.add(billed(0.9));
    expect(reasonOf(await openPurse(here, userDir, wanted).money.mayCall(planned(), null))).toBe(
      'over_budget',
    );
    expect(await openPurse(there, userDir, wanted).money.mayCall(planned(), null)).toBeNull();
  });

  it('the caps of day and repository do not hold for a job that the person let pass them', async () => {
    const wanted = { caps: { perDay: 0.1, perRepository: 0.1 }, limits: { budgetUsd: 1, askTimeout: 0 } };
    expect(reasonOf(await purse(wanted).money.mayCall(planned(), null))).toBe('over_budget');
    expect(await purse({ ...wanted, passCaps: true }).money.mayCall(planned(), null)).toBeNull();
  });
});

describe('at a cap', () => {
  const limits = { budgetUsd: 1, askTimeout: 60 };

  it('one question is asked for all who wait, after the work was taken in, and a raise lets all go on', async () => {
    const { money, account, questions, writer } = purse({ limits });
    account.add(billed(1));
    let kept = 0;
    const keep = async (): Promise<void> => {
      kept += 1;
    };
    const waiting = [1, 2, 3].map(() => money.mayCall(planned(), keep));
    await expect.poll(() => writer.record.state).toBe('needs_input');
    expect(writer.record.question).toMatchObject({
      kind: 'budget',
      message: expect.stringContaining('$1.00 of $1.00 spent'),
    });
    expect([kept, writer.record.openQuestions]).toEqual([1, 1]);
    questions.answer(null, '2.5');
    expect(await Promise.all(waiting)).toEqual([null, null, null]);
    expect(writer.record).toMatchObject({ state: 'running', question: null, limits: { budgetUsd: 2.5 } });
    expect(await money.mayCall(planned(), null)).toBeNull();
    account.add(billed(1.5));
    const again = money.mayCall(planned(), keep);
    await expect.poll(() => writer.record.state).toBe('needs_input');
    questions.answer(null, 'stop');
    expect(await again).toMatchObject({
      reason: 'over_budget',
      detail: expect.stringContaining('not raised'),
    });
    // It is over for whoever asks later, too.
    expect(reasonOf(await money.mayCall(planned(), keep))).toBe('over_budget');
    expect(kept).toBe(2);
  });

  it('a job that is judged goes back to that, and a work that cannot be taken in does not matter', async () => {
    const { money, account, questions, writer } = purse({ limits });
    account.add(billed(1));
    writer.move({ to: 'grading', reason: null });
    const asked = money.mayCall(planned({ role: 'grader' }), () => Promise.reject(new Error('no git')));
    await expect.poll(() => writer.record.state).toBe('needs_input');
    questions.answer(null, '$3');
    expect(await asked).toBeNull();
    expect(writer.record.state).toBe('grading');
  });

  it('a raise for the cap of a day lets the job spend so much, and does not lower its own budget', async () => {
    const { money, account, questions, writer } = purse({
      limits: { budgetUsd: 5, askTimeout: 60 },
      caps: { perDay: 1, perRepository: null },
    });
    account.add(billed(0.9));
    const asked = money.mayCall(planned(), null);
    await expect.poll(() => writer.record.state).toBe('needs_input');
    questions.answer(null, '2');
    expect(await asked).toBeNull();
    expect(writer.record.limits.budgetUsd).toBe(5);
    account.add(billed(1.2));
    const again = money.mayCall(planned(), null);
    await expect.poll(() => writer.record.question?.message).toContain('spent today by all jobs');
    questions.answer(null, 'stop');
    expect(reasonOf(await again)).toBe('over_budget');
  });

  it('nobody answers in time: it ends; a job that is stopped meanwhile ends by that', async () => {
    const silent = purse({ limits: { budgetUsd: 1, askTimeout: 0.05 } });
    silent.account.add(billed(1));
    const end = await silent.money.mayCall(planned(), null);
    expect(end).toMatchObject({ reason: 'over_budget', detail: expect.stringContaining('in time') });
    const cancelled = purse({ limits });
    cancelled.account.add(billed(1));
    const asked = cancelled.money.mayCall(planned(), null);
    await expect.poll(() => cancelled.writer.record.state).toBe('needs_input');
    cancelled.stop.request({ kind: 'cancelled' });
    expect(await asked).toEqual({ kind: 'cancelled' });
  });
});

it('a question that cannot be written down ends the job, and nothing is thrown into an engine', async () => {
  const { money, account, store, writer } = purse({ limits: { budgetUsd: 1 } });
  account.add(billed(1));
  // A file in the place of its mailboxes.
  rmSync(store.comm, { recursive: true, force: true });
  writeFileSync(store.comm, '');
  expect(reasonOf(await money.mayCall(planned(), null))).toBe('storage');
  expect(writer.record.state).toBe('running');
});

it('eight jobs at once pass the cap of a day by no more than what a call of each may cost', async () => {
  const [programs, userDir] = [makeFolder(), makeFolder()];
  await bundlePrograms(programs, fileURLToPath(new URL('./fixtures/spender.ts', import.meta.url)));
  const spenders = Array.from({ length: 8 }, () =>
    runProgram(programs, 'spender', [makeFolder(), userDir, '6']),
  );
  const ends = await Promise.all(spenders.map(({ ended }) => ended));
  const said = ends.map(({ stdout }) => JSON.parse(stdout) as { stop: { reason: string }; usd: number });
  expect(said.map(({ stop }) => stop.reason)).toEqual(Array(8).fill('over_budget'));
  const total = written(userDir).reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  expect(total).toBeCloseTo(said.reduce((sum, { usd }) => sum + usd, 0));
  expect(total).toBeGreaterThan(6 - 0.21);
  expect(total).toBeLessThan(6 + 8 * 0.2);
}, 180_000);

describe('the caps that are set', () => {
  const env = (home: string) => ({ HOME: home, CC_DELEGATE_HOME: home });

  it('are 20 dollars a day at first, and those of the file as it is now', async () => {
    const home = makeFolder();
    const complaints: unknown[] = [];
    const caps = capsReader(env(home), (error) => void complaints.push(error));
    expect(await caps()).toMatchObject({ perDay: 20, perRepository: null });
    const file = join(home, 'config.yaml');
    writeFileSync(file, 'budget: { perDay: 3, perRepository: 9 }\n');
    expect(await caps()).toMatchObject({ perDay: 3, perRepository: 9 });
    writeFileSync(file, 'budget: { perDay: none }\n');
    utimesSync(file, 1, 1);
    expect(await caps()).toMatchObject({ perDay: null, perRepository: null });
    expect(complaints).toEqual([]);
    writeFileSync(file, 'budget: { perDay: [\n');
    expect(await caps()).toMatchObject({ perDay: null });
    expect(complaints).toHaveLength(1);
  });

  it('are the usual ones where the file cannot be used', async () => {
    const home = makeFolder();
    writeFileSync(join(home, 'config.yaml'), 'budget: { perDay: much }\n');
    expect(await capsReader(env(home), () => undefined)()).toMatchObject({ perDay: 20 });
  });
});
