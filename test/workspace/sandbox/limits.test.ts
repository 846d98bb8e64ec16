import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_FILE_KIB, MAX_OPEN_FILES, MAX_PROCESSES } from '../../../src/workspace/sandbox/first-process.ts';
import { folderOf, runAs, USERS, type User } from './as-user.ts';
import { type Level, levelsHere } from './helpers.ts';

const PROGRAM = join(import.meta.dirname, 'fixtures/bash-run.ts');

interface Answer {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  readonly survivors: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

function bashAs(user: User, level: Level, script: string, limitMs = 20_000): Promise<Answer> {
  const folder = folderOf(user);
  return runAs<Answer>(user, PROGRAM, [folder, level, script, String(limitMs)], folder);
}

const held = (await levelsHere()).filter((level) => level !== 'none');
// The kernel counts no processes of root's.
const plain = USERS.at(-1) ?? 'ourselves';
const isRoot = plain === 'ourselves' && process.getuid?.() === 0;

describe.each(held)('at level %s', (level) => {
  it('a command has the limits, and may not raise them', async () => {
    const { stdout } = await bashAs(
      plain,
      level,
      'ulimit -Hu; ulimit -Hf; ulimit -Hn; ulimit -Hc; ulimit -f unlimited || echo kept',
    );
    const [processes, file, open, core, kept] = stdout.trim().split('\n');
    expect(Number(processes)).toBeLessThanOrEqual(MAX_PROCESSES);
    expect(Number(open)).toBeLessThanOrEqual(MAX_OPEN_FILES);
    expect([file, core]).toEqual([String(MAX_FILE_KIB), '0']);
    // Root may raise what it has at level process, where it is the system's root.
    expect(kept).toBe('kept');
  });

  it.each(USERS)('a file of 10 GB is not made, as %s', async (user) => {
    const { stdout } = await bashAs(user, level, 'truncate -s 10G big; echo $?; stat -c %s big');
    expect(stdout).toBe('153\n0\n');
  });

  it.skipIf(isRoot)('a fork bomb ends, and nothing of it stays', async () => {
    // With a lower limit of the same kind, so that the machine has not to bear 4,096 processes for a test.
    const bomb = 'ulimit -u 200; bomb() { bomb | bomb & }; bomb; sleep 0.5; ls; echo "rc=$?"';
    const { stderr, survivors, durationMs } = await bashAs(plain, level, bomb, 3_000);
    expect(stderr).toMatch(/fork|Resource temporarily unavailable/);
    expect(survivors).toEqual([]);
    expect(durationMs).toBeLessThan(10_000);
  });

  it.skipIf(isRoot)('processes are counted for each command by itself', async () => {
    const one = '(ulimit -u 60; for n in $(seq 40); do sleep 1 & done; wait) && echo fits';
    const both = await Promise.all([bashAs(plain, level, one), bashAs(plain, level, one)]);
    expect(both.map(({ stdout }) => stdout)).toEqual(['fits\n', 'fits\n']);
  });
});
