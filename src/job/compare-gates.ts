import type { Receipt } from './receipt.ts';
import { type GateOutcome, judge } from './verdict.ts';

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
export function compareGates(receipt: Pick<Receipt, 'reason' | 'after'>, now: GateOutcome): GateComparison {
  const then = gateOf(receipt);
  const { to, reason } = judge(now);
  const said = to === 'succeeded' ? 'passes' : (reason ?? to);
  if (then === said) return { verdict: 'same', note: `the gate ${words(said)}, as recorded` };
  return { verdict: 'different', note: `the gate ${words(said)} now; recorded: it ${words(then)}` };
}

/** What the gate said in a job whose end may have other reasons too, e.g. a rubric that is not met. */
function gateOf({ reason, after }: Pick<Receipt, 'reason' | 'after'>): string {
  const own = ['gate_failed', 'tampered', 'test_timeout', 'setup_failed'];
  if (reason !== null && own.includes(reason)) return reason;
  return after?.exitCode === 0 ? 'passes' : 'gate_failed';
}

function words(said: string): string {
  return said === 'passes' ? 'passes' : `fails (${said})`;
}
