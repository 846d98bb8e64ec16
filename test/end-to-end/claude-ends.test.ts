import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { isTerminal } from '../../src/job/states.ts';
import { signalRunner } from '../../src/store/liveness.ts';
import { runPaths } from '../../src/store/paths.ts';
import { listJobs } from '../../src/store/read-job.ts';
import { processesOf } from '../helpers/processes.ts';
import { satisfied, type World } from '../helpers/world.ts';
import { byTask } from './by-task.ts';
import { CLAUDE, claudeWorld, configure, look, put, shell, toolResults } from './claude-world.ts';

/** $1.00 a call at $8 per million. */
const DOLLAR = { prompt: 0, output: 125_000 };

async function start(world: World, task: string, ...options: string[]): Promise<JobId> {
  const answer = await world.run(['start', task, '--json', ...CLAUDE, ...options]);
  expect(answer, answer.stderr).toMatchObject({ exit: 0 });
  return answer.json<{ id: JobId }>().id;
}

describe('limits on the claude engine', () => {
  it('money: nothing is asked of the endpoint after the cap; the person raises it, or the job ends by it', async (test) => {
    const work = (turn: number) =>
      turn < 3 ? { calls: [put(`f${turn}.txt`, 'x\n')], usage: DOLLAR } : { text: 'done', usage: DOLLAR };
    const world = await claudeWorld(test, { script: byTask({ 'money raised': work, 'money firm': work }) });
    const about = (task: string): number =>
      world.model.requests.filter(({ text }) => text.includes(task)).length;

    const raised = await start(world, 'money raised', '--budget', '2');
    const firm = await start(world, 'money firm', '--budget', '1', '--ask-timeout', '0');
    const asking = await world.until(raised, ({ state }) => state === 'needs_input' || isTerminal(state));
    expect(asking).toMatchObject({ state: 'needs_input', costUsd: 2, question: { kind: 'budget' } });
    expect(world.patch(raised).toString()).toContain('f1.txt');
    expect(await world.ended(firm)).toMatchObject({
      state: 'failed',
      reason: 'over_budget',
      costUsd: 1,
      result: { files: 1, salvaged: true },
    });
    expect([about('money raised'), about('money firm')]).toEqual([2, 1]);
    expect((await world.run(['answer', raised, '--raise-budget', '9'])).exit).toBe(0);
    expect(await world.ended(raised)).toMatchObject({ state: 'succeeded', costUsd: 4, result: { files: 3 } });
    expect([...processesOf(raised), ...processesOf(firm)]).toEqual([]);
  });

  it('cancel, wall time, silence and steps end it with their own reasons, and no process lives on', async (test) => {
    const stays = "trap '' TERM; setsid sleep 300 & (setsid bash -c 'trap \"\" TERM; sleep 301'); sleep 302";
    const world = await claudeWorld(test, {
      script: byTask({
        'by cancel': [{ calls: [shell(stays)] }],
        'by wall': [{ calls: [put('half.txt', 'x\n')] }, { calls: [shell(stays)] }],
        'by silence': [{ ending: 'hang' }],
        'quiet command': (turn) =>
          turn === 0 ? { calls: [shell('sleep 6; echo x > q.txt')] } : { text: 'done' },
        'by steps': (turn) => ({ calls: [put(`s${turn}.txt`, 'x\n')] }),
      }),
    });
    const cancelled = await start(world, 'by cancel');
    const wall = await start(world, 'by wall', '--timeout', '12');
    await world.until(cancelled, ({ progress }) => progress.toolCalls === 1);
    expect(processesOf(cancelled).some((text) => text.includes('stream-json'))).toBe(true);
    expect((await world.run(['cancel', cancelled])).exit).toBe(0);
    expect(await world.ended(cancelled)).toMatchObject({ state: 'cancelled', reason: null });
    expect(processesOf(cancelled)).toEqual([]);
    const silence = await start(world, 'by silence', '--stall-timeout', '3');
    const steps = await start(world, 'by steps', '--max-steps', '2');
    const quiet = await start(world, 'quiet command', '--stall-timeout', '4');
    expect(await world.ended(wall)).toMatchObject({
      state: 'timeout',
      reason: 'wall',
      result: { files: 1, salvaged: true },
    });
    expect(await world.ended(silence)).toMatchObject({ state: 'timeout', reason: 'stall' });
    expect(await world.ended(steps)).toMatchObject({
      state: 'failed',
      reason: 'max_steps',
      progress: { step: 2 },
      result: { files: 2, salvaged: true },
    });
    expect(await world.ended(quiet)).toMatchObject({ state: 'succeeded', result: { files: 1 } });
    for (const id of [wall, silence, steps, quiet]) expect(processesOf(id)).toEqual([]);
  });
});

