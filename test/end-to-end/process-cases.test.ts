import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import type { JobRecord } from '../../src/job/record.ts';
import { isTerminal } from '../../src/job/states.ts';
import { runPaths } from '../../src/store/paths.ts';
import { needs } from '../helpers/needs.ts';
import { processesOf, textOf } from '../helpers/processes.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';
import { byTask, toldBefore } from './by-task.ts';

/** Two children that leave their session, and one that ignores the end of its terminal. */
const DAEMONS =
  'setsid sleep 300 & (setsid bash -c "sleep 301 & disown"); nohup sleep 302 >/dev/null 2>&1 & echo up';

async function start(world: World, task: string, ...options: string[]): Promise<JobId> {
  const answer = await world.run(['start', task, '--json', ...options]);
  expect(answer, answer.stderr).toMatchObject({ exit: 0 });
  return answer.json<{ id: JobId }>().id;
}

/** The largest memory the process has had so far, in MB. */
function peakMegabytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

describe('what the worker leaves running', () => {
  it('PROC-01 no process of a job lives when its end can be seen, however it ends, and nobody else is hit; PROC-02 a background child that keeps the pipe open holds up neither a command nor the test; PROC-05 a watcher ends under CI', async () => {
    const stays = bash(`${DAEMONS}; sleep 303`);
    const world = await makeWorld({
      script: byTask({
        'by being done': [
          { calls: [bash('sleep 200 & echo first')] },
          { calls: [bash(DAEMONS)] },
          { calls: [write('a', 'x')] },
          { text: 'done' },
        ],
        'by cancel': [{ calls: [write('a', 'x')] }, { calls: [stays] }],
        'by budget': [{ calls: [bash(DAEMONS)], usage: { prompt: 1_000_000, output: 0 } }],
        'by stall': [{ calls: [write('a', 'x')] }, { calls: [bash(DAEMONS)] }, { ending: 'hang' }],
      }),
    });
    const bystander = spawn('sleep', ['304'], { cwd: world.folder, stdio: 'ignore' });
    onTestFinished(() => void bystander.kill());
    const test = [
      `(${DAEMONS}) >/dev/null 2>&1`,
      'sleep 200 & test -e a || exit 1',
      'echo ok; [ "$CI" = true ] || exec tail -f /dev/null',
    ];
    const ids = {
      succeeded: await start(world, 'by being done', '--test', test.join('; ')),
      cancelled: await start(world, 'by cancel'),
      over_budget: await start(world, 'by budget', '--budget', '0.5', '--ask-timeout', '0'),
      stall: await start(world, 'by stall', '--stall-timeout', '2'),
    };
    await world.until(ids.cancelled, ({ progress }) => progress.toolCalls === 2);
    expect((await world.run(['steer', ids.cancelled, 'hurry up'])).exit).toBe(0);
    await world.until(ids.cancelled, () => world.events(ids.cancelled, 'steer').length === 1);
    expect((await world.run(['cancel', ids.cancelled])).exit).toBe(0);
    // The work is taken in, once and for all.
    expect(world.record(ids.cancelled)).toMatchObject({
      state: 'cancelled',
      reason: null,
      result: { files: 1, salvaged: true },
    });
    expect((await world.run(['cancel', ids.cancelled])).exit).toBe(0);
    expect((await world.run(['result', ids.cancelled])).stdout).toContain('the worker never read: hurry up');
    for (const [end, id] of Object.entries(ids)) {
      const record = await world.ended(id);
      expect(processesOf(id), end).toEqual([]);
      expect([record.state, record.reason]).toContain(end);
    }
    expect(world.record(ids.stall)).toMatchObject({
      state: 'timeout',
      reason: 'stall',
      result: { files: 1, salvaged: true },
    });
    expect(toldBefore(world.model, 'by being done', 1)).toMatch(/exit 0 \([^)]*\)\\nfirst/);
    expect(bystander.exitCode).toBe(null);
    expect(bystander.signalCode).toBe(null);
  });
});

