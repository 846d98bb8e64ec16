import { describe, expect, it } from 'vitest';
import type { Preflight } from '../../src/job/record.ts';
import {
  afterSetback,
  failurePrint,
  gateMessage,
  type RoundFacts,
  type Setback,
} from '../../src/job/revision.ts';

const FAILS: Preflight = {
  ran: true,
  exitCode: 1,
  timedOut: false,
  outputTail: '',
  verdict: 'fails',
  note: 'the test command fails on the base with exit code 1',
  durationSeconds: 1,
};
const same: Setback = { reason: 'gate_failed', print: 'x', tree: 't1' };
const facts = (setbacks: Setback[], more: Partial<RoundFacts> = {}): RoundFacts => ({
  setbacks,
  gradings: 0,
  maxGrades: 6,
  preflight: FAILS,
  ...more,
});

describe('after a setback', () => {
  it.each<[string, RoundFacts, string]>([
    ['failing tests go back', facts([same]), 'revise'],
    ['the same twice goes back', facts([same, same]), 'revise'],
    ['the same three times is asked about', facts([same, same, same]), 'ask'],
    ['another failure between them is progress', facts([same, { ...same, print: 'y' }, same]), 'revise'],
    ['a change of the work is progress', facts([same, same, { ...same, tree: 't2' }]), 'revise'],
    ['a set-up that breaks goes back', facts([{ ...same, reason: 'setup_failed' }]), 'revise'],
    ['edited tests are final', facts([{ ...same, reason: 'tampered' }]), 'end'],
    [
      'an empty result goes back once, if the tests failed before',
      facts([{ ...same, reason: 'no_changes' }]),
      'revise',
    ],
    [
      'but not twice',
      facts([
        { ...same, reason: 'no_changes' },
        { ...same, reason: 'no_changes' },
      ]),
      'end',
    ],
    [
      'and not where nothing may be to do',
      facts([{ ...same, reason: 'no_changes' }], { preflight: { ...FAILS, verdict: 'passes' } }),
      'end',
    ],
    ['a test that hangs goes back', facts([{ ...same, reason: 'test_timeout' }]), 'revise'],
    [
      'but not for the same files again',
      facts([
        { ...same, reason: 'test_timeout' },
        { ...same, reason: 'test_timeout' },
      ]),
      'end',
    ],
    [
      'unless it hung on the base',
      facts([{ ...same, reason: 'test_timeout' }], { preflight: { ...FAILS, verdict: 'timed_out' } }),
      'end',
    ],
    ['gaps go back', facts([{ ...same, reason: 'rubric_unsatisfied' }], { gradings: 5 }), 'revise'],
    ['up to the last grading', facts([{ ...same, reason: 'rubric_unsatisfied' }], { gradings: 6 }), 'end'],
    ['a grader that fails is nobody’s to mend', facts([{ ...same, reason: 'grader_error' }]), 'end'],
    ['nor is an endpoint', facts([{ ...same, reason: 'quota' }]), 'end'],
  ])('%s', (_, given, expected) => {
    expect(afterSetback(given)).toBe(expected);
  });
});

it('takes runs for the same that differ in times and temporary names only', () => {
  expect(failurePrint('FAIL a (12 ms)\nin /tmp/x1/y 0.31s')).toBe(
    failurePrint('FAIL a (7 ms)\nin /tmp/x2/y 1.2s'),
  );
  expect(failurePrint('expected right')).not.toBe(failurePrint('expected left'));
});

describe('what a worker is told about a gate', () => {
  const run = { command: 'npm test', exitCode: 1, timedOut: false, durationSeconds: 2, outputTail: 'FAIL' };
  const base = {
    reason: 'gate_failed',
    run,
    preflight: FAILS,
    detail: 'FAIL',
    tail: 'FAIL',
    nonce: 'n1',
  } as const;

  it('has the command, its end, and its output between marks', () => {
    const text = gateMessage(base);
    expect(text).toContain('npm test');
    expect(text).toContain('exit code 1');
    expect(text).toContain('<<<output n1\nFAIL\noutput n1>>>');
  });

  it('says when nothing was changed, and when passing is not enough', () => {
    expect(gateMessage({ ...base, reason: 'no_changes', run: null })).toContain(
      'no file of the workspace has changed',
    );
    const passed = {
      ...base,
      run: { ...run, exitCode: 0 },
      detail: 'the new test does not fail on the base',
    };
    expect(gateMessage(passed)).toContain(
      '<<<detail n1\nthe new test does not fail on the base\ndetail n1>>>',
    );
  });
});