describe('rounds on the claude engine', () => {
  it('goes back to work in the same conversation with what the gate said; the other engine grades', async (test) => {
    const world = await claudeWorld(test, {
      script: {
        turns: {
          worker: [
            { calls: [put('a.txt', 'wrong\n')] },
            { text: 'all green' },
            {
              calls: [
                look('a.txt'),
                shell('cat a.txt; report_progress again'),
                shell('cat a.txt; touch beside'),
              ],
            },
            { calls: [put('a.txt', 'right\n')] },
            { text: 'now it is' },
          ],
          grader: [satisfied(['a file'], 'a.txt:1')],
        },
      },
    });
    const rules = ['Read', 'Write', 'Bash(cat *)'].flatMap((rule) => ['--allow-tool', rule]);
    const options = ['--test', 'cat a.txt; grep -q right a.txt', '--done', 'a file', ...rules];
    const id = await start(world, 'do the task', ...options);
    expect(await world.ended(id)).toMatchObject({
      state: 'succeeded',
      progress: { step: 5, toolCalls: 5, filesTouched: 1 },
      result: { files: 1 },
    });
    expect(world.model.requests.filter(({ role }) => role === 'grader')).toHaveLength(1);
    expect(world.events(id, 'progress')).toHaveLength(1);
    expect(toolResults(world.model.requests[3]).join()).toContain('not among the commands');
    expect(world.model.requests[0]?.text).not.toContain('"name":"Grep"');
    const again = world.model.requests[2]?.text ?? '';
    for (const word of ['do the task', 'all green', 'grep -q right a.txt']) expect(again).toContain(word);
    expect(world.events(id, 'worker_ended').map(({ status }) => status)).toEqual(['done', 'done']);
    const lines = readFileSync(runPaths(world.store(), id).transcript, 'utf8').trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ engine: 'claude', version: 1 });
    expect(lines.filter((line) => line.includes('now it is'))).not.toEqual([]);
  });
});

describe('what the claude engine needs', () => {
  it('a client that has gone before its turn fails the job with the words, and costs nothing', async (test) => {
    const world = await claudeWorld(test, {
      script: [{ calls: [shell('until test -e go; do sleep 0.1; done')] }, { text: 'done' }],
      config: { concurrency: { total: 1 } },
    });
    const first = await start(world, 'do the task');
    const { workspace } = await world.until(first, ({ progress }) => progress.toolCalls === 1);
    const second = await start(world, 'another');
    expect(world.record(second).state).toBe('queued');
    rmSync(join(world.folder, 'bin', 'claude'));
    writeFileSync(join(workspace, 'go'), '');
    await world.ended(first);
    expect(await world.ended(second)).toMatchObject({
      state: 'failed',
      reason: 'launch_failed',
      costUsd: 0,
      result: { error: expect.stringMatching(/claude/) },
    });
  });
});

/** The program where bubblewrap cannot be executed. */
function withoutBubblewrap(world: World, args: readonly string[]): Promise<string> {
  const hide = 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"';
  const argv = ['--mount', 'sh', '-c', hide, 'sh', process.execPath, world.program, ...args];
  return new Promise((resolve) => {
    const options = { cwd: world.repository, env: world.env };
    execFile('unshare', argv, options, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}

describe.runIf(process.getuid?.() === 0)('the claude engine without a full sandbox', () => {
  it('works the same: guard, programs, gate, and nothing left, be the runner killed', async (test) => {
    const world = await claudeWorld(test, {
      files: { 'README.md': 'hello\n', 'private.key': 'one line\n' },
      config: { neverSend: ['*.key'] },
      script: byTask({
        'to its end': [
          { calls: [put('new.txt', 'x\n'), shell('report_progress "here"'), shell('git push')] },
          { calls: [shell('setsid sleep 305 >/dev/null 2>&1 & env | grep -c "^ANTHROPIC_API_KEY=$"')] },
          { calls: [look('private.key'), shell(`python3 -c 'print(open("private.key").read())'`)] },
          { text: 'done' },
        ],
        killed: [{ calls: [shell("trap '' TERM; setsid sleep 306 & sleep 307")] }],
      }),
    });
    configure(world, (settings) => {
      settings.sandbox = { boundary: 'container' };
    });
    await withoutBubblewrap(world, ['start', 'to its end', '--test', 'test -f new.txt', ...CLAUDE]);
    const [job] = listJobs(world.store());
    if (job?.kind !== 'ok') throw new Error('there is no job');
    const { id } = job.record;
    expect(await world.ended(id)).toMatchObject({
      state: 'succeeded',
      sandbox: 'process',
      progress: { note: 'here', filesTouched: 1 },
    });
    expect(world.events(id, 'refused')).toHaveLength(1);
    expect(toolResults(world.model.requests[2])).toEqual(['1']);
    expect(toolResults(world.model.requests[3]).join()).toMatch(/denied/);
    // Read by a program, it reaches neither the model nor what is written down, which a later turn would send.
    const { transcript, events } = runPaths(world.store(), id);
    for (const text of [
      world.model.requests[3]?.text ?? '',
      ...[transcript, events].map((file) => readFileSync(file, 'utf8')),
    ])
      expect(text).not.toContain('one line');
    expect(readFileSync(transcript, 'utf8')).toContain('never-sent');
    expect(processesOf(id)).toEqual([]);

    await withoutBubblewrap(world, ['start', 'killed', ...CLAUDE]);
    const second = listJobs(world.store()).find((each) => each.kind === 'ok' && each.record.id !== id);
    if (second?.kind !== 'ok') throw new Error('there is no second job');
    const killed = second.record.id;
    const { runner } = await world.until(killed, ({ progress }) => progress.toolCalls === 1);
    if (runner) signalRunner(runner, 'SIGKILL');
    expect(await world.ended(killed)).toMatchObject({ state: 'failed', reason: 'runner_lost' });
    await world.until(killed, ({ result }) => result?.salvaged !== 'pending');
    const receipt = JSON.parse(readFileSync(runPaths(world.store(), killed).receipt, 'utf8'));
    expect(receipt.client).toMatch(/^\d/);
    expect(receipt.client).toBe(world.record(id).client);
    await world.until(killed, () => processesOf(killed).length === 0, 4);
  });
});
