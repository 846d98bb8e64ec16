import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadVerb } from '../../src/cli/verbs.ts';
import { UserError } from '../../src/job/user-error.ts';
import { contextOf } from '../cli/context.ts';
import { git, writeFiles } from '../helpers/repository.ts';
import { makeWorld, type World, write } from '../helpers/world.ts';

const WRITES = [{ calls: [write('w.txt', 'work\n')] }, { text: 'done' }];

describe('STATE-12 two sessions in one repository', () => {
  it('mean their own job when they name none; a named one is reached from anywhere, and it alone', async () => {
    const world = await makeWorld({
      script: ({ body }) => {
        const asked = body.messages.some(({ role }) => role === 'tool');
        return asked
          ? { text: 'done' }
          : { calls: [{ name: 'ask_supervisor', args: { question: 'Which?' } }] };
      },
    });
    const session = (name: string) => ({ env: { CLAUDE_CODE_SESSION_ID: name } });
    const a = await world.start([], session('A'));
    const b = await world.start([], session('B'));
    for (const id of [a, b]) await world.until(id, ({ state }) => state === 'needs_input');

    const ambiguous = await world.run(['cancel', '--json']);
    expect(ambiguous.exit).toBe(2);
    expect(ambiguous.stdout).toContain(a);
    expect(ambiguous.stdout).toContain(b);
    expect((await world.run(['answer', '--json'], session('A'))).exit).toBe(2);
    expect((await world.run(['result', '--json'], session('A'))).json()).toMatchObject({ id: a });
    const waited = await world.run(['wait', '--json'], session('B'));
    expect(waited).toMatchObject({ exit: 10, stdout: expect.stringContaining(b) });
    expect(waited.stdout).not.toContain(a);

    expect((await world.run(['answer', b, 'for B'], session('A'))).exit).toBe(0);
    await world.ended(b, 60);
    expect(world.record(a)).toMatchObject({ state: 'needs_input' });
    expect(world.events(a, 'answer')).toEqual([]);
    expect(world.events(b, 'answer')).toHaveLength(1);
    expect((await world.run(['cancel'], session('B'))).exit).toBe(3);
    expect(world.record(a)).toMatchObject({ state: 'needs_input' });
    expect((await world.run(['cancel'], session('A'))).exit).toBe(0);
    expect(world.record(a)).toMatchObject({ state: 'cancelled' });
  });
});

