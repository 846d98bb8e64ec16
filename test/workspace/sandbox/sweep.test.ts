import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SeenProcess } from '../../../src/workspace/sandbox/processes.ts';
import { belongingProcesses, sweepJob } from '../../../src/workspace/sandbox/sweep.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { freshJobId } from './helpers.ts';

const MARKER = 'CC_DELEGATE_JOB=t_abcdef_abcdef';
const BELONGING = { marker: MARKER, folders: ['/job'], startedAfter: 100 };

/** Process 50 asks; 40 is its parent, 1 its last ancestor. */
const OURS = [seen({ pid: 1, parent: 0 }), seen({ pid: 40 }), seen({ pid: 50, parent: 40 })];

function seen(some: Partial<SeenProcess>): SeenProcess {
  return {
    pid: 99,
    parent: 1,
    command: 'x',
    startTime: 500,
    hasTerminal: false,
    cwd: '/elsewhere',
    environment: new Set<string>(),
    ...some,
  };
}

describe('a process belongs to the job', () => {
  it.each([
    ['with its marker', { environment: new Set([MARKER]) }, true],
    ['not with a marker that only begins like it', { environment: new Set([`${MARKER}2`]) }, false],
    ['as an orphan in its folder', { cwd: '/job/work' }, true],
    ['as an orphan in its folder that is deleted', { cwd: '/job (deleted)' }, true],
    ['not in a folder that only begins like it', { cwd: '/job2' }, false],
    ['not with a terminal', { cwd: '/job', hasTerminal: true }, false],
    ['not when it was there before', { cwd: '/job', startTime: 99 }, false],
    ['not with a living parent that is a stranger', { cwd: '/job', parent: 77 }, false],
    ['as an orphan that a subreaper above us took', { cwd: '/job', parent: 40 }, true],
    ['not as a child of ours', { cwd: '/job', parent: 50 }, false],
    [
      'not with the marker of another job',
      { cwd: '/job', environment: new Set(['CC_DELEGATE_JOB=t_other1_abcdef']) },
      false,
    ],
  ] as const)('%s', (_, some, expected) => {
    const found = belongingProcesses([...OURS, seen({ pid: 77 }), seen(some)], BELONGING, 50);
    expect(found.map(({ pid }) => pid)).toEqual(expected ? [99] : []);
  });

  it('as the child of one that does', () => {
    const family = [seen({ pid: 61, parent: 60, cwd: '/job' }), seen({ pid: 60, cwd: '/job/work' })];
    const found = belongingProcesses([...OURS, ...family], BELONGING, 50);
    expect(found.map(({ pid }) => pid).sort()).toEqual([60, 61]);
  });

  it('never when it is the one that asks, or above it', () => {
    const marked = OURS.map((each) => ({ ...each, cwd: '/job', environment: new Set([MARKER]) }));
    expect(belongingProcesses(marked, BELONGING, 50)).toEqual([]);
  });
});

describe('the sweep', () => {
  it('ends the processes of its job and of no other', async () => {
    const [mine, other] = [freshJobId(), freshJobId()];
    const start = (jobId: string) => {
      const child = spawn('sleep', ['60'], {
        env: { CC_DELEGATE_JOB: jobId },
        detached: true,
        stdio: 'ignore',
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    const [one, two] = [start(mine), start(other)];
    await Promise.all([one, two].map((child) => once(child, 'spawn')));
    const gone = once(one, 'exit');
    expect(await sweepJob(mine, [makeFolder()])).toEqual({ ended: 1, survivors: [] });
    expect((await gone)[1]).toBe('SIGKILL');
    expect(two.exitCode ?? two.signalCode).toBeNull();
  });
});
