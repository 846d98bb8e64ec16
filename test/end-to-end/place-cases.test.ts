import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunnerIdentity } from '../../src/job/record.ts';
import { liveness } from '../../src/store/liveness.ts';
import { repositoriesFolder } from '../../src/store/paths.ts';
import { gatedScript, makeGate } from '../helpers/gate.ts';
import { git } from '../helpers/repository.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';
import { byTask } from './by-task.ts';

const isRoot = process.getuid?.() === 0;
// Root is bound by no permission: what is asked here is asked as nobody then.
const NOBODY = isRoot ? { uid: 65534, gid: 65534 } : {};
const WRITES = [{ calls: [write('w.txt', 'work\n')] }, { text: 'done' }];

interface PlainAnswer {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program as a plain user to whom everything of the world belongs. */
function asPlainUser(world: World): (...args: string[]) => Promise<PlainAnswer> {
  const program = join(world.folder, 'program');
  // The build is in a folder of the one who runs the tests.
  cpSync(dirname(world.program), program, { recursive: true });
  if (isRoot) execFileSync('chown', ['-R', '65534:65534', world.folder]);
  onTestFinished(() => void execFileSync('chmod', ['-R', 'u+rwX', world.folder]));
  return (...args) =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [join(program, 'cli.js'), ...args],
        { cwd: world.repository, env: world.env, ...NOBODY },
        (_error, stdout, stderr) => resolve({ exit: child.exitCode, stdout, stderr }),
      );
    });
}

describe('STATE-07 what cannot be written', () => {
  it('the store or the state directory: start fails before anything is made, and reading goes on; HOME: everything that is kept in the repository works', async () => {
    const world = await makeWorld({ script: byTask({ task: WRITES }) });
    const run = asPlainUser(world);
    const { id } = JSON.parse((await run('start', 'task', '--json')).stdout);
    expect((await run('wait', id, '--timeout', '60')).exit).toBe(0);
    const store = join(world.repository, '.cc-delegate');
    for (const folder of [store, world.state]) {
      execFileSync('chmod', ['-R', 'a-w', folder]);
      const refused = await run('start', 'task', '--json');
      expect(refused.exit).toBe(6);
      expect(JSON.parse(refused.stdout)).toMatchObject({
        error: { code: 'storage', message: expect.stringContaining(`${folder} (EACCES)`) },
      });
      for (const args of [['status', id], ['result', id], ['list']]) {
        expect(await run(...args), args.join(' ')).toMatchObject({ exit: 0 });
      }
      execFileSync('chmod', ['-R', 'u+w', folder]);
    }
    expect(readdirSync(join(world.repository, '.git/refs/heads/delegate'))).toEqual([id]);
    expect(readdirSync(join(store, 'jobs'))).toEqual([`${id}.json`]);
    expect(world.model.requests).toHaveLength(2);

    // As if nothing had been noted in the home yet.
    rmSync(repositoriesFolder(join(world.home, '.cc-delegate')), { recursive: true });
    execFileSync('chmod', ['-R', 'a-w', world.home]);
    const started = await run('start', 'task', '--json');
    expect(started).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('not be found from elsewhere'),
    });
    const second = JSON.parse(started.stdout).id;
    expect((await run('wait', second, '--timeout', '60')).exit).toBe(0);
    for (const verb of ['status', 'result', 'apply', 'undo', 'discard', 'cleanup']) {
      expect(await run(verb, second), verb).toMatchObject({ exit: 0 });
    }
  });
});

it('STATE-08 a path with spaces and a link to it are one repository', async () => {
  const world = await makeWorld({
    name: 're po',
    files: { 'sub dir/x': 'x\n' },
    script: [{ calls: [bash('echo y > x')] }, { text: 'done' }],
  });
  const link = join(world.folder, 'lnk');
  symlinkSync(world.repository, link);
  mkdirSync(join(world.folder, 'sta te'));
  symlinkSync(join(world.folder, 'sta te'), join(world.folder, 'state link'));
  const env = { CC_DELEGATE_STATE: join(world.folder, 'state link') };
  const from = (cwd: string) => ({ cwd, env });
  const id = await world.start(['--test', 'grep -q y x'], from(join(link, 'sub dir')));
  expect((await world.run(['wait', id, '--timeout', '60'], from(world.repository))).exit).toBe(0);
  for (const folder of [world.repository, link, join(link, 'sub dir')]) {
    const status = await world.run(['status', id, '--json'], from(folder));
    expect(status.json()).toMatchObject({ id, state: 'succeeded' });
  }
  expect((await world.run(['apply', id], from(link))).exit).toBe(0);
  expect(git(world.repository, 'status', '--porcelain')).toBe('M  "sub dir/x"');
  const { workspace } = world.record(id);
  expect(await world.run(['cleanup', id], from(link))).toMatchObject({ exit: 0, stderr: '' });
  expect(existsSync(dirname(workspace))).toBe(false);
});

async function dead(runner: RunnerIdentity | null): Promise<void> {
  if (runner === null) throw new Error('the job has no runner');
  const deadline = performance.now() + 60_000;
  while (liveness(runner) !== 'dead') {
    if (performance.now() > deadline) throw new Error('the runner still lives');
    await sleep(20);
  }
}

describe('STATE-10 while the worker waits', () => {
  const goesOn = {
    command: { calls: [bash('touch made-in-another-place')] },
    write: { calls: [write('made-in-another-place', 'x')] },
  };

  /** A job that is at its second request, which is answered with its next call once the gate is open. */
  async function waiting(next: keyof typeof goesOn) {
    const gate = makeGate();
    const script = gatedScript([{ calls: [bash('true')] }, goesOn[next]], 1, gate);
    const world = await makeWorld({ script });
    const id = await world.start();
    const record = await world.until(id, () => world.model.requests.length === 2);
    return { world, id, record, gate };
  }

  it.each(['command', 'write'] as const)(
    'the workspace vanishes: its next %s fails the job, and no model is asked again',
    async (next) => {
      const { world, id, record, gate } = await waiting(next);
      rmSync(record.workspace, { recursive: true });
      gate.open();
      const ended = await world.ended(id);
      expect(ended).toMatchObject({
        state: 'failed',
        reason: 'workspace_lost',
        result: { salvaged: false },
      });
      expect(ended.result?.error).toContain(record.workspace);
      expect(existsSync(record.workspace)).toBe(false);
      expect(world.model.requests).toHaveLength(2);
      expect(git(world.repository, 'status', '--porcelain', '-uall')).toBe('');
    },
  );

  it('the repository moves: the runner ends, nothing is made in the old place, the new one tells', async () => {
    const { world, id, record, gate } = await waiting('command');
    const moved = join(world.folder, 'moved');
    renameSync(world.repository, moved);
    gate.open();
    await dead(record.runner);
    expect(existsSync(world.repository)).toBe(false);
    const status = await world.run(['status', id, '--json'], { cwd: moved });
    expect(status.json()).toMatchObject({ id, state: 'failed', done: true });
    expect(git(moved, 'status', '--porcelain', '-uall')).toBe('');
  });

  it('the repository is deleted: the runner ends and does not make it again', async () => {
    const { world, record, gate } = await waiting('write');
    // The runner may be writing its progress just now.
    rmSync(world.repository, { recursive: true, maxRetries: 5 });
    gate.open();
    await dead(record.runner);
    expect(existsSync(world.repository)).toBe(false);
  });
});