describe('SEC-08 what names a job', () => {
  // 'a\0b' is missing: the system takes no such argument.
  const HOSTILE = [
    ...['../../../tmp/pwn', '/etc/passwd', '..', '', ' ', '-D', '--force', 'a/b', 'a\nb'],
    ...['x.lock', 'ünï', 'a'.repeat(300)],
  ];

  const VERBS = ['status', 'result', 'answer', 'steer', 'cancel', 'apply', 'cleanup'];
  const argsOf = (verb: string, name: string): string[] =>
    verb === 'answer' || verb === 'steer' ? [name, 'text'] : [name];
  // `cancel --force` is an option and no name: of the active jobs there is none.
  const exitOf = (verb: string, name: string): number => (verb === 'cancel' && name === '--force' ? 3 : 2);
  /** Each verb with each name and the exit code it has to end with. */
  const matrix = (names: (verb: string) => readonly string[]) =>
    VERBS.flatMap((verb) => names(verb).map((name) => ({ verb, name, exit: exitOf(verb, name) })));

  it('is refused as a usage error in every verb, and nothing is made or removed', async () => {
    const world = await makeWorld({ script: WRITES });
    await world.ended(await world.start(), 60);
    const before = everythingIn(world.folder);
    const all = matrix(() => HOSTILE);
    const inProcess: typeof all = [];
    for (const { verb, name } of all) {
      inProcess.push({ verb, name, exit: await exitInProcess(world, verb, argsOf(verb, name)) });
    }
    expect(inProcess).toEqual(all);
    expect(everythingIn(world.folder)).toEqual(before);

    // What the program makes of it on its way to the verb: all of them for the one that removes, some for the rest.
    const some = matrix((verb) => (verb === 'cleanup' ? HOSTILE : ['..', '--force', 'a/b']));
    const asProgram = await Promise.all(
      some.map(async ({ verb, name }) => {
        const { exit } = await world.run([verb, ...argsOf(verb, name)]);
        return { verb, name, exit };
      }),
    );
    expect(asProgram).toEqual(some);
    expect(everythingIn(world.folder)).toEqual(before);
  });

  it('in a forged record reaches no other folder, no other branch and no other job', async () => {
    const world = await makeWorld({ script: WRITES });
    const victim = join(world.folder, 'victim');
    writeFiles(victim, { 'precious.txt': 'precious\n' });
    const id = await world.start();
    const record = await world.ended(id);
    const jobs = join(world.repository, '.cc-delegate/jobs');
    const file = join(jobs, `${id}.json`);
    writeFileSync(join(jobs, 't_aaaaaaaa_bbbbbb.json'), readFileSync(file));
    expect((await world.run(['cleanup', 'bbbbbb', '--force'])).exit).toBe(6);

    const commit = git(world.repository, 'rev-parse', record.branch);
    git(world.repository, 'branch', 'theirs', commit);
    writeFileSync(file, JSON.stringify({ ...record, workspace: victim, branch: 'theirs' }));
    expect((await world.run(['open', id])).stdout.trim()).toBe(record.workspace);
    const forced = await world.run(['cleanup', id, '--force']);
    expect(forced).toMatchObject({ exit: 0, stderr: expect.stringContaining('left alone') });
    expect(readFileSync(join(victim, 'precious.txt'), 'utf8')).toBe('precious\n');
    expect(git(world.repository, 'rev-parse', 'theirs')).toBe(commit);
    expect(existsSync(record.workspace)).toBe(false);
  });
});

/** The exit code a verb's end stands for; a fault that is no UserError fails the test. */
async function exitInProcess(world: World, verb: string, args: readonly string[]): Promise<number> {
  const context = contextOf({ cwd: world.repository, userDir: world.home, args });
  try {
    const { run } = await loadVerb(verb);
    return (await run({ ...context, env: world.env, program: dirname(world.program) })).exit;
  } catch (error) {
    if (error instanceof UserError) return error.explanation.exit;
    throw error;
  }
}

function everythingIn(folder: string): string[] {
  return execFileSync('find', [folder, '-printf', '%P %y %s\n'], { encoding: 'utf8' }).split('\n').sort();
}

describe('SEC-12 the files that hold keys', () => {
  const modes = (folder: string) =>
    [folder, join(folder, 'credentials.json'), join(folder, 'config.yaml')].map((path) =>
      (statSync(path).mode & 0o777).toString(8),
    );

  it.each(['022', '000'])('are for the user alone after every write, under umask %s', async (mask) => {
    const world = await makeWorld();
    const folder = join(world.home, 'own');
    const config = (...args: string[]): string => {
      const program = [process.execPath, world.program, 'config', ...args];
      return execFileSync('sh', ['-c', 'umask "$0"; exec "$@"', mask, ...program], {
        env: { ...world.env, CC_DELEGATE_HOME: folder },
        cwd: world.repository,
        input: 'sk-a-key-of-this-test\n',
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    };
    config('profile', 'set', 'main', '--provider', 'openrouter', '--model', 'vendor/model');
    config('key', 'set', 'main');
    expect(modes(folder)).toEqual(['700', '600', '600']);
    config('mode', 'auto');
    config('key', 'set', 'main');
    expect(modes(folder)).toEqual(['700', '600', '600']);
    expect(readdirSync(folder).filter((name) => /tmp|lock|bak|~/.test(name))).toEqual([]);
    execFileSync('chmod', ['755', folder]);
    execFileSync('chmod', ['644', join(folder, 'credentials.json'), join(folder, 'config.yaml')]);
    config('key', 'set', 'main');
    config('mode', 'ondemand');
    expect(modes(folder)).toEqual(['700', '600', '600']);
  });
});
