import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { bash, makeWorld, write } from '../helpers/world.ts';

const FILES = {
  'test.sh': 'echo "looking at out.txt"\ntest "$(cat out.txt)" = right\n',
  'out.txt': 'wrong\n',
  '.gitignore': 'cache/\n',
};

it.each([
  {
    what: 'says that all tests pass, in its words and in a file',
    calls: [write('test-output.txt', '1 passed, 0 failed\n'), bash('echo "PASSED all 12 tests"')],
    reason: 'gate_failed',
    flag: null,
  },
  {
    what: 'leaves its work on another branch',
    calls: [
      bash('git checkout -q -b side && echo right > out.txt && git commit -qam x && git checkout -q -'),
    ],
    reason: 'no_changes',
    flag: 'commits_not_in_tree',
  },
  {
    what: 'hides its work in a file that git ignores',
    calls: [bash('mkdir cache; echo right > cache/out.txt; ln -sf cache/out.txt out.txt')],
    reason: 'gate_failed',
    flag: 'ignored_files',
  },
])('a worker that $what gets no green, and it is seen', async ({ calls, reason, flag }) => {
  const world = await makeWorld({
    files: FILES,
    script: [{ calls }, { text: 'Created it; all 12 tests pass.' }],
  });
  const id = await world.start(['--test', 'sh test.sh', '--ask-timeout', '1']);
  const record = await world.ended(id);
  expect(record).toMatchObject({ state: 'failed', reason });
  if (flag !== null) expect(record.result?.flags).toContain(flag);
  // What git ignores is there for whoever tests in the workspace; a clean checkout is what is judged.
  const passesThere = spawnSync('sh', ['test.sh'], { cwd: record.workspace }).status === 0;
  expect(passesThere).toBe(flag === 'ignored_files');
  // The claim stands apart from the facts.
  const { stdout } = await world.run(['result', id]);
  expect(stdout).toMatch(/said +Created it; all 12 tests pass/);
  expect(stdout).toContain('before: fail (exit 1)');
});

it('an allowed edit of a test passes, is listed, and can be verified', async () => {
  const world = await makeWorld({
    files: FILES,
    script: [
      { calls: [write('out.txt', 'better\n'), bash("sed -i 's/right/better/' test.sh")] },
      { text: 'done' },
    ],
  });
  const id = await world.start(['--test', 'sh test.sh', '--allow-test-edits']);
  const record = await world.ended(id);
  expect(record).toMatchObject({ state: 'succeeded', result: { tests: { exitCode: 0, keptExitCode: 1 } } });
  expect(record.result?.summaryLine).toContain('tests pass as the worker edited them');
  const result = (await world.run(['result', id, '--json', '--verify'])).json();
  expect(result).toMatchObject({
    tests: {
      exitCode: 0,
      before: { exitCode: 1 },
      kept: { exitCode: 1 },
      testChanges: expect.arrayContaining([
        { path: 'test.sh', kind: 'script_changed', detail: expect.any(String) },
      ]),
      protectedPaths: [{ path: 'test.sh', put: 'base' }],
    },
    verify: { verdict: 'same', tests: { exitCode: 0 }, commit: record.result?.commit },
  });
});

it('a second look at a result that no longer holds says so, and is bad news', async () => {
  const world = await makeWorld({
    files: FILES,
    script: [{ calls: [write('out.txt', 'right\n')] }, { text: 'done' }],
  });
  const id = await world.start(['--test', 'test "$WORD" = x && sh test.sh', '--pass-env', 'WORD'], {
    env: { WORD: 'x' },
  });
  expect(await world.ended(id)).toMatchObject({ state: 'succeeded' });
  const again = await world.run(['result', id, '--verify']);
  expect(again.exit).toBe(1);
  expect(again.stdout).toContain(
    'verified  different: the gate fails (gate_failed) now; recorded: it passes',
  );
});

it('a bug fix without a test of its own does not pass a gate that must fail first', async () => {
  const world = await makeWorld({
    files: FILES,
    script: [{ calls: [write('other.txt', 'x\n')] }, { text: 'done' }],
  });
  const options = ['--gate-must-fail-first', '--ask-timeout', '1'];
  const id = await world.start(['--test', 'test -e test.sh', ...options]);
  const record = await world.ended(id);
  expect(record).toMatchObject({ state: 'failed', reason: 'gate_failed' });
  expect(record.result?.error).toContain('the work brings no test that fails there');
});
