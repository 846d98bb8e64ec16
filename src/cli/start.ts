import { createAndLaunch } from './create-job.ts';
import { firstSend } from './first-send.ts';
import { jobOfStart } from './job-plan.ts';
import { planStart } from './plan-start.ts';
import { refuseRecursion } from './recursion.ts';
import { reportTask } from './report-task.ts';
import { START_HELP, startRequest } from './start-options.ts';
import { refuseThirdTry } from './third-try.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: START_HELP,

  async run(context) {
    refuseRecursion(context.env);
    const request = await startRequest(context);
    const plan = await planStart(context, request);
    const job = jobOfStart(context.cwd, plan);
    if (!request.anyway) refuseThirdTry(job);
    const notices = [...plan.notices, ...(await firstSend(context, 'start', job))];
    const found = await createAndLaunch(context, job);
    return reportTask(context, found, { ...plan, notices }, request);
  },
};
