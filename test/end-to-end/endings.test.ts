import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bestLevel } from '../../src/workspace/sandbox/levels.ts';
import { git } from '../helpers/repository.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';

describe('how a job ends', () => {
  it('fails with no_changes when the worker claims done without doing (MOD-15)', async () => {
    const world = await makeWorld({ script: [{ text: 'Created src/x.ts, all tests pass' }] });
    const id = await world.start(['--test', 'test -f src/x.ts']);
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'failed', reason: 'no_changes', progress: { toolCalls: 0 } });
    expect(record.result?.flags).toContain('no_tool_calls');
    const result = await world.run(['result', id]);
    expect(result.exit).toBe(1);
    expect(result.stdout).toMatch(/why +the worker changed nothing/);
    expect(result.stdout).toMatch(/said +Created src\/x\.ts/);
    expect(git(world.repository, 'branch', '--list', 'delegate/*')).toBe('');
  });

  it('fails with gate_failed when the tests fail and nobody answers, whatever the worker says; the patch is kept, the receipt names the end, what was run and what it printed', async () => {
    const world = await makeWorld({
      script: [{ calls: [write('a.txt', 'wrong\n')] }, { text: 'all green' }],
    });
    const id = await world.start([
      ...['--test', 'echo expected right; grep -q right a.txt', '--ask-timeout', '1'],
    ]);
    const record = await world.ended(id);
    expect(record).toMatchObject({
      state: 'failed',
      reason: 'gate_failed',
      result: { salvaged: true, files: 1 },
    });
    expect(world.events(id, 'question_expired')).toHaveLength(1);
    expect(world.patch(id).toString()).toContain('+wrong');
    expect(git(world.repository, 'show', `${record.branch}:a.txt`)).toBe('wrong');
    const { receiptPath } = (await world.run(['result', id, '--json'])).json<{ receiptPath: string }>();
    expect(JSON.parse(readFileSync(receiptPath, 'utf8'))).toMatchObject({
      reason: 'gate_failed',
      after: { exitCode: 1, outputTail: expect.stringContaining('expected right') },
      files: [{ path: 'a.txt', status: 'A', insertions: 1 }],
      sandbox: (await bestLevel()).level,
    });
  });

  it('takes everything in when the worker commits, switches branch and deletes its .git', async () => {
    const world = await makeWorld({
      files: { 'one.txt': '1\n', 'two.txt': '2\n' },
      script: [
        {
          calls: [
            bash('echo c > committed.txt && git add -A && git commit -qm w && git checkout -qb feature/x'),
          ],
        },
        { calls: [bash('echo u > untracked.txt; rm one.txt; git checkout -q --detach; rm -rf .git')] },
        { text: 'done' },
      ],
    });
    const id = await world.start();
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'succeeded' });
    expect(record.result?.flags).toEqual(expect.arrayContaining(['unproven', 'moved_head']));
    const names = (await world.run(['diff', id, '--name-only'])).stdout.trim().split('\n').sort();
    expect(names).toEqual(['committed.txt', 'one.txt', 'untracked.txt']);
  });

  it('stops at the step limit with the work kept', async () => {
    const world = await makeWorld({
      script: ({ index }) => ({ calls: [write(`f${index}.txt`, String(index))] }),
    });
    const id = await world.start(['--max-steps', '3']);
    expect(await world.ended(id)).toMatchObject({
      state: 'failed',
      reason: 'max_steps',
      result: { files: 3, salvaged: true },
    });
    expect(world.model.requests).toHaveLength(3);
  });

  it('stops before the call that would go over the budget, and counts exactly', async () => {
    const world = await makeWorld({
      script: ({ index }) => ({
        calls: [write(`f${index}.txt`, 'x')],
        usage: { prompt: 1000, output: 100, cacheRead: 200 },
      }),
    });
    const id = await world.start(['--budget', '0.005', '--ask-timeout', '0']);
    const record = await world.ended(id);
    expect(record).toMatchObject({
      state: 'failed',
      reason: 'over_budget',
      costBasis: 'user',
      result: { files: 3 },
    });
    // 800 + 200 at $1 and 100 at $10 per million: $0.002 a call, and three of them are over half a cent.
    expect(record.costUsd).toBeCloseTo(0.006, 9);
    expect(record.usage).toEqual({ input: 2400, output: 300, cacheRead: 600, cacheWrite: 0 });
  });

  it('takes an explicit budget of 0 as 0: no call is made', async () => {
    const world = await makeWorld({ script: [{ text: 'done' }] });
    const id = await world.start(['--budget', '0']);
    expect(await world.ended(id)).toMatchObject({ state: 'failed', reason: 'over_budget' });
    expect(world.model.requests).toHaveLength(0);
  });

  it('never shows an unknown price as zero, and says at start what bounds the job instead (MOD-11, MOD-17)', async () => {
    const world = await makeWorld({
      prices: null,
      script: [{ calls: [write('a.txt', 'x')] }, { text: 'done' }],
    });
    const started = await world.run(['start', 'x', '--json']);
    expect(started.json<{ notices: string[] }>().notices.join()).toContain('5,000,000 tokens');
    const { id } = started.json<{ id: never }>();
    expect(await world.ended(id)).toMatchObject({ costUsd: null, costBasis: 'unknown' });
    expect((await world.run(['result', id])).stdout).toContain('price unknown');
    expect((await world.run(['list', '--json'])).json()).toMatchObject({ totalUsd: 0, unpricedJobs: 1 });
  });

  it('refuses a test command that cannot run on the untouched base before any money is spent', async () => {
    const world = await makeWorld({ script: [{ calls: [write('a.txt', 'x')] }, { text: 'done' }] });
    const broken = await world.start(['--test', 'no-such-runner --all']);
    expect(await world.ended(broken)).toMatchObject({
      state: 'failed',
      reason: 'setup_failed',
      preflight: { verdict: 'runner_broken' },
    });
    expect(world.model.requests).toHaveLength(0);
    const forced = await world.start([
      ...['--test', 'no-such-runner --all', '--force-start', '--ask-timeout', '0'],
    ]);
    expect(await world.ended(forced)).toMatchObject({ state: 'failed', reason: 'gate_failed' });
  });

  it('gives up when the set-up command fails, and leaves no branch; what set-up leaves is no result', async () => {
    const world = await makeWorld({
      files: { '.gitignore': 'deps/\n', 'lock.txt': 'locked\n' },
      script: [{ calls: [write('a.txt', 'x')] }, { text: 'done' }],
    });
    const broken = await world.start(['--setup', 'echo no network; exit 3']);
    expect(await world.ended(broken)).toMatchObject({
      state: 'failed',
      reason: 'setup_failed',
      result: { error: expect.stringContaining('no network') },
    });
    expect(world.model.requests).toHaveLength(0);
    expect(git(world.repository, 'branch', '--list', 'delegate/*')).toBe('');

    const setup = 'mkdir -p deps && touch deps/x made-by-setup && echo rewritten > lock.txt';
    const id = await world.start(['--setup', setup, '--test', 'test -e deps/x']);
    const record = await world.ended(id);
    expect(record).toMatchObject({
      state: 'succeeded',
      preflight: { verdict: 'passes' },
      result: { files: 1 },
    });
    expect(record.result?.flags).not.toContain('ignored_files');
    expect((await world.run(['diff', id, '--name-only'])).stdout.trim()).toBe('a.txt');
  });
});
