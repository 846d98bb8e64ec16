import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { runPaths } from '../../src/store/paths.ts';
import { jobIds } from '../../src/store/read-job.ts';
import { needs } from '../helpers/needs.ts';
import { makeFolder } from '../helpers/repository.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';
import { byTask } from './by-task.ts';

/** Works until the test lets it end. */
const GATED = byTask({
  'the task': [
    { calls: [write('a.txt', 'right\n'), bash('until [ -e "$TMPDIR/go" ]; do sleep 0.05; done')] },
    { text: 'done' },
  ],
});

async function until(what: string, holds: () => boolean, seconds = 30): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(20);
  }
}

function letGo(world: World, id: JobId): void {
  writeFileSync(join(world.record(id).workspace, '../tmp/go'), '');
}

/** Session of a process: field 6 of its stat, counted from behind the name. */
function session(pid: number): string {
  return (
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /, '')
      .split(' ')[3] ?? ''
  );
}

/** Ways to start a job by a command and then to be gone. A way that stays makes the file `started` first. */
const PARENTS: Record<string, (world: World, command: string, started: string) => Promise<void>> = {
  'its shell ends': async (world, command) => {
    const shell = spawn('bash', ['-c', command], { cwd: world.repository, env: world.env, stdio: 'ignore' });
    await new Promise((resolve) => shell.once('exit', resolve));
  },
  'its terminal is closed (SIGHUP)': async (world, command, started) => {
    // `script` makes the terminal; when it dies the kernel hangs up on everybody who has it.
    const stays = `${command}; touch "${started}"; sleep 300`;
    const terminal = spawn('script', ['-qec', stays, '/dev/null'], {
      cwd: world.repository,
      env: { ...world.env, SHELL: '/bin/bash' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await until('the start in the terminal', () => existsSync(started));
    terminal.kill('SIGKILL');
    await new Promise((resolve) => terminal.once('exit', resolve));
  },
  'its parent and the whole group are killed (SIGKILL)': async (world, command, started) => {
    const parent = spawn('bash', ['-c', `${command}; touch "${started}"; sleep 300`], {
      cwd: world.repository,
      env: world.env,
      detached: true,
      stdio: 'ignore',
    });
    await until('the start', () => existsSync(started));
    process.kill(-(parent.pid ?? Number.NaN), 'SIGKILL');
    await new Promise((resolve) => parent.once('exit', resolve));
  },
};

describe('a job outlives who started it', () => {
  it(`PROC-08 goes on and finishes when ${Object.keys(PARENTS).join(', when ')}, and is found from anywhere`, async (test) => {
    needs(test, 'script');
    const world = await makeWorld({ script: GATED });
    const elsewhere = { cwd: makeFolder(), env: { GIT_CONFIG_NOSYSTEM: undefined, NO_COLOR: undefined } };
    const outlives = async (way: string, startAndGo: (typeof PARENTS)[string], number: number) => {
      const title = `the task ${number}.`;
      const command = `"${process.execPath}" "${world.program}" start '${title}' --json`;
      await startAndGo(world, command, join(world.folder, `started-${number}`));
      const id = jobIds(world.store()).find((each) => world.record(each).title === title);
      if (id === undefined) throw new Error(`no job was started: ${way}`);
      const { runner } = await world.until(id, ({ progress }) => progress.toolCalls === 2);
      const pid = runner?.pid ?? Number.NaN;
      expect(session(pid), way).toBe(String(pid));
      for (const fd of readdirSync(`/proc/${pid}/fd`))
        expect(linkOf(`/proc/${pid}/fd/${fd}`), way).not.toMatch(/\/dev\/(pts|tty)/);
      process.kill(pid, 'SIGHUP');

      const going = await world.run(['status', id, '--json'], elsewhere);
      expect(going.json(), way).toMatchObject({ id, state: 'running' });
      letGo(world, id);
      expect(await world.ended(id), way).toMatchObject({ state: 'succeeded', result: { files: 1 } });
      const over = await world.run(['status', id, '--json'], elsewhere);
      expect(over.json(), way).toMatchObject({ id, state: 'succeeded', done: true });
    };
    // The three at the same time; each starts its own job.
    await Promise.all(
      Object.entries(PARENTS).map(([way, startAndGo], number) => outlives(way, startAndGo, number)),
    );
  });
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed between two looks.
    return '';
  }
}

/** Starts a job that is paused at a point, and kills its runner there. */
async function killedAt(world: World, point: string, task = 'the task'): Promise<JobId> {
  const file = join(world.folder, `paused at ${point}`);
  const started = world.run(['start', task, '--json', '--no-preflight-wait'], {
    env: { CC_DELEGATE_TEST_PAUSE: `${point}=${file}` },
  });
  await until(`the pause at ${point}`, () => pidIn(file) !== null);
  if (!point.startsWith('start:')) await started;
  process.kill(pidIn(file) ?? Number.NaN, 'SIGKILL');
  return (await started).json<{ id: JobId }>().id;
}

/** The same, while the runner waits for an answer of the model: the first request there is. */
async function killedAsking(world: World, task: string): Promise<JobId> {
  const id = (await world.run(['start', task, '--json'])).json<{ id: JobId }>().id;
  await until('a request', () => world.model.requests.length === 1);
  process.kill(world.record(id).runner?.pid ?? Number.NaN, 'SIGKILL');
  return id;
}

function pidIn(file: string): number | null {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) || null : null;
}

function settled(world: World, id: JobId) {
  return world.until(id, ({ result }) => result !== null && result.salvaged !== 'pending');
}

describe('a job whose runner was killed', () => {
  const KILLS = [
    ['(a) while it waits for the model', 'model', 'runner_lost', false],
    ['(b) during a tool', 'tool:2:start', 'runner_lost', true],
    ['(c) between the patch and the state', 'collect:done', 'runner_lost', true],
    ['(d) while it is queued', 'start:read', 'launch_failed', false],
  ] as const;

  it(`PROC-10 ${KILLS.map(([when]) => when).join(', ')} has ended for every verb at once, and blocks nothing (STATE-06)`, async () => {
    const world = await makeWorld({
      script: byTask({
        'waits for the model': [{ ending: 'hang' }],
        'the task': [{ calls: [write('a.txt', 'x'), bash('true')] }, { text: 'done' }],
        'the next': [{ calls: [write('b.txt', 'x')] }, { text: 'done' }],
      }),
    });
    for (const [when, point, reason, salvaged] of KILLS) {
      const id = await (point === 'model'
        ? killedAsking(world, 'waits for the model')
        : killedAt(world, point, `the task, killed at ${point}`));
      const waited = await world.run(['status', id, '--wait', '60', '--json']);
      expect(waited.json(), when).toMatchObject({ state: 'failed', reason, done: true });
      expect((await world.run(['wait', id, '--json'])).exit, when).toBe(1);
      expect((await world.run(['cancel', id, '--json'])).exit, when).toBe(4);
      const record = await settled(world, id);
      expect(record.result?.salvaged, when).toBe(salvaged);
      const result = await world.run(['result', id, '--json']);
      expect(result.exit, when).toBe(1);
      expect(result.json(), when).toMatchObject({
        reason,
        salvaged,
        patchPath: salvaged ? expect.any(String) : null,
      });
      const rows = (await world.run(['list'])).stdout.split('\n');
      expect(
        rows.find((row) => row.includes(id.slice(-6))),
        when,
      ).toContain(reason);
      if (salvaged) expect((await world.run(['apply', id, '--check'])).exit, when).toBe(0);
    }
    // Behind four dead ones, of every kind.
    const next = await world.run(['start', 'the next', '--wait', '60']);
    expect(next, next.stderr).toMatchObject({ exit: 0 });
  });
});

describe('a salvager that is killed', () => {
  it.each(['salvage:claimed', 'salvage:swept', 'salvage:collected', 'salvage:receipt'])(
    'at %s is replaced by the next reader, by exactly one, and the work is saved',
    async (point) => {
      const world = await makeWorld({
        script: [{ calls: [write('a.txt', 'x'), bash('true')] }, { text: 'done' }],
      });
      const id = await killedAt(world, 'tool:2:start');
      const file = join(world.folder, 'salvager');
      const env = { CC_DELEGATE_TEST_PAUSE: `${point}=${file}` };
      await world.run(['status', id], { env });
      await until(`the salvager at ${point}`, () => pidIn(file) !== null);
      // While it lives, nobody else begins.
      const first = pidIn(file) ?? Number.NaN;
      await Promise.all([world.run(['status', id]), world.run(['list']), world.run(['result', id])]);
      expect(claims(world, id)).toEqual(['salvager.1.json']);
      expect(world.record(id).result?.salvaged).toBe('pending');
      process.kill(first, 'SIGKILL');
      await until('its end', () => !existsSync(`/proc/${first}`));
      await Promise.all([1, 2, 3].map(() => world.run(['status', id])));
      expect((await settled(world, id)).result).toMatchObject({ salvaged: true, files: 1 });
      expect(claims(world, id)).toEqual(['salvager.1.json', 'salvager.2.json']);
      expect(world.events(id, 'salvaged').length).toBeLessThanOrEqual(2);
      expect((await world.run(['apply', id])).exit).toBe(0);
    },
  );
});

function claims(world: World, id: JobId): string[] {
  const names = readdirSync(runPaths(world.store(), id).folder);
  return names.filter((name) => name.startsWith('salvager.')).sort();
}
