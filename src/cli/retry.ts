import type { JobRecord } from '../job/record.ts';
import type { Task } from '../job/task.ts';
import { type Repository, resolveBase } from '../workspace/repository.ts';
import { baseOfTask, type TaskBase } from './base-of-task.ts';
import { refuseForeign } from './conversation-access.ts';
import { createAndLaunch } from './create-job.ts';
import { type Conversation, findConversation, refuseUnderWay, taskOf } from './find-conversation.ts';
import { firstSend } from './first-send.ts';
import { inheritTerms, type ModelFlags } from './inherit-terms.ts';
import type { JobPlan, Turn } from './job-plan.ts';
import { atMost, parseVerb, seconds, usage } from './parse.ts';
import { placeLike, repositoryOf, transcriptOf } from './plan-turn.ts';
import { refuseRecursion } from './recursion.ts';
import { reportAsk } from './report-ask.ts';
import { reportTask } from './report-task.ts';
import { limitsOfWork } from './resume-chain.ts';
import { refuseThirdTry } from './third-try.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate retry ID [--model PROVIDER:MODEL] [--profile NAME]

A new job from the same brief, on today's HEAD (with today's uncommitted work,
where that was taken along). A follow-up is tried again from the turn it went on
from. What has failed twice for the same reason is refused, unless brief, model,
engine, tools, base or a limit is another.

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
    const { job, notSeen, taken } = planned;
    if (job.task.ask === null && values.anyway !== true) refuseThirdTry(job);
    const notices = [...planned.notices, ...(await firstSend(context, 'retry', job))];
    const found = await createAndLaunch(context, job);
    if (job.task.ask !== null) return reportAsk(context, found, notices, wait);
    const preflightWait = values['no-preflight-wait'] !== true;
    const handed = { model: job.model, notSeen, remedy: 'commit what it needs', taken, notices };
    return reportTask(context, found, handed, { preflightWait, wait });
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
  const from = await baseOfRetry(repository, named, task);
  const { settings, notices, kept, ...rest } = terms;
  const job: JobPlan = {
    ...rest,
    title: named.title,
    task: {
      ...task,
      ...kept,
      passCaps: false,
      notSeen: { changed: from.notSeen.changed.length, untracked: from.notSeen.untracked.length },
      committed: from.committed,
    },
    place: placeLike(store, named, repository, from.base),
    turn: turnOf(conversation, task),
    boundary: named.boundary,
    concurrency: settings.concurrency,
    after: null,
    test: named.gate.test,
    setup: named.gate.setup,
  };
  return { job, notSeen: from.notSeen, taken: from.taken, notices: [...notices, ...from.notices] };
}

/** Today's HEAD; but the files a follow-up goes on from are on their own base, and an ask sees all there is. */
async function baseOfRetry(repository: Repository | null, named: JobRecord, task: Task): Promise<TaskBase> {
  const { committed, includeDirty } = task;
  const nothing = { taken: [], notSeen: { changed: [], untracked: [] }, remedy: null, notices: [] };
  if (repository === null) return { ...nothing, base: '', committed };
  if (task.ask !== null) return { ...nothing, base: await resolveBase(repository), committed };
  if (task.goesOn === null) return baseOfTask(repository, { rev: undefined, includeDirty });
  return { ...nothing, base: await resolveBase(repository, named.base), committed };
}

/** A first turn begins a conversation of its own; a later one goes on from where it did before. */
function turnOf({ store, id, newest }: Conversation, { goesOn }: Task): Turn | null {
  if (goesOn === null) return null;
  const transcript = transcriptOf(store, { ...newest, id: goesOn.job });
  return { conversationId: id, number: newest.turn + 1, parent: goesOn.job, newest: newest.id, transcript };
}
