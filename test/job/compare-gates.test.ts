import { expect, it } from 'vitest';
import { compareGates } from '../../src/job/compare-gates.ts';
import { failureWords } from '../../src/job/failure-words.ts';
import { type CommandReceipt, NO_PROOF } from '../../src/job/receipt.ts';
import type { Reason } from '../../src/job/states.ts';
import { judge } from '../../src/job/verdict.ts';

const run = (exitCode: number): CommandReceipt => ({
  command: 'x',
  exitCode,
  timedOut: false,
  durationSeconds: 1,
  outputTail: `exit ${exitCode}`,
});
const exit = (exitCode: number) => ({ ended: 'exit', exitCode }) as const;
const RAN = { changed: true, setupOk: true, tests: exit(0) };

it.each([
  [null, 0, RAN, 'same'],
  ['rubric_unsatisfied', 0, RAN, 'same'],
  [null, 0, { ...RAN, tests: exit(1) }, 'different'],
  ['gate_failed', 1, { ...RAN, tests: exit(2) }, 'same'],
  ['gate_failed', 1, RAN, 'different'],
  ['tampered', 0, { ...RAN, kept: exit(1) }, 'same'],
  [null, 0, { ...RAN, kept: exit(1) }, 'different'],
] as const)('an end by %s, exit %d, against what is seen now: %o is %s', (reason, exitCode, now, verdict) => {
  const receipt = { reason: reason as Reason | null, after: run(exitCode) };
  expect(compareGates(receipt, now).verdict).toBe(verdict);
});

it.each([
  ['kept fails', { ...RAN, kept: exit(1) }, 'tampered'],
  ['kept fails, and edits are allowed', { ...RAN, kept: exit(1), allowTestEdits: true }, null],
  ['kept does not end', { ...RAN, kept: { ended: 'timeout' } }, 'test_timeout'],
  ['kept is killed', { ...RAN, kept: { ended: 'signal' } }, 'tampered'],
  ['it was never red', { ...RAN, redFirst: 'passed' }, 'gate_failed'],
  ['it was red', { ...RAN, redFirst: 'failed' }, null],
] as const)('the verdict when %s', (_, outcome, reason) => {
  expect(judge(outcome).reason).toBe(reason);
});

it('a failure is told cause first', () => {
  const testChanges = [{ path: 'test/a.js', kind: 'test_skipped', detail: 'x' }] as const;
  const seen = { ...NO_PROOF, setup: null, tests: run(0), kept: run(1), testChanges };
  expect(failureWords('tampered', seen)).toBe(
    "a test is skipped (test/a.js); with the base's own the test command fails (exit 1); where tests are to be changed: --allow-test-edits: exit 1",
  );
  const late = { ...run(124), timedOut: true, outputTail: 'press q to quit' };
  expect(failureWords('test_timeout', { ...seen, kept: null, tests: late })).toMatch(
    /^it looks like a watcher.*; press q/,
  );
  expect(failureWords('gate_failed', { ...seen, kept: null, tests: run(1) })).toBe('exit 1');
});
