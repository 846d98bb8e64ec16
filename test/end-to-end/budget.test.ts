import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../src/job/cost.ts';
import type { SpendRecord } from '../../src/job/spend-record.ts';
import { isTerminal } from '../../src/job/states.ts';
import { saveProgress } from '../../src/store/jobs.ts';
import { liveness } from '../../src/store/liveness.ts';
import { runPaths } from '../../src/store/paths.ts';
import { scanSpend } from '../../src/store/spend-file.ts';
import { git } from '../helpers/repository.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';

/** $1.00 a call at the world's price of $10 per million, and not so much that the conversation is shortened. */
const DOLLAR = { prompt: 0, output: 100_000 };
const AS_MODEL = { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' } };

function written(world: World): SpendRecord[] {
  const calls: SpendRecord[] = [];
  scanSpend(world.env.CC_DELEGATE_HOME ?? '', 0, (call) => void calls.push(call));
  return calls;
}

/** One more setting of the user's. */
function set(world: World, budget: object): void {
  const file = join(world.env.CC_DELEGATE_HOME ?? '', 'config.yaml');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), budget }));
}

describe('a job at its cap', () => {
  it('takes its work in and asks; a model may not raise it, the person may, and it goes on to its end', async () => {
    const world = await makeWorld({
      script: ({ index }) =>
        index < 3
          ? { calls: [write(`f${index}.txt`, 'x\n')], usage: DOLLAR }
          : { text: 'done', usage: { prompt: 0, output: 50_000 } },
    });
    const id = await world.start(['--budget', '2']);
    const asking = await world.until(id, ({ state }) => state === 'needs_input' || isTerminal(state));
    expect(asking).toMatchObject({
      state: 'needs_input',
      costUsd: 2,
      question: { kind: 'budget', message: expect.stringContaining('$2.00 of $2.00 spent') },
    });
    expect(readFileSync(runPaths(world.store(), id).patch, 'utf8')).toContain('f1.txt');
    for (const answer of [['5'], ['raise to $5'], ['--raise-budget', '5']]) {
      const refused = await world.run(['answer', id, ...answer], AS_MODEL);
      expect(refused).toMatchObject({ exit: 5, stderr: expect.stringContaining('--raise-budget 5') });
    }
    expect(await world.run(['answer', id, 'go on'])).toMatchObject({ exit: 2 });
    expect(await world.run(['answer', id, '--raise-budget', '2'])).toMatchObject({ exit: 2 });
    expect((await world.run(['status', id])).stdout).toContain(`asks for money → answer ${id.slice(-6)}`);
    expect((await world.run(['progress', id])).stdout).toContain('--raise-budget USD, or: stop');
    expect(world.record(id).state).toBe('needs_input');
    expect((await world.run(['answer', id, '--raise-budget', '3.5'])).exit).toBe(0);
    const ended = await world.ended(id);
    expect(ended).toMatchObject({
      state: 'succeeded',
      costUsd: 3.5,
      limits: { budgetUsd: 3.5 },
      result: { files: 3 },
    });
    expect((await world.run(['diff', id, '--name-only'])).stdout).toBe('f0.txt\nf1.txt\nf2.txt\n');
    expect(git(world.repository, 'rev-parse', ended.branch)).toBe(ended.result?.commit);
    expect(written(world).map(({ job, usd }) => [job, usd])).toEqual([...Array(3).fill([id, 1]), [id, 0.5]]);
    const spend = (await world.run(['spend', '--json'], AS_MODEL)).json();
    expect(spend).toMatchObject({
      totalUsd: 3.5,
      calls: 4,
      byRepository: [{ repo: world.repository, usd: 3.5 }],
    });
    expect(world.events(id, 'budget').map(({ percent }) => percent)).toEqual([50, 80, 80]);
  });

  it('ends at once when it is told to, its work kept, and can be resumed with more', async () => {
    const world = await makeWorld({
      script: ({ index }) =>
        index === 0 ? { calls: [write('f.txt', 'x\n')], usage: DOLLAR } : { text: 'done', usage: DOLLAR },
    });
    const id = await world.start(['--budget', '1']);
    await world.until(id, ({ state }) => state === 'needs_input' || isTerminal(state));
    expect((await world.run(['answer', id, 'stop'], AS_MODEL)).exit).toBe(0);
    expect(await world.ended(id)).toMatchObject({
      state: 'failed',
      reason: 'over_budget',
      question: null,
      result: { files: 1, salvaged: true, error: expect.stringContaining('it was not raised') },
    });
    expect(world.patch(id).toString()).toContain('f.txt');
  });

  it('a day that is used up stops every job before its next call, until the person lets one go on', async () => {
    const world = await makeWorld({
      script: ({ index }) =>
        index < 2
          ? { calls: [write(`f${index}.txt`, 'x\n')], usage: DOLLAR }
          : { text: 'done', usage: DOLLAR },
    });
    set(world, { perDay: 1.5 });
    const quick = ['--ask-timeout', '0'];
    const [first, second] = [await world.start(quick), await world.start(quick)];
    const ends = [await world.ended(first), await world.ended(second)];
    // Both may have begun before the other had paid; neither makes a second call.
    for (const end of ends) {
      expect(end).toMatchObject({ state: 'failed', reason: 'over_budget' });
      expect(end.costUsd).toBeLessThanOrEqual(2);
      expect(end.result?.error).toContain('today by all jobs');
    }
    const spent = written(world).reduce((sum, { usd }) => sum + (usd ?? 0), 0);
    expect(spent).toBe(ends.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0));
    expect(spent).toBeLessThanOrEqual(1.5 + 2);
    const worked = ends.find(({ costUsd }) => costUsd !== 0)?.id ?? first;
    const resumed = await world.run(['resume', worked, '--raise-budget', '9', '--json']);
    expect(await world.ended(resumed.json<{ id: typeof first }>().id)).toMatchObject({ state: 'succeeded' });
  });

  it('what a killed runner had paid is in the record afterwards, to the last call', async () => {
    const world = await makeWorld({
      script: [{ calls: [write('f.txt', 'x\n'), bash('sleep 5')], usage: DOLLAR }],
    });
    const id = await world.start();
    await world.until(id, () => written(world).length === 1);
    const { runner } = world.record(id);
    if (runner === null) throw new Error('no runner');
    process.kill(runner.pid, 'SIGKILL');
    await expect.poll(() => liveness(runner)).toBe('dead');
    // As the record was up to a second before: it is saved no more often.
    saveProgress(world.store(), { ...world.record(id), usage: NO_USAGE, costUsd: 0 });
    await world.ended(id);
    const settled = await world.until(id, ({ result }) => result !== null && result.salvaged !== 'pending');
    expect(settled).toMatchObject({ reason: 'runner_lost', costUsd: 1, usage: { output: 100_000 } });
    expect(existsSync(runPaths(world.store(), id).receipt)).toBe(true);
  });
});
