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
  const id = await world.start(['--test', test, '--force-start']);
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
  },
  {
    what: 'a test that was there',
    test: 'sh test/run.sh',
    calls: [bash('echo "exit 0" > test/run.sh')],
    seen: 'test/run.sh',
  },
  {
    what: 'what steers the runner',
    test: 'true',
    calls: [write('conftest.py', 'x = 1\n')],
    seen: 'conftest.py',
  },
])('PROC-16 a worker that edits $what gets its green with a warning', async ({ test, calls, seen }) => {
  const world = await makeWorld({
    files: { ...RIGHT, 'test/run.sh': 'exit 1\n' },
    script: [{ calls }, { text: 'all tests pass' }],
  });
  const id = await world.start(['--test', test]);
  const record = await world.ended(id);
  expect(record).toMatchObject({
    state: 'succeeded',
    result: { flags: expect.arrayContaining(['test_edits']) },
  });
  expect(record.result?.summaryLine).toContain('tests pass as the worker edited them');
  expect((await world.run(['status', id])).stdout).toContain('tests pass (edited)');
  expect((await world.run(['result', id])).stdout).toMatch(new RegExp(`look at +${seen} `));
});

it('PROC-16 a changed script of a package is shown as what runs on the user’s machine', async () => {
  const world = await makeWorld({
    files: RIGHT,
    script: [{ calls: [write('package.json', '{"scripts":{"test":"true"}}\n')] }, { text: 'done' }],
  });
  const id = await world.start(['--test', 'npm test --silent']);
  const record = await world.ended(id);
  expect(record.result?.flags).toContain('control_plane');
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
