import { reasonWords } from '../job/summary.ts';
import { type Brief, failedTwice } from '../job/unchanged-retry.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { openStore } from '../store/open.ts';
import { runPaths } from '../store/paths.ts';
import { listJobs } from '../store/read-job.ts';
import { readTask } from '../store/task-file.ts';
import type { JobPlan } from './job-plan.ts';

/** How far back it is looked for the same brief. */
const LOOKED_AT = 50;

/**
 * Throws UserError (exit 5) when the same brief has failed twice for the same reason on the same model: what has not
 * changed will cost the same again.
 */
export function refuseThirdTry(plan: JobPlan): void {
  const brief: Brief = {
    prompt: plan.task.prompt,
    done: plan.task.done,
    test: plan.test,
    setup: plan.setup,
    model: plan.model.name,
    base: plan.place.base,
    start: plan.task.goesOn?.start ?? null,
    limits: plan.limits,
    proof: plan.task.proof,
  };
  const store = openStore(plan.place.home, { create: false });
  const earlier = listJobs(store, { limit: LOOKED_AT }).flatMap((job) => {
    if (job.kind !== 'ok' || job.record.model !== brief.model || job.record.base !== brief.base) return [];
    const task = readTask(runPaths(store, job.id).task);
    return task.kind === 'ok' ? [{ record: job.record, task: task.value }] : [];
  });
  const reason = failedTwice(brief, earlier);
  if (reason === null) return;
  throw new UserError({
    code: 'unchanged_retry',
    what: `the same brief has failed twice on this model, for the same reason: ${reasonWords(reason)}`,
    value: brief.model,
    remedy: 'change the brief, the model or a limit; or, on the user’s word: --anyway',
    exit: EXIT.refused,
  });
}
