import type { Output } from './command.ts';
import { createAndLaunch } from './create-job.ts';
import { firstSend } from './first-send.ts';
import type { TurnPlan } from './plan-turn.ts';
import { reportAsk } from './report-ask.ts';
import { type Patience, reportTask } from './report-task.ts';
import type { VerbContext } from './verb.ts';

const ALL_SEEN = { changed: [], untracked: [] };

/** Makes the job of a turn, and answers as the verb that began its conversation does. */
export async function launchTurn(context: VerbContext, plan: TurnPlan, patience: Patience): Promise<Output> {
  const { job } = plan;
  const verb = job.task.goesOn?.how ?? 'followup';
  const notices = [...plan.notices, ...(await firstSend(context, verb, job))];
  const found = await createAndLaunch(context, job);
  if (job.task.ask !== null) return reportAsk(context, found, notices, patience.wait);
  return reportTask(context, found, { model: job.model, notSeen: ALL_SEEN, notices }, patience);
}
