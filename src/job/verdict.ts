import { TEST_CHANGE_KINDS, type TestChange, testChangeWords } from './test-changes.ts';
import type { Move } from './transition.ts';

/** How a test command ended. */
export type TestsEnd =
  | { readonly ended: 'exit'; readonly exitCode: number }
  | { readonly ended: 'signal' }
  | { readonly ended: 'timeout' }
  | { readonly ended: 'not_started' };

/**
 * Did the tests fail before the work was done? `no_tests`: they pass on the base, and the work brings no test that
 * could fail there. `not_run`: those could not be run there, or did not come to an end.
 */
export const RED_FIRST_VERDICTS = ['failed', 'passed', 'no_tests', 'not_run'] as const;
export type RedFirstVerdict = (typeof RED_FIRST_VERDICTS)[number];

/** What the gate saw of the collected work. */
export interface GateOutcome {
  /** Does the collected tree differ from the base? */
  readonly changed: boolean;
  /** How the test command ended; null when the job has none. */
  readonly tests: TestsEnd | null;
  /** Did the set-up command work in the clean checkout? */
  readonly setupOk: boolean;
  /** The same with what judges put back from the base; absent or null where nothing of it was touched. */
  readonly kept?: TestsEnd | null;
  /** Did the user say that tests may be edited? */
  readonly allowTestEdits?: boolean;
  /** Then, where `kept` fails: with the edited tests, but what runs and chooses them put back; null: untouched. */
  readonly beyondEdits?: TestsEnd | null;
  /** Does a source end the process, and are tests of before no longer run? Absent: it was not looked for. */
  readonly silenced?: boolean;
  /** Only where the user asked for it. */
  readonly redFirst?: RedFirstVerdict | null;
}

export function passes(end: TestsEnd | null | undefined): boolean {
  return end?.ended === 'exit' && end.exitCode === 0;
}

/** What shells say for a command that a signal ended: 128 + its number, for those that end programs. */
const SIGNAL_EXITS: ReadonlySet<number> = new Set([129, 130, 131, 132, 134, 135, 136, 137, 139, 143]);

export function isSignalExit(exitCode: number): boolean {
  return SIGNAL_EXITS.has(exitCode);
}

/** Came to an end, and not with 0. */
export function fails(end: TestsEnd | null | undefined): boolean {
  return end?.ended === 'signal' || (end?.ended === 'exit' && end.exitCode !== 0);
}

/**
 * The host's word on the work; the worker's own claim has no part in it. Nothing but a test command that
 * ended with 0 on a changed tree (or no test command at all) is success, and it has to do so with the
 * base's own tests too; where the user allowed to edit them, with the base's scripts and settings at least. And
 * nothing may have ended it before all of them ran.
 */
export function judge(outcome: GateOutcome): Move {
  if (!outcome.changed) return { to: 'failed', reason: 'no_changes' };
  if (!outcome.setupOk) return { to: 'failed', reason: 'setup_failed' };
  const { tests, kept = null, redFirst = null } = outcome;
  if (tests === null) return { to: 'succeeded', reason: null };
  if (tests.ended === 'timeout') return { to: 'failed', reason: 'test_timeout' };
  if (!passes(tests)) return { to: 'failed', reason: 'gate_failed' };
  const decides = outcome.allowTestEdits === true ? (outcome.beyondEdits ?? null) : kept;
  if (decides !== null && !passes(decides)) {
    return { to: 'failed', reason: decides.ended === 'timeout' ? 'test_timeout' : 'tampered' };
  }
  if (outcome.silenced === true) return { to: 'failed', reason: 'tampered' };
  if (redFirst !== null && redFirst !== 'failed') return { to: 'failed', reason: 'gate_failed' };
  return { to: 'succeeded', reason: null };
}

/** What was done, in words: the kinds of it, the one that tells most first, with the first path of each. */
export function trickWords(changes: readonly TestChange[], most = 3): string {
  const kinds = TEST_CHANGE_KINDS.flatMap((kind) => changes.find((change) => change.kind === kind) ?? []);
  return kinds
    .slice(0, most)
    .map(({ kind, path }) => `${testChangeWords(kind)} (${path})`)
    .join(', ');
}

/** Why the gate does not believe in a success that was never a failure. */
export function redFirstWords(verdict: RedFirstVerdict): string {
  return {
    failed: 'the tests failed before the work was done',
    passed: "the work's own tests pass on the base too: they show nothing of the bug",
    no_tests: 'the test command passes on the base, and the work brings no test that fails there',
    not_run: "the work's own tests could not be run to their end on the base: they show nothing of the bug",
  }[verdict];
}
