import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Task } from '../../../src/job/task.ts';
import { openGuard } from '../../../src/runner/guard/open.ts';
import { bashTool } from '../../../src/runner/tools/bash.ts';
import { openSandbox } from '../../../src/workspace/sandbox/open.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { freshJobId } from '../../workspace/sandbox/helpers.ts';

/** The worker's shell in an empty workspace, under these rules. */
async function shell(rules: Partial<Pick<Task, 'allowTools' | 'denyTools'>>) {
  const folder = makeFolder();
  const [work, home, temp] = ['work', 'home', 'tmp'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [work, home, temp]) mkdirSync(path);
  const refused: string[] = [];
  const log: string[] = [];
  const guard = await openGuard({
    places: { folder, work, home, temp },
    checkout: join(folder, 'checkout'),
    level: 'none',
    path: process.env.PATH,
    refused: ({ family }) => refused.push(family),
  });
  const places = { workspace: work, home, temp, passEnv: {} };
  const sandbox = await openSandbox({ jobId: freshJobId(), levelWanted: 'none', ...places });
  onTestFinished(async () => {
    await sandbox.dispose();
  });
  const tool = bashTool({
    sandbox,
    cwd: work,
    timeoutSeconds: 20,
    longestSeconds: 20,
    log: (chunk) => log.push(Buffer.from(chunk).toString()),
    guard,
    rules: { allowTools: [], denyTools: [], ...rules },
  });
  const run = (command: string) =>
    tool.run({ command }, { signal: new AbortController().signal, callId: '1' });
  return { run, refused, log: () => log.join(''), has: (name: string) => existsSync(join(work, name)) };
}

describe('the shell of our own loop under rules', () => {
  it('answers what is denied with the reason, logs it, and runs nothing of the script', async () => {
    const { run, refused, log, has } = await shell({ denyTools: ['Bash(touch *)', 'Read'] });
    expect(await run('echo x > first; cd . && touch second')).toEqual({
      ok: false,
      text: 'this command is denied: touch second',
      summary: 'echo x > first; cd . && touch second → refused',
    });
    expect([has('first'), has('second')]).toEqual([false, false]);
    expect(log()).toMatch(/^\$ .*\n\[refused\] this command is denied: touch second\n$/);
    // A rule of the user's is no attack on the guard.
    expect(refused).toEqual([]);
    expect(await run('echo x > first')).toMatchObject({ ok: true });
    expect(has('first')).toBe(true);
  });

  it.each([
    'touch',
    'command touch x',
    '/usr/bin/touch x',
    'env touch x',
    'bash -c "touch x"',
    'x=$(touch x)',
    'f() { touch x; }; f',
    'find . -exec touch x ";"',
    'echo x | xargs touch',
    'T=touch; $T x',
    'eval "$SCRIPT" touch',
    "to'uc'h x",
    'if true; then touch x; fi',
  ])('denies it as %s', async (command) => {
    const { run, has } = await shell({ denyTools: ['Bash(touch *)'] });
    expect(await run(command)).toMatchObject({ ok: false, summary: expect.stringContaining('→ refused') });
    expect(has('x')).toBe(false);
  });

  it('runs what is allowed, and only that, and into no file', async () => {
    const { run, has } = await shell({ allowTools: ['Read', 'Bash(echo *)', 'Bash(git log:*)'] });
    expect(await run('echo hi | echo there 2>/dev/null; echo "$HOME" 2>&1')).toMatchObject({ ok: true });
    const beside = 'not among the commands that may be run (echo *; git log:*): ';
    for (const command of ['touch x', 'echo hi && touch x', 'echo "$(touch x)"'])
      expect(await run(command)).toMatchObject({ ok: false, text: `${beside}touch x` });
    expect((await run('echo hi > x')).text).toMatch(/none into a file: echo hi/);
    expect((await run('echo hi |')).text).toMatch(/cannot be read/);
    expect((await run('git logs')).text).toContain(beside);
    expect(has('x')).toBe(false);
  });

  it('still has its guard: what a rule allows is not all that holds', async () => {
    const { run, refused } = await shell({ allowTools: ['Bash(git *)'] });
    expect(await run('git push origin main')).toMatchObject({ ok: false });
    expect(refused).toEqual(['push']);
  });

  it('runs everything where no rule is about a part of it', async () => {
    const { run, has } = await shell({ allowTools: ['Bash', 'Bash(ls *)'], denyTools: ['Edit'] });
    expect(await run('eval "touch x"')).toMatchObject({ ok: true });
    expect(has('x')).toBe(true);
  });
});
