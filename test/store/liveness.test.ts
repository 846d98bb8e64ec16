import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunnerIdentity } from '../../src/job/record.ts';
import { identify, liveness, signalRunner } from '../../src/store/liveness.ts';
import { parseStat } from '../../src/store/process-table.ts';
import { makeFolder } from '../helpers/repository.ts';
import { bundlePrograms, runProgram } from './fixtures/bundle.ts';

const onLinux = process.platform === 'linux';

interface FakeProc {
  readonly boot?: string;
  readonly namespace?: string;
  /** Lines of /proc/<pid>/stat. */
  readonly stats?: Readonly<Record<number, string>>;
}

/** A /proc of our own making. */
function fakeProc({ boot = 'boot-1', namespace = '4026531836', stats = {} }: FakeProc): string {
  const root = makeFolder();
  mkdirSync(join(root, 'sys/kernel/random'), { recursive: true });
  writeFileSync(join(root, 'sys/kernel/random/boot_id'), `${boot}\n`);
  mkdirSync(join(root, 'self/ns'), { recursive: true });
  symlinkSync(`pid:[${namespace}]`, join(root, 'self/ns/pid'));
  for (const [pid, line] of Object.entries(stats)) {
    mkdirSync(join(root, pid));
    writeFileSync(join(root, pid, 'stat'), line);
  }
  return root;
}

function stat(pid: number, state: string, start: number, name = 'node'): string {
  const between = Array.from({ length: 18 }, () => '0').join(' ');
  return `${pid} (${name}) ${state} ${between} ${start} 0 0\n`;
}

const runner: RunnerIdentity = { pid: 4242, startTime: '100', bootId: 'boot-1', pidNamespace: '4026531836' };

describe('liveness', () => {
  it.each([
    ['alive', 'the same process', { stats: { 4242: stat(4242, 'S', 100) } }],
    ['alive', 'a process that works', { stats: { 4242: stat(4242, 'R', 100) } }],
    [
      'alive',
      'a program with brackets and blanks in its name',
      { stats: { 4242: stat(4242, 'S', 100, 'a) Z (b 1 2') } },
    ],
    ['stopped', 'a stopped process', { stats: { 4242: stat(4242, 'T', 100) } }],
    ['stopped', 'a traced process', { stats: { 4242: stat(4242, 't', 100) } }],
    ['dead', 'a zombie', { stats: { 4242: stat(4242, 'Z', 100) } }],
    ['dead', 'no such process', {}],
    ['dead', 'another process with its number', { stats: { 4242: stat(4242, 'S', 101) } }],
    ['dead', 'a machine that started anew', { boot: 'boot-2', stats: { 4242: stat(4242, 'S', 100) } }],
    ['unknown', 'another container', { namespace: '4026532999', stats: {} }],
    ['unknown', 'a line that is none', { stats: { 4242: 'nonsense' } }],
  ] as const)('is %s for %s', (expected, _, proc) => {
    expect(liveness(runner, fakeProc(proc))).toBe(expected);
  });

  it.runIf(onLinux)('follows a real process: alive, stopped, alive, dead', async () => {
    const folder = makeFolder();
    await bundlePrograms(folder, 'idle');
    const { child, ready, ended, printed } = runProgram(folder, 'idle', []);
    await ready;
    const identity = identify(child.pid);
    expect(JSON.parse(printed())).toEqual(identity);
    expect(liveness(identity)).toBe('alive');
    expect(signalRunner(identity, 'SIGSTOP')).toBe('sent');
    await expect.poll(() => liveness(identity)).toBe('stopped');
    signalRunner(identity, 'SIGCONT');
    await expect.poll(() => liveness(identity)).toBe('alive');
    expect(signalRunner(identity, 'SIGKILL')).toBe('sent');
    expect((await ended).signal).toBe('SIGKILL');
    expect(liveness(identity)).toBe('dead');
    expect(signalRunner(identity, 'SIGKILL')).toBe('gone');
  });

  it('works by ps where there is no /proc', () => {
    const none = join(makeFolder(), 'none');
    const me = identify(process.pid, none);
    expect(me.startTime).toMatch(/\d{4}$/);
    expect(liveness(me, none)).toBe('alive');
    expect(liveness({ ...me, startTime: 'Thu Jan  1 00:00:00 1970' }, none)).toBe('dead');
  });
});

describe('signalRunner', () => {
  it('never signals a foreign process, in 1,000 identities that are not ours', () => {
    const self = identify();
    let signals = 0;
    const count = (): void => {
      signals += 1;
    };
    process.on('SIGUSR2', count);
    const foreign: RunnerIdentity[] = [
      { ...self, startTime: `${Number(self.startTime) + 1}` },
      { ...self, startTime: `${Number(self.startTime) - 1}` },
      { ...self, startTime: '' },
      { ...self, bootId: 'another boot' },
      { ...self, pidNamespace: '1' },
      { ...self, bootId: '' },
      { ...self, pid: 0 },
      { ...self, pid: -1 },
      { ...self, pid: 1 },
      { ...self, pid: Number.NaN },
    ];
    for (let round = 0; round < 100; round += 1) {
      for (const identity of foreign) expect(signalRunner(identity, 'SIGUSR2')).not.toBe('sent');
    }
    process.off('SIGUSR2', count);
    expect(signals).toBe(0);
  });
});

describe('parseStat', () => {
  it.each(['', ')', '1 (a', '1 (a) S 1 2 3', '1 (a) S '.padEnd(100, 'x ')])(
    'does not guess from %j',
    (line) => {
      expect(parseStat(line)).toEqual({ kind: 'unknown' });
    },
  );
});
