import { ASK_HELP, askRequest } from './ask-options.ts';
import { createAndLaunch } from './create-job.ts';
import { firstSend } from './first-send.ts';
import { planAsk } from './plan-ask.ts';
import { refuseRecursion } from './recursion.ts';
import { reportAsk } from './report-ask.ts';
import type { Verb } from './verb.ts';

export const verb: Verb = {
  help: ASK_HELP,

  async run(context) {
    refuseRecursion(context.env);
    const request = await askRequest(context);
    const { job, notices: planned } = await planAsk(context, request);
    const notices = [...planned, ...(await firstSend(context, 'ask', job))];
    const found = await createAndLaunch(context, job);
    return reportAsk(context, found, notices, request.wait);
  },
};
