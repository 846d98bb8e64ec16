import type { Move } from './transition.ts';

/** What the gate saw of the collected work. */
export interface GateOutcome {
  /** Does the collected tree differ from the base? */
  readonly changed: boolean;
  /** How the test command ended; null when the job has none. */
  readonly tests:
    | { readonly ended: 'exit'; readonly exitCode: number }
    | { readonly ended: 'signal' }
    | { readonly ended: 'timeout' }
    | { readonly ended: 'not_started' }
    | null;
  /** Did the set-up command work in the clean checkout? */
  readonly setupOk: boolean;
}

/**
 * The host's word on the work; the worker's own claim has no part in it. Nothing but a test command that
 * ended with 0 on a changed tree (or no test command at all) is success.
 */
export function judge(outcome: GateOutcome): Move {
  if (!outcome.changed) return { to: 'failed', reason: 'no_changes' };
  if (!outcome.setupOk) return { to: 'failed', reason: 'setup_failed' };
  const { tests } = outcome;
  if (tests === null) return { to: 'succeeded', reason: null };
  if (tests.ended === 'timeout') return { to: 'failed', reason: 'test_timeout' };
  if (tests.ended === 'exit' && tests.exitCode === 0) return { to: 'succeeded', reason: null };
  return { to: 'failed', reason: 'gate_failed' };
}
