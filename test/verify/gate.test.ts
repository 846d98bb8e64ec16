import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeJobId } from '../../src/job/ids.ts';
import { judge } from '../../src/job/verdict.ts';
import { type GateSpec, gate } from '../../src/verify/gate.ts';
import { preflight } from '../../src/verify/preflight.ts';
import { runCommand } from '../../src/verify/run-command.ts';
import { openSandbox } from '../../src/workspace/sandbox/open.ts';
import { type Files, makeFolder, writeFiles } from '../helpers/repository.ts';

async function makeCheckout(files: Files = {}) {
  const folder = makeFolder();
  const cwd = `${folder}/checkout`;
  mkdirSync(cwd);
  writeFiles(cwd, files);
  const sandbox = await openSandbox({
    jobId: makeJobId(Date.now(), 7),
    workspace: cwd,
    home: `${folder}/home`,
    temp: `${folder}/temp`,
    passEnv: {},
    pace: { graceMs: 100, drainMs: 300 },
  });
  onTestFinished(async () => {
    await sandbox.dispose();
  });
  return { sandbox, cwd, timeoutMs: 20_000 };
}

describe('a command of the user', () => {
  it.each([
    ['passes', 'exit 0', { ended: 'exit', exitCode: 0 }],
    ['fails, whatever it prints', 'echo PASSED all; exit 1', { ended: 'exit', exitCode: 1 }],
    [
      'fails in a pipe whose end is well',
      'sh -c "echo FAIL; exit 1" | tail -1',
      { ended: 'exit', exitCode: 1 },
    ],
    ['is not there', 'no-such-program --run', { ended: 'not_started', exitCode: 127 }],
    ['may not be executed', '/etc/passwd', { ended: 'not_started', exitCode: 126 }],
    ['is ended by a signal', 'kill -9 $$', { ended: 'signal' }],
    ['reads what nobody types', 'cat', { ended: 'exit', exitCode: 0 }],
    ['leaves a child that holds the pipe', 'sleep 60 & echo done', { ended: 'exit', exitCode: 0 }],
    [
      'is a watcher unless it runs in CI',
      'echo ok; [ "$CI" = true ] || exec tail -f /dev/null',
      { ended: 'exit', exitCode: 0 },
    ],
  ])('that %s', async (_, command, expected) => {
    expect(await runCommand({ ...(await makeCheckout()), command })).toMatchObject(expected);
  });

  it('that does not end is ended at its limit, and what it printed is kept', async () => {
    const spec = {
      ...(await makeCheckout()),
      command: 'echo watching; exec tail -f /dev/null',
      timeoutMs: 400,
    };
    expect(await runCommand(spec)).toMatchObject({
      ended: 'timeout',
      timedOut: true,
      exitCode: 124,
      outputTail: 'watching',
    });
  });

  it('that prints without end is ended at its limit too', async () => {
    const run = await runCommand({ ...(await makeCheckout()), command: 'yes', timeoutMs: 1_000 });
    expect(run.ended).toBe('timeout');
    expect(process.memoryUsage().rss).toBeLessThan(300_000_000);
  });

  it('shows both its streams in order, the last 800 characters, without colours and control characters', async () => {
    const command =
      'for i in $(seq 300); do echo "out $i"; echo "err $i" >&2; done; printf "\\033[31mr\\033[0me\\001d\\n"';
    const { outputTail } = await runCommand({ ...(await makeCheckout()), command });
    expect(outputTail).toHaveLength(800);
    expect(outputTail).toMatch(/out 299\nerr 299\nout 300\nerr 300\nred$/);
  });

  it('may clone from one folder into another', async () => {
    const command =
      'git init -q a && git -C a -c user.name=a -c user.email=a@b.invalid commit -qm x --allow-empty && git clone -q a b';
    expect(await runCommand({ ...(await makeCheckout()), command })).toMatchObject({ exitCode: 0 });
  });

  it('whose folder is gone is not started', async () => {
    const spec = await makeCheckout();
    const run = await runCommand({ ...spec, cwd: `${spec.cwd}/gone`, command: 'true' });
    expect(run).toMatchObject({ ended: 'not_started', exitCode: null });
  });
});

describe('the gate', () => {
  it.each([
    ['a passing test', { setup: null, test: 'true' }, 'succeeded', null],
    ['a failing test', { setup: null, test: 'false' }, 'failed', 'gate_failed'],
    ['a test that needs the set-up', { setup: 'touch made', test: 'test -e made' }, 'succeeded', null],
    ['a set-up that fails', { setup: 'false', test: 'true' }, 'failed', 'setup_failed'],
    ['a set-up that is not there', { setup: 'no-such-program', test: 'true' }, 'failed', 'setup_failed'],
    ['a test that cannot run', { setup: null, test: 'no-such-program' }, 'failed', 'gate_failed'],
    ['a test that is killed', { setup: null, test: 'kill -9 $$' }, 'failed', 'gate_failed'],
    ['a test that does not end', { setup: null, test: 'sleep 60', timeoutMs: 400 }, 'failed', 'test_timeout'],
    ['no test', { setup: 'true', test: null }, 'succeeded', null],
  ] as const)('with %s', async (_, spec, to, reason) => {
    const report = await gate({ ...(await makeCheckout()), ...spec });
    expect(judge(report.outcome)).toEqual({ to, reason });
    expect(report.tests === null).toBe(spec.test === null || reason === 'setup_failed');
  });

  it('hands on the evidence of both commands, and nothing else', async () => {
    const report = await gate({ ...(await makeCheckout()), setup: 'echo ready', test: 'echo bad; exit 3' });
    const duration = { durationSeconds: expect.any(Number), timedOut: false };
    expect(report).toEqual({
      outcome: { changed: true, setupOk: true, tests: { ended: 'exit', exitCode: 3 } },
      setup: { command: 'echo ready', exitCode: 0, outputTail: 'ready', ...duration },
      tests: { command: 'echo bad; exit 3', exitCode: 3, outputTail: 'bad', ...duration },
    });
  });

  it('restores what is protected after the set-up and before the test', async () => {
    const checkout = await makeCheckout({ 'test.sh': 'exit 0\n' });
    const restore: GateSpec['restore'] = async () => {
      execFileSync('sh', ['-c', 'test -e made && echo exit 4 >test.sh'], { cwd: checkout.cwd });
    };
    const report = await gate({ ...checkout, setup: 'touch made', test: 'bash test.sh', restore });
    expect(report.outcome.tests).toEqual({ ended: 'exit', exitCode: 4 });
  });
});

describe('the preflight', () => {
  it.each([
    ['true', 'passes', 0],
    ['echo "1 failed"; false', 'fails', 1],
    ['npm test', 'runner_broken', 1],
    ['no-such-program', 'runner_broken', 127],
    ['sleep 60', 'timed_out', 124],
    [null, 'not_run', null],
  ] as const)('of %j is %s', async (command, verdict, exitCode) => {
    const spec = await makeCheckout({ 'package.json': '{"name":"x","version":"1.0.0"}' });
    const seen = await preflight({ ...spec, command, timeoutMs: command === 'sleep 60' ? 400 : 20_000 });
    expect(seen).toMatchObject({
      ran: command !== null,
      verdict,
      exitCode,
      timedOut: verdict === 'timed_out',
    });
  });

  it('that is stopped gives no verdict', async () => {
    const spec = { ...(await makeCheckout()), command: 'true', signal: AbortSignal.abort() };
    expect(await preflight(spec)).toMatchObject({ ran: false, verdict: 'not_run' });
  });
});
