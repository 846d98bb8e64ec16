import { existsSync } from 'node:fs';
import type { EngineHost, PlannedCall } from '../engine/engine.ts';
import { limitReached, type Stop } from '../job/limits.ts';
import type { RunningJob } from './running-job.ts';
import type { Team } from './work.ts';

/**
 * May this model call be made? One answer for the worker, its sub-agents and the grader: they spend from one
 * account. The grader takes no steps: a worker that is done with its last one is still judged.
 */
export function allowance(job: RunningJob, { activity }: Pick<Team, 'activity'>): EngineHost['mayCall'] {
  return ({ role }: Pick<PlannedCall, 'role'>) => {
    const { limits } = job.writer.record;
    const bounds = role === 'grader' ? { ...limits, maxSteps: Number.POSITIVE_INFINITY } : limits;
    return job.stop.reason ?? workspaceLost(job) ?? limitReached(bounds, activity.spend, activity.steps);
  };
}

/** Where there is no workspace any more nothing can be done in it, and every further call would be for nothing. */
export function workspaceLost({ places }: Pick<RunningJob, 'places'>): Stop | null {
  if (existsSync(places.work)) return null;
  return { kind: 'failed', reason: 'workspace_lost', detail: `there is no folder at ${places.work}` };
}
