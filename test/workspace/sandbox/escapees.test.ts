import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sweepJob } from '../../../src/workspace/sandbox/sweep.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { eventually, freshJobId, type Level, levelsHere, makeSandbox, processesWith } from './helpers.ts';

// As text: inside, our own folder is not there.
const SCRIPT = readFileSync(join(import.meta.dirname, 'escapees.sh'), 'utf8');
const HOLD = join(import.meta.dirname, 'hold.ts');
const levels = await levelsHere();
let marks = (process.pid % 10_000) * 100;

function freshMark(): { mark: string; alive: () => string[] } {
  marks += 1;
  const mark = String(1_000_000 + marks);
  return { mark, alive: () => processesWith(`sleep 3${mark}.`) };
}

describe.each(levels)('nine children that try to escape, at level %s,', (level) => {
  it('are all dead when the command has ended by itself', async () => {
    const { run } = await makeSandbox(level);
    const { mark, alive } = freshMark();
    const result = await run(['bash', '-c', SCRIPT, 'bash', mark, 'leave']);
    expect(alive()).toEqual([]);
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
  });

  it('are all dead when the time limit has ended the command', async () => {
    const { run } = await makeSandbox(level);
    const { mark, alive } = freshMark();
    const running = run(['bash', '-c', SCRIPT, 'bash', mark, 'stay'], { timeoutMs: 8_000 });
    await eventually(alive, (seen) => seen.length === 9, 7_900);
    expect(await running).toMatchObject({ exitCode: 124, timedOut: true, aborted: false });
    expect(alive()).toEqual([]);
  });

  it('are all dead when the command was aborted', async () => {
    const { run } = await makeSandbox(level);
    const { mark, alive } = freshMark();
    const stop = new AbortController();
    const running = run(['bash', '-c', SCRIPT, 'bash', mark, 'stay'], { signal: stop.signal });
    await eventually(alive, (seen) => seen.length === 9);
    stop.abort();
    expect(await running).toMatchObject({ exitCode: null, timedOut: false, aborted: true });
    expect(alive()).toEqual([]);
  });

  it('are all dead when the sandbox is closed', async () => {
    const { run, sandbox } = await makeSandbox(level);
    const { mark, alive } = freshMark();
    const running = run(['bash', '-c', SCRIPT, 'bash', mark, 'stay']);
    await eventually(alive, (seen) => seen.length === 9);
    expect(await sandbox.dispose()).toEqual([]);
    expect(alive()).toEqual([]);
    expect(await running).toMatchObject({ aborted: true });
  });
});

/** Starts the nine under a process of their own that stands for the runner, and kills that. */
async function killTheRunner(level: Level, as?: string) {
  const folder = makeFolder();
  chmodSync(folder, 0o777);
  mkdirSync(`${folder}/work`);
  const { mark, alive } = freshMark();
  const jobId = freshJobId();
  const args = [
    '--import',
    'tsx',
    HOLD,
    folder,
    level,
    jobId,
    '/bin/bash',
    '-c',
    SCRIPT,
    'bash',
    mark,
    'stay',
  ];
  const [program = '', ...rest] = as === undefined ? [process.execPath, ...args] : [...asUser(as), ...args];
  const runner = spawn(program, rest, {
    stdio: 'inherit',
    detached: true,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, TMPDIR: folder },
  });
  await eventually(alive, (seen) => seen.length === 9, 20_000);
  process.kill(runner.pid ?? 0, 'SIGKILL');
  return { jobId, folder, alive };
}

function asUser(uid: string): string[] {
  return ['/usr/bin/setpriv', '--reuid', uid, '--regid', uid, '--clear-groups', '--', process.execPath];
}

describe('when the runner is killed by KILL', () => {
  const held = levels.filter((level) => level !== 'none');

  it.each(held)('nothing survives at level %s', async (level) => {
    const { alive } = await killTheRunner(level);
    await eventually(alive, (seen) => seen.length === 0, 1_000);
  });

  it.runIf(process.getuid?.() === 0).each(held)(
    'nothing survives at level %s as a plain user',
    async (level) => {
      const { alive } = await killTheRunner(level, '65534');
      await eventually(alive, (seen) => seen.length === 0, 1_000);
    },
  );

  it('the sweep ends what survived at level none', async () => {
    const { alive, jobId, folder } = await killTheRunner('none');
    expect(alive().length).toBeGreaterThan(0);
    const { ended, survivors } = await sweepJob(jobId, [folder]);
    expect(survivors).toEqual([]);
    expect(ended).toBeGreaterThan(0);
    expect(alive()).toEqual([]);
  });
});
