import { explainTimeout } from './explain-timeout.ts';
import type { CommandReceipt, Proof } from './receipt.ts';
import type { Reason } from './states.ts';
import { type GateOutcome, redFirstWords, trickWords } from './verdict.ts';

/** What the gate saw, as far as its failure is told from it. */
export type Seen = Pick<Proof, 'kept' | 'testChanges' | 'redFirst'> & {
  readonly setup: CommandReceipt | null;
  readonly tests: CommandReceipt | null;
  readonly outcome?: Pick<GateOutcome, 'allowTestEdits' | 'silenced'>;
};

/** Why the gate says no, in words for the worker and for people: the cause first, then what was printed. */
export function failureWords(reason: Reason, seen: Seen): string {
  if (reason === 'tampered') return tamperedWords(seen);
  const { setup, tests, kept, redFirst } = seen;
  if (reason === 'test_timeout') {
    const late = tests?.timedOut === true ? tests : (kept ?? tests);
    const why = explainTimeout(late?.outputTail ?? '');
    return [why, late?.outputTail].filter((part) => part).join('; ');
  }
  const passed = tests?.exitCode === 0;
  if (reason === 'gate_failed' && passed && redFirst !== null) return redFirstWords(redFirst.verdict);
  return tests?.outputTail ?? setup?.outputTail ?? '';
}

function tamperedWords({ testChanges, outcome, setup, kept }: Seen): string {
  const tail = kept?.outputTail ?? '';
  if (outcome?.silenced === true && (kept === null || kept.exitCode === 0)) {
    return `${trickWords(testChanges)}; the test command ends with 0, but before the work it told of tests that did not run now; a source may not end the process of its tests`;
  }
  const failed = kept !== null && kept.command === setup?.command ? 'the set-up' : 'the test command';
  const words = `${trickWords(testChanges)}; with the base's own ${failed} fails (${endWords(kept)})`;
  const remedy =
    outcome?.allowTestEdits === true
      ? 'to edit tests is allowed, to change what runs them is not'
      : 'where tests are to be changed: --allow-test-edits';
  return `${words}; ${remedy}${tail === '' ? '' : `: ${tail}`}`;
}

function endWords(run: CommandReceipt | null): string {
  if (run === null) return 'no run';
  if (run.timedOut) return 'it does not end';
  return run.exitCode === null ? 'it is ended by a signal' : `exit ${run.exitCode}`;
}
