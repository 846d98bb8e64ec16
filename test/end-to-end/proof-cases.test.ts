import { expect, it } from 'vitest';
import { bash, makeWorld, write } from '../helpers/world.ts';

const RIGHT = {
  'test.sh': 'test "$(cat out.txt)" = right\n',
  'package.json': '{"scripts":{"test":"sh test.sh"}}\n',
};

it.each([
  ['whose last word is a pipe', 'sh -c "echo FAIL; exit 1" | tail -1', 'failed', 'gate_failed'],
  ['that says it passed and ends with 1', 'echo PASSED all; exit 1', 'failed', 'gate_failed'],
  ['that a signal ends', 'kill -KILL $$', 'failed', 'gate_failed'],
] as const)('PROC-14 a test command %s proves nothing', async (_, test, state, reason) => {
  const world = await makeWorld({ script: [{ calls: [write('a', 'PASSED\n')] }, { text: 'PASSED' }] });
  const id = await world.start(['--test', test, '--force-start', '--ask-timeout', '0']);
  const record = await world.ended(id);
  expect(record).toMatchObject({ state, reason });
  expect(world.patch(id).length).toBeGreaterThan(0);
});

it('PROC-14 a test command that is not there is told apart from one that fails', async () => {
  const world = await makeWorld({ script: [{ calls: [write('a', 'a\n')] }, { text: 'done' }] });
  const id = await world.start(['--test', 'no-such-runner --all']);
  const record = await world.ended(id);
  expect(record).toMatchObject({ reason: 'setup_failed', preflight: { verdict: 'runner_broken' } });
  expect(world.model.requests).toEqual([]);
});

it.each([
  {
    what: 'the script that the command names',
    test: 'sh test.sh',
    calls: [write('test.sh', 'exit 0\n')],
    seen: 'test.sh',
    trick: 'a failing exit code is masked',
  },
  {
    what: 'a test that was there',
    test: 'sh test/run.sh',
    calls: [bash('echo "exit 0" > test/run.sh')],
    seen: 'test/run.sh',
    trick: 'a failing exit code is masked',
  },
  {
    what: 'the script of the package',
    test: 'npm test --silent',
    calls: [write('package.json', '{"scripts":{"test":"true"}}\n')],
    seen: 'package.json',
    trick: 'the script that runs the tests is changed',
  },
])('PROC-16 a worker that edits $what gets no green, and the trick is named', async (row) => {
  const world = await makeWorld({
    files: { ...RIGHT, 'test/run.sh': 'exit 1\n' },
    script: [{ calls: row.calls }, { text: 'all tests pass' }],
  });
  const id = await world.start(['--test', row.test]);
  const record = await world.ended(id);
  expect(record).toMatchObject({
    state: 'failed',
    reason: 'tampered',
    result: { flags: expect.arrayContaining(['test_edits']), tests: { exitCode: 0, keptExitCode: 1 } },
  });
  expect(record.result?.summaryLine).toContain(`tampered: ${row.trick}`);
  expect(record.result?.error).toContain(`${row.trick} (${row.seen})`);
  const shown = (await world.run(['result', id])).stdout;
  expect(shown).toMatch(new RegExp(`look at +${row.seen} `));
  expect(shown).toContain("with the base's tests: fail (exit 1)");
  expect(shown.trim().split('\n').length).toBeLessThan(16);
});

it('PROC-16 what steers the runner is seen, even where the tests pass without it', async () => {
  const world = await makeWorld({
    files: { ...RIGHT, 'test/old.sh': 'true\n' },
    script: [{ calls: [write('conftest.py', 'x = 1\n')] }, { text: 'done' }],
  });
  const id = await world.start(['--test', 'true']);
  const record = await world.ended(id);
  expect(record).toMatchObject({
    state: 'succeeded',
    result: { flags: expect.arrayContaining(['test_edits']) },
  });
  expect(record.result?.summaryLine).toContain('tests pass, as the base has them too');
  expect((await world.run(['result', id])).stdout).toMatch(/look at +conftest\.py /);
});

it('PROC-16 a new test is work like any other', async () => {
  const world = await makeWorld({
    files: RIGHT,
    script: [{ calls: [write('test/new.sh', 'true\n')] }, { text: 'done' }],
  });
  const id = await world.start(['--test', 'true']);
  const record = await world.ended(id);
  expect(record.state).toBe('succeeded');
  expect(record.result?.flags).not.toContain('test_edits');
});
