import { reasonWords } from '../job/summary.ts';
import { briefOf, failedTwice } from '../job/unchanged-retry.ts';
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
  const { test, setup, limits, place } = plan;
  const { name: model, engine } = plan.model;
  const brief = briefOf({ model, engine, base: place.base, limits, gate: { test, setup } }, plan.task);
  const store = openStore(place.home, { create: false });
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
    remedy: 'change the brief, the model, the engine, its tools or a limit; or, on the user’s word: --anyway',
    exit: EXIT.refused,
  });
}
