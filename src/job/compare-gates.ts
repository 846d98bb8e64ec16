import type { CommandReceipt, Receipt } from './receipt.ts';
import { type GateOutcome, isSignalExit, judge, type TestsEnd } from './verdict.ts';

/** What a second look at recorded work came to. */
export interface GateComparison {
  readonly verdict: 'same' | 'different';
  /** In a few words, e.g. `pass, as recorded`. */
  readonly note: string;
}

/**
 * Does the gate say now what the receipt says it said: the test command's fate as the worker left it, and with the
 * base's tests? Outputs and durations may differ.
 */
export function compareGates(receipt: Recorded, now: GateOutcome): GateComparison {
  const then = gateOf(receipt, now.allowTestEdits === true);
  const said = wordOf(now);
  if (then === said) return { verdict: 'same', note: `the gate ${words(said)}, as recorded` };
  return { verdict: 'different', note: `the gate ${words(said)} now; recorded: it ${words(then)}` };
}

/** What of a receipt tells how the gate judged. */
export type Recorded = Pick<Receipt, 'state' | 'reason' | 'after' | 'kept' | 'redFirst'>;

const OWN: readonly unknown[] = ['gate_failed', 'tampered', 'test_timeout', 'setup_failed'];

/** Did the gate come to its word? Not where a limit or a cancel of the job ended its run. */
export function wasJudged({ state, reason, after, kept }: Recorded): boolean {
  if (after === null) return false;
  return (
    state === 'succeeded' || OWN.includes(reason) || (isWhole(after) && (kept === null || isWhole(kept)))
  );
}

function isWhole({ exitCode, timedOut }: CommandReceipt): boolean {
  return timedOut || (exitCode !== null && !isSignalExit(exitCode));
}

/** What the gate said in a job whose end may have other reasons too, e.g. a rubric that is not met. */
function gateOf({ state, reason, after, kept, redFirst }: Recorded, allowTestEdits: boolean): string {
  if (state === 'succeeded') return 'passes';
  if (reason !== null && OWN.includes(reason)) return reason;
  return wordOf({
    changed: true,
    setupOk: true,
    tests: after && endOf(after),
    kept: kept && endOf(kept),
    allowTestEdits,
    redFirst: redFirst?.verdict ?? null,
  });
}

function endOf({ exitCode, timedOut }: CommandReceipt): TestsEnd {
  if (timedOut) return { ended: 'timeout' };
  return exitCode === null ? { ended: 'signal' } : { ended: 'exit', exitCode };
}

function wordOf(outcome: GateOutcome): string {
  const { to, reason } = judge(outcome);
  return to === 'succeeded' ? 'passes' : (reason ?? to);
}

function words(said: string): string {
  return said === 'passes' ? 'passes' : `fails (${said})`;
}
