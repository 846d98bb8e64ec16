import type { Task } from '../job/task.ts';
import { resolveBase, uncommitted } from '../workspace/repository.ts';
import { refuseForeign } from './conversation-access.ts';
import { createAndLaunch } from './create-job.ts';
import { type Conversation, findConversation, refuseUnderWay, taskOf } from './find-conversation.ts';
import { firstSend } from './first-send.ts';
import { inheritTerms, type ModelFlags } from './inherit-terms.ts';
import type { JobPlan, Turn } from './job-plan.ts';
import { atMost, parseVerb, seconds, usage } from './parse.ts';
import { unseenNotice } from './plan-terms.ts';
import { placeLike, repositoryOf, transcriptOf } from './plan-turn.ts';
import { refuseRecursion } from './recursion.ts';
import { reportAsk } from './report-ask.ts';
import { reportTask } from './report-task.ts';
import { limitsOfWork } from './resume-chain.ts';
import { refuseThirdTry } from './third-try.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate retry ID [--model PROVIDER:MODEL] [--profile NAME]

A new job from the same brief, on today's HEAD. A follow-up is tried again from
the turn it went on from. What has failed twice for the same reason is refused,
unless brief, model, engine, tools, base or a limit is another.

  --model, --profile   another model
  --anyway             once more, though it has failed twice
  --no-preflight-wait
  --wait S             as in start`,

  async run(context) {
    refuseRecursion(context.env);
    const { values, positionals } = parseVerb(context.args, {
      model: { type: 'string' },
      profile: { type: 'string' },
      anyway: { type: 'boolean' },
      'no-preflight-wait': { type: 'boolean' },
      wait: { type: 'string' },
    });
    atMost(positionals, 1);
    const [typed] = positionals;
    if (typed === undefined) throw usage('which job?', '', 'cc-delegate retry ID');
    const wait = seconds('wait', values.wait);
    const conversation = await findConversation(context, typed);
    refuseForeign(context, 'retry', conversation);
    refuseUnderWay(conversation);
    const planned = await planRetry(context, conversation, {
      model: values.model,
      profile: values.profile,
    });
    const { job, notSeen } = planned;
    if (job.task.ask === null && values.anyway !== true) refuseThirdTry(job);
    const notices = [...planned.notices, ...(await firstSend(context, 'retry', job))];
    const found = await createAndLaunch(context, job);
    if (job.task.ask !== null) return reportAsk(context, found, notices, wait);
    const preflightWait = values['no-preflight-wait'] !== true;
    return reportTask(context, found, { model: job.model, notSeen, notices }, { preflightWait, wait });
  },
};

async function planRetry(context: VerbContext, conversation: Conversation, flags: ModelFlags) {
  const { store, named } = conversation;
  const task = taskOf(store, named);
  const repository = await repositoryOf(named, task);
  const projectRoot = repository?.checkout ?? null;
  const limits = limitsOfWork({ ...conversation, newest: named });
  const wanted = { verb: 'retry', limits, projectRoot, flags } as const;
  const terms = await inheritTerms(context, named, task, wanted);
  // The files a follow-up goes on from are on their own base.
  const rev = task.goesOn === null || task.ask !== null ? undefined : named.base;
  const base = repository === null ? '' : await resolveBase(repository, rev);
  const sees = repository !== null && task.ask === null && task.goesOn === null;
  const notSeen = sees ? await uncommitted(repository) : { changed: [], untracked: [] };
  const { settings, notices, kept, ...rest } = terms;
  const job: JobPlan = {
    ...rest,
    title: named.title,
    task: {
      ...task,
      ...kept,
      passCaps: false,
      notSeen: { changed: notSeen.changed.length, untracked: notSeen.untracked.length },
    },
    place: placeLike(store, named, repository, base),
    turn: turnOf(conversation, task),
    boundary: named.boundary,
    concurrency: settings.concurrency,
    after: null,
    test: named.gate.test,
    setup: named.gate.setup,
  };
  return { job, notSeen, notices: [...notices, ...unseenNotice(notSeen)] };
}

/** A first turn begins a conversation of its own; a later one goes on from where it did before. */
function turnOf({ store, id, newest }: Conversation, { goesOn }: Task): Turn | null {
  if (goesOn === null) return null;
  const transcript = transcriptOf(store, { ...newest, id: goesOn.job });
  return { conversationId: id, number: newest.turn + 1, parent: goesOn.job, newest: newest.id, transcript };
}
