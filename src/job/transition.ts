import {
  FAILED_REASONS,
  isTerminal,
  JOB_STATES,
  type JobState,
  type Reason,
  type TIMEOUT_REASONS,
} from './states.ts';

/** What a job is for: a task changes files and is graded, an ask answers and is not. */
export type JobKind = 'task' | 'ask';

interface Rule {
  /** The reasons that may go with it; null stands for "no reason". */
  readonly reasons: readonly (Reason | null)[];
  readonly kinds: readonly JobKind[];
}

const BOTH = ['task', 'ask'] as const;
const step: Rule = { reasons: [null], kinds: BOTH };
const graded: Rule = { reasons: [null], kinds: ['task'] };
const failed: Rule = { reasons: FAILED_REASONS, kinds: BOTH };
const timeout = (...reasons: (typeof TIMEOUT_REASONS)[number][]): Rule => ({ reasons, kinds: BOTH });

/**
 * The one transition table. A row is where a job is, a column where it may go; what is not named is
 * forbidden, so a terminal row is empty. Adding a state without a row does not compile.
 */
export const TRANSITIONS = {
  queued: {
    preparing: step,
    failed: { reasons: ['dependency_failed', 'launch_failed', 'runner_lost'], kinds: BOTH },
    timeout: timeout('queue'),
    cancelled: step,
  },
  preparing: { running: step, failed, timeout: timeout('wall', 'stall'), cancelled: step },
  running: {
    needs_input: step,
    grading: graded,
    succeeded: { reasons: [null], kinds: ['ask'] },
    failed,
    timeout: timeout('wall', 'stall'),
    cancelled: step,
  },
  needs_input: { running: step, grading: graded, failed, timeout: timeout('wall'), cancelled: step },
  grading: {
    running: step,
    needs_input: step,
    succeeded: graded,
    failed,
    timeout: timeout('wall', 'stall'),
    cancelled: step,
  },
  succeeded: {},
  failed: {},
  timeout: {},
  cancelled: {},
} as const satisfies Record<JobState, Partial<Record<JobState, Rule>>>;

/** Where a job goes next, and, when it ends badly, why. */
export interface Move {
  readonly to: JobState;
  readonly reason: Reason | null;
}

export type MoveCheck = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** May a job of this kind go from `from` by this move? Total: every pair of states has an answer. */
export function checkMove(kind: JobKind, from: JobState, move: Move): MoveCheck {
  const row: Partial<Record<JobState, Rule>> = TRANSITIONS[from];
  const rule = row[move.to];
  if (!rule?.kinds.includes(kind)) {
    const why = isTerminal(from) ? `${from} is final` : `no way from ${from} to ${move.to} for ${kind}`;
    return { ok: false, why };
  }
  if (!rule.reasons.includes(move.reason)) {
    return { ok: false, why: `${from} to ${move.to} does not take the reason ${move.reason ?? 'none'}` };
  }
  return { ok: true };
}

/** The table as markdown, for `docs/state-machine.md`. */
export function transitionTable(): string {
  const header = `| from \\ to | ${JOB_STATES.join(' | ')} |`;
  const rule = `|---${'|---'.repeat(JOB_STATES.length)}|`;
  const rows = JOB_STATES.map(
    (from) => `| **${from}** | ${JOB_STATES.map((to) => cell(from, to)).join(' | ')} |`,
  );
  return [header, rule, ...rows].join('\n');
}

function cell(from: JobState, to: JobState): string {
  const row: Partial<Record<JobState, Rule>> = TRANSITIONS[from];
  const rule = row[to];
  if (!rule) return '';
  const only = rule.kinds.length === 1 ? ` (${rule.kinds[0]} only)` : '';
  if (rule.reasons === FAILED_REASONS) return `any reason${only}`;
  const reasons = rule.reasons.filter((reason) => reason !== null);
  return reasons.length > 0 ? `${reasons.join(', ')}${only}` : `yes${only}`;
}
