import { existsSync } from 'node:fs';
import type { EngineHost } from '../engine/engine.ts';
import type { Stop } from '../job/limits.ts';
import { keepWork } from './grade.ts';
import type { Prepared } from './prepare.ts';
import type { RunningJob } from './running-job.ts';
import type { Team } from './work.ts';

/**
 * May this model call be made? One answer for the worker, its sub-agents and the grader: they spend from one
 * account. Before a person is asked for money, the work is taken in.
 */
export function allowance(
  job: RunningJob,
  prepared: Prepared,
  { money }: Pick<Team, 'money'>,
): EngineHost['mayCall'] {
  return (call) => workspaceLost(job) ?? money.mayCall(call, () => keepWork(job, prepared));
}

/** Where there is no workspace any more nothing can be done in it, and every further call would be for nothing. */
export function workspaceLost({ places }: Pick<RunningJob, 'places'>): Stop | null {
  if (existsSync(places.work)) return null;
  return { kind: 'failed', reason: 'workspace_lost', detail: `there is no folder at ${places.work}` };
}