describe('commands that want a person', () => {
  it('PROC-03 a command that reads the terminal gets nothing from it, and the user loses no keystroke', async (test) => {
    needs(test, 'script');
    const world = await makeWorld({
      script: byTask({
        task: [
          { calls: [bash('read -p "pw? " x </dev/tty; echo tty=$?; read y; echo stdin=$?; echo z > a')] },
          { text: 'done' },
        ],
      }),
    });
    const program = `"${process.execPath}" "${world.program}"`;
    // As a user would in a terminal: start, wait, go on typing.
    const typed = `${program} start task --test 'cat; test -e a' --json >out.json; ${program} wait --timeout 60; read -r line; echo "got:$line"`;
    const terminal = spawn('script', ['-qec', typed, '/dev/null'], {
      cwd: world.repository,
      env: { ...world.env, SHELL: '/bin/bash' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    terminal.stdin.write('keystrokes\n');
    let screen = '';
    terminal.stdout.on('data', (chunk: Buffer) => {
      screen += chunk.toString();
    });
    await new Promise((resolve) => terminal.once('close', resolve));
    expect(screen).toContain('got:keystrokes');
    expect(screen).not.toContain('pw?');
    const { id } = JSON.parse(readFileSync(join(world.repository, 'out.json'), 'utf8'));
    expect(world.record(id)).toMatchObject({ state: 'succeeded', result: { tests: { exitCode: 0 } } });
    expect(toldBefore(world.model, 'task', 1)).toMatch(/tty=1\\nstdin=1/);
  });

  it('PROC-04 neither a pager nor an editor holds a command up', async () => {
    const world = await makeWorld({
      script: byTask({
        task: [
          {
            calls: [
              bash('git config core.pager "less -+F"; git config pager.log true; git config core.editor vi'),
              bash('git log', 60),
              bash('echo x > a; git add a; git commit', 60),
              bash('git commit --amend', 60),
              bash('man ls', 60),
            ],
          },
          { text: 'done' },
        ],
      }),
    });
    const env = { PAGER: 'less', GIT_PAGER: 'less', EDITOR: 'vi', GIT_EDITOR: 'vi', TERM: 'xterm' };
    const id = (await world.run(['start', 'task', '--json'], { env })).json<{ id: JobId }>().id;
    expect(await world.ended(id)).toMatchObject({ state: 'succeeded' });
    const ends = world.events(id, 'tool_end').map(({ ok, summary }) => ({ ok, summary: String(summary) }));
    expect(ends.filter(({ summary }) => summary.includes('limit'))).toEqual([]);
    expect(ends.map(({ ok }) => ok).slice(0, 4)).toEqual([true, true, false, false]);
    expect(toldBefore(world.model, 'task', 1)).toContain('first');
  });
});

describe('commands without an end', () => {
  it('PROC-05 a watcher that does not end under CI ends by the limit, is no pass, and dies', async () => {
    const script = byTask({ task: [{ calls: [write('out', 'x')] }, { text: 'done' }] });
    const world = await makeWorld({ script });
    const rude = await start(
      world,
      'task',
      '--test-timeout',
      '2',
      '--ask-timeout',
      '0',
      '--test',
      'test ! -e out || { echo "Waiting for file changes..."; tail -f /dev/null; }',
    );
    const record = await world.ended(rude, 60);
    expect(record).toMatchObject({
      state: 'failed',
      reason: 'test_timeout',
      result: { files: 1, salvaged: true, error: expect.stringContaining('it looks like a watcher') },
    });
    expect(world.patch(rude).toString()).toContain('+x');
    expect(processesOf(rude)).toEqual([]);
  });

  it('PROC-06 output without end costs neither memory nor disk, and the model is told its true size', async () => {
    const bytes = 400_000_000;
    const world = await makeWorld({
      script: byTask({
        task: [
          { calls: [bash(`yes 0123456789 | head -c ${bytes}`)] },
          { calls: [write('out', 'x')] },
          { text: 'done' },
        ],
      }),
    });
    const id = await start(world, 'task', '--timeout', '20', '--test', 'test ! -e out || yes');
    let peak = 0;
    const watched = (now: JobRecord): boolean => {
      peak = Math.max(peak, now.runner === null ? 0 : peakMegabytes(now.runner.pid));
      return isTerminal(now.state);
    };
    const record = await world.until(id, watched);
    expect(record).toMatchObject({ state: 'timeout', reason: 'wall', result: { files: 1, salvaged: true } });
    expect(toldBefore(world.model, 'task', 1)).toContain(`${bytes} bytes in all`);
    expect(peak).toBeGreaterThan(20);
    expect(peak).toBeLessThan(300);
    expect(statSync(runPaths(world.store(), id).workerLog).size).toBeLessThan(25 * 1024 * 1024);
  });
});

describe('silence', () => {
  it('PROC-12 a silent command and a slow tool call are no stall; a line that is only kept open is; the wall limit is a time-out of its own kind', async () => {
    const content = 'a line of a long file\n'.repeat(200);
    const world = await makeWorld({
      script: byTask({
        quiet: [
          { calls: [bash('sleep 9; echo ok')] },
          { calls: [bash('for i in 1 2 3 4 5 6 7 8 9; do sleep 1; echo .; done; echo x > a')] },
          { text: 'done' },
        ],
        'kept open': [{ calls: [write('a', 'x')] }, { ending: 'keep_alive', chunkMs: 200 }],
        'slow call': [{ chunkMs: 700, calls: [write('a', content)] }, { text: 'done' }],
        'too long': [{ calls: [write('a', 'x')] }, { calls: [bash('sleep 60')] }],
      }),
    });
    const quiet = await start(world, 'quiet', '--stall-timeout', '8');
    const open = await start(world, 'kept open', '--stall-timeout', '3');
    const slow = await start(world, 'slow call', '--stall-timeout', '4');
    const long = await start(world, 'too long', '--timeout', '16');
    expect(await world.ended(open, 60)).toMatchObject({
      state: 'timeout',
      reason: 'stall',
      result: { files: 1 },
    });
    expect(await world.ended(slow)).toMatchObject({ state: 'succeeded', result: { insertions: 200 } });
    expect(await world.ended(long)).toMatchObject({
      state: 'timeout',
      reason: 'wall',
      result: { files: 1, salvaged: true },
    });
    expect(await world.ended(quiet, 80)).toMatchObject({ state: 'succeeded', reason: null });
  });
});
