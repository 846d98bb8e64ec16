import { execFileSync } from 'node:child_process';
import { rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/job/user-error.ts';
import { needs } from '../../helpers/needs.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { freshJobId, levelsHere, makeSandbox, processesWith, textOf } from './helpers.ts';

const HOLD = join(import.meta.dirname, 'hold.ts');
const levels = await levelsHere();

describe.each(levels)('a command at level %s', (level) => {
  it('gives its exit code and keeps its two streams apart', async () => {
    const { bash } = await makeSandbox(level);
    const result = await bash('echo out; echo err >&2; exit 3');
    expect(result).toMatchObject({ exitCode: 3, signal: null, timedOut: false, aborted: false });
    expect([textOf(result.stdout), textOf(result.stderr)]).toEqual(['out\n', 'err\n']);
  });

  it('may open its streams by name', async () => {
    const { bash } = await makeSandbox(level);
    const result = await bash('echo out >/dev/stdout; echo err >/dev/stderr; echo more >>/dev/stderr');
    expect([textOf(result.stdout), textOf(result.stderr)]).toEqual(['out\n', 'err\nmore\n']);
  });

  it.each([
    ['a program that is not there', ['no-such-program'], 127],
    ['a file that may not be executed', ['/etc/passwd'], 126],
    ['a word of the shell, which is no program', ['exit'], 127],
    ['arguments that are too long', ['true', 'x'.repeat(200_000)], 126],
  ] as const)('ends like in a shell for %s', async (_, argv, exitCode) => {
    const { run } = await makeSandbox(level);
    const result = await run([...argv] as [string, ...string[]]);
    expect(result).toMatchObject({ exitCode, signal: null });
    expect(textOf(result.stderr)).not.toBe('');
  });

  it('is ended by the signal that it sends itself', async () => {
    const { bash } = await makeSandbox(level);
    const { exitCode, signal } = await bash('kill -9 $$; echo alive');
    expect(level === 'none' ? signal : exitCode).toBe(level === 'none' ? 'SIGKILL' : 137);
  });

  it('is ended by KILL to its own group, and takes the rest along', async () => {
    const { bash } = await makeSandbox(level);
    const stray = `sleep 77.${process.pid}`;
    const { exitCode, signal } = await bash(`setsid ${stray} & kill -9 0`);
    // At level full the group is inside with it, and its first process tells.
    expect([exitCode, signal]).toEqual(level === 'full' ? [137, null] : [null, 'SIGKILL']);
    expect(processesWith(stray)).toEqual([]);
  });

  it('does not wait for a background child that holds the pipe', async () => {
    const { bash } = await makeSandbox(level);
    const result = await bash('sleep 60 & echo done');
    expect(result.exitCode).toBe(0);
    expect(textOf(result.stdout)).toBe('done\n');
    expect(result.durationMs).toBeLessThan(2_000);
  });

  it('reads an empty stdin, or what it is given', async () => {
    const { run } = await makeSandbox(level);
    expect((await run(['cat'])).stdout.totalBytes).toBe(0);
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    expect((await run(['cat'], { input: bytes })).stdout.bytes).toEqual(bytes);
    expect((await run(['true'], { input: Buffer.alloc(1 << 20) })).exitCode).toBe(0);
  });

  it('keeps what it printed before the time limit', async () => {
    const { bash } = await makeSandbox(level);
    const result = await bash('echo partial; sleep 60', { timeoutMs: 300 });
    expect(result).toMatchObject({ exitCode: 124, timedOut: true });
    expect(textOf(result.stdout)).toBe('partial\n');
  });

  it('may tidy up on TERM before it is killed', async () => {
    const { bash } = await makeSandbox(level, { pace: { graceMs: 5_000, drainMs: 300 } });
    const result = await bash('trap "echo tidied; exit 0" TERM; echo up; while :; do sleep 0.05; done', {
      timeoutMs: 400,
    });
    expect(textOf(result.stdout)).toBe('up\ntidied\n');
    expect(result.exitCode).toBe(124);
    expect(result.durationMs).toBeLessThan(4_000);
  });

  it('is not started when its signal is aborted already', async () => {
    const { bash, workspace } = await makeSandbox(level);
    const result = await bash('touch here', { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ exitCode: null, aborted: true });
    expect(statSync(join(workspace, 'here'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('is drained in bounded memory, with head, tail and true size kept', async () => {
    const { bash } = await makeSandbox(level);
    let logged = 0;
    const size = 300_000_000;
    const log = (chunk: Uint8Array): void => {
      logged += chunk.length;
    };
    const result = await bash(`yes 0123456789 | head -c ${size}`, { keepBytes: 1_000, log });
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatchObject({ totalBytes: size, truncated: true });
    expect(result.stdout.bytes.length).toBeLessThan(1_100);
    expect(textOf(result.stdout)).toMatch(/^0123456789\n[\s\S]*\d+ bytes left out, 300000000 bytes in all/);
    expect(logged).toBeLessThan(4.3 * 1024 * 1024);
    expect(process.memoryUsage().rss).toBeLessThan(300_000_000);
  });

  it('cannot reach a terminal, also when the runner has one', (test) => {
    needs(test, 'script');
    const folder = makeFolder();
    execFileSync('mkdir', [join(folder, 'work')]);
    const ask = 'read -p "pw? " x </dev/tty; echo rc=$? >seen; read y; echo rc=$? >>seen';
    const words = [process.execPath, '--import', 'tsx', HOLD, folder, level, freshJobId(), 'bash', '-c', ask];
    const line = words.map((word) => `'${word}'`).join(' ');
    const screen = execFileSync('script', ['-qec', line, '/dev/null'], {
      input: 'typed\n',
      encoding: 'utf8',
    });
    expect(execFileSync('cat', [join(folder, 'work/seen')], { encoding: 'utf8' })).toBe('rc=1\nrc=1\n');
    expect(screen).not.toContain('pw?');
  });

  it('runs nowhere when the workspace is gone', async () => {
    const { bash, workspace } = await makeSandbox(level);
    rmSync(workspace, { recursive: true });
    const lost = bash('true');
    await expect(lost).rejects.toBeInstanceOf(UserError);
    await expect(lost).rejects.toMatchObject({ explanation: { code: 'workspace_lost' } });
  });

  it('starts in the workspace, in a folder it was granted, and nowhere else', async () => {
    const { bash, folder, workspace } = await makeSandbox(level);
    const other = makeFolder();
    await expect(bash('true', { cwd: other })).rejects.toThrow(/may not start in/);
    symlinkSync(other, join(workspace, 'link'));
    await expect(bash('true', { cwd: join(workspace, 'link') })).rejects.toThrow(/may not start in/);
    expect((await bash('pwd', { cwd: other, writable: [other] })).exitCode).toBe(0);
    symlinkSync(workspace, join(folder, 'spelling'));
    expect(textOf((await bash('pwd', { cwd: join(folder, 'spelling') })).stdout)).toBe(`${workspace}\n`);
  });

  it('leaves a command beside it alone when it ends', async () => {
    const { bash } = await makeSandbox(level);
    const long = bash('env -i sleep 0.6; echo whole');
    await bash('sleep 5 & true');
    expect(textOf((await long).stdout)).toBe('whole\n');
  });

  it('sees nothing of the secrets of whoever started it', async () => {
    const secret = 'hunter2';
    const callerEnv = { ...process.env, DATABASE_URL: `postgres://u:${secret}@h/d`, GH_PAT: secret };
    const { bash } = await makeSandbox(level, { callerEnv, passEnv: { WANTED: 'given' } });
    const { stdout } = await bash('env; cat /proc/self/environ');
    expect(textOf(stdout)).not.toContain(secret);
    expect(textOf(stdout)).toContain('WANTED=given');
  });

  it('never waits for a pager or an editor', async () => {
    const { bash } = await makeSandbox(level);
    const setup =
      'git init -q . && git config core.pager "less -+F" && git config core.editor vi && git config user.name a && git config user.email a@b.invalid && echo 1 >f && git add f';
    const commit = await bash(
      `${setup}; git commit; echo rc=$?; git commit -qm x; git log; man ls >/dev/null 2>&1; :`,
    );
    expect(commit).toMatchObject({ exitCode: 0, timedOut: false });
    expect(textOf(commit.stdout)).toMatch(/rc=1\ncommit [0-9a-f]{40}\n/);
  });
});
