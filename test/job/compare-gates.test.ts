import { expect, it } from 'vitest';
import { compareGates, wasJudged } from '../../src/job/compare-gates.ts';
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
  const state = reason === null ? 'succeeded' : 'failed';
  const receipt = { ...NO_PROOF, state, reason: reason as Reason | null, after: run(exitCode) } as const;
  expect(compareGates(receipt, now).verdict).toBe(verdict);
});

it.each([
  ['tests that were edited', { kept: run(1) }, { ...RAN, kept: exit(1) }, 'same'],
  ['tests that were edited, which now pass', { kept: run(1) }, { ...RAN, kept: exit(0) }, 'different'],
  ['a bug that was never shown', { redFirst: { verdict: 'no_tests', run: null } }, RAN, 'different'],
] as const)('an end for another reason hides nothing: %s', (_, proof, now, verdict) => {
  const receipt = { ...NO_PROOF, state: 'failed', reason: 'integrity', after: run(0), ...proof } as const;
  expect(wasJudged(receipt)).toBe(true);
  expect(compareGates(receipt, now).verdict).toBe(verdict);
});

const ENDED = { ...run(1), exitCode: null };

it.each([
  ['by nothing', null, run(0), null, true],
  ['by a limit while it ran', 'wall', ENDED, null, false],
  ['by a limit, with the word of a shell', 'wall', run(143), null, false],
  ['by a limit, with an exit code of its own', 'wall', run(140), null, true],
  ["by a limit while the base's tests ran", 'wall', run(0), ENDED, false],
  ['by a signal, which is its word', 'gate_failed', ENDED, null, true],
  ['after its own limit', 'integrity', { ...ENDED, timedOut: true }, null, true],
  ['before it began', 'wall', null, null, false],
] as const)('a gate ended %s has judged or not', (_, reason, after, kept, judged) => {
  expect(wasJudged({ ...NO_PROOF, state: 'failed', reason, after, kept })).toBe(judged);
});

it.each([
  ['kept fails', { ...RAN, kept: exit(1) }, 'tampered'],
  ['kept fails, and edits are allowed', { ...RAN, kept: exit(1), allowTestEdits: true }, null],
  [
    'more than tests is edited',
    { ...RAN, kept: exit(1), allowTestEdits: true, beyondEdits: exit(1) },
    'tampered',
  ],
  ['what runs them holds', { ...RAN, kept: exit(1), allowTestEdits: true, beyondEdits: exit(0) }, null],
  ['kept does not end', { ...RAN, kept: { ended: 'timeout' } }, 'test_timeout'],
  ['kept is killed', { ...RAN, kept: { ended: 'signal' } }, 'tampered'],
  ['it was never red', { ...RAN, redFirst: 'passed' }, 'gate_failed'],
  ['its tests could not run on the base', { ...RAN, redFirst: 'not_run' }, 'gate_failed'],
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
  const prepared = { ...run(1), command: 'npm ci' };
  expect(failureWords('tampered', { ...seen, setup: prepared, kept: prepared })).toContain(
    'own the set-up fails (exit 1)',
  );
  const allowed = { ...seen, outcome: { allowTestEdits: true } };
  expect(failureWords('tampered', allowed)).toContain('to change what runs them is not: exit 1');
  const late = { ...run(124), timedOut: true, outputTail: 'press q to quit' };
  expect(failureWords('test_timeout', { ...seen, kept: null, tests: late })).toMatch(
    /^it looks like a watcher.*; press q/,
  );
  expect(failureWords('gate_failed', { ...seen, kept: null, tests: run(1) })).toBe('exit 1');
});
