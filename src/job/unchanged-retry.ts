import type { Limits } from './limits.ts';
import type { JobRecord } from './record.ts';
import type { Reason } from './states.ts';
import type { ProofRules, Task } from './task.ts';

/** What makes two starts the same: with all of it equal, the third try is for nothing. */
export interface Brief {
  readonly prompt: string;
  readonly done: string | null;
  readonly test: string | null;
  readonly setup: string | null;
  readonly model: string;
  readonly base: string;
  /** The commit whose files it starts with, where that is not the base. */
  readonly start: string | null;
  readonly limits: Limits;
  readonly proof: ProofRules;
  readonly engine: JobRecord['engine'];
  readonly worker: Pick<
    Task,
    'permissionMode' | 'allowTools' | 'denyTools' | 'addDirs' | 'clientPrompt' | 'appendSystemPrompt'
  >;
}

/** What of a brief is not in the task. */
type Terms = Pick<JobRecord, 'model' | 'engine' | 'base' | 'limits'> & {
  readonly gate: Pick<JobRecord['gate'], 'test' | 'setup'>;
};

/** The brief of a job, be it started already or not yet. */
export function briefOf({ model, engine, base, limits, gate }: Terms, task: Task): Brief {
  const { permissionMode, allowTools, denyTools, addDirs, clientPrompt, appendSystemPrompt } = task;
  return {
    prompt: task.prompt,
    done: task.done,
    test: gate.test,
    setup: gate.setup,
    model,
    base,
    start: task.goesOn?.start ?? null,
    limits,
    proof: task.proof,
    engine,
    worker: { permissionMode, allowTools, denyTools, addDirs, clientPrompt, appendSystemPrompt },
  };
}

/** Reasons that speak of the work; the others (an endpoint, a key, a death) may well be over. */
const ITS_OWN: readonly (Reason | null)[] = [
  'gate_failed',
  'rubric_unsatisfied',
  'tampered',
  'no_changes',
  'over_budget',
  'max_steps',
  'context_overflow',
  'loop',
  'empty_responses',
  'setup_failed',
  'test_timeout',
  'wall',
  'stall',
];

const EQUAL_FAILURES = 2;

/**
 * The reason the same brief has failed for twice already; null when it may be tried. `earlier` is newest first. A
 * success in between says that it can be done, and only what came after it counts.
 */
export function failedTwice(
  brief: Brief,
  earlier: readonly { readonly record: JobRecord; readonly task: Task }[],
): Reason | null {
  const counts = new Map<Reason, number>();
  for (const { record, task } of earlier) {
    if (!sameBrief(brief, briefOf(record, task))) continue;
    if (record.state === 'succeeded') return null;
    if (record.reason === null || !ITS_OWN.includes(record.reason)) continue;
    const seen = (counts.get(record.reason) ?? 0) + 1;
    if (seen >= EQUAL_FAILURES) return record.reason;
    counts.set(record.reason, seen);
  }
  return null;
}

function sameBrief(a: Brief, b: Brief): boolean {
  return JSON.stringify(inOneOrder(a)) === JSON.stringify(inOneOrder(b));
}

/** A limit that was read from a file may stand in another order, and so may rules that were typed anew. */
function inOneOrder({ limits, worker, ...rest }: Brief): unknown {
  const sorted = Object.entries(limits).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    rest.prompt,
    rest.done,
    rest.test,
    rest.setup,
    rest.model,
    rest.base,
    rest.start,
    rest.proof,
    sorted,
    rest.engine,
    worker.permissionMode,
    worker.allowTools.toSorted(),
    worker.denyTools.toSorted(),
    worker.addDirs.toSorted(),
    worker.clientPrompt,
    worker.appendSystemPrompt,
  ];
}
