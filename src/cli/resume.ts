import { countsTokens } from '../job/budget.ts';
import { budgetLeft, isResumable } from '../job/conversation.ts';
import { totalTokens } from '../job/cost.ts';
import { exactMoney } from '../job/format.ts';
import { shortId } from '../job/ids.ts';
import type { Limits } from '../job/limits.ts';
import type { JobRecord } from '../job/record.ts';
import { reasonWords } from '../job/summary.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { effectiveConfig } from '../provider/effective-config.ts';
import { refuseForeign } from './conversation-access.ts';
import { type Conversation, findConversation, refuseUnderWay } from './find-conversation.ts';
import { launchTurn } from './launch-turn.ts';
import { isBoundModel, mayRaise } from './model-caller.ts';
import { atMost, number, parseVerb, seconds, usage } from './parse.ts';
import { planTurn } from './plan-turn.ts';
import { refuseRecursion } from './recursion.ts';
import { resumeChain } from './resume-chain.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate resume ID [--raise-budget USD] [--raise-timeout T]

Goes on with a job whose runner died, or that a limit or its endpoint stopped:
the same conversation and files, as a new turn of it. Time and steps begin anew;
the budget does not: what was spent counts.

  --raise-budget USD   what it may spend in all, what it has spent included
  --raise-timeout T    seconds or 30m
  --no-preflight-wait
  --wait S             as in start`,

  async run(context) {
    refuseRecursion(context.env);
    const { values, positionals } = parseVerb(context.args, {
      'raise-budget': { type: 'string' },
      'raise-timeout': { type: 'string' },
      'no-preflight-wait': { type: 'boolean' },
      wait: { type: 'string' },
    });
    atMost(positionals, 1);
    const [typed] = positionals;
    if (typed === undefined) throw usage('which job?', '', 'cc-delegate resume ID');
    const raised = {
      budgetUsd: number('raise-budget', values['raise-budget'], { least: 0, whole: false }),
      timeout: seconds('raise-timeout', values['raise-timeout']),
    };
    const wait = seconds('wait', values.wait);
    const conversation = await findConversation(context, typed);
    refuseForeign(context, 'resume', conversation);
    refuseUnderWay(conversation);
    refuseUnlessStopped(conversation);
    refuseLongerThanSet(context, raised.timeout);
    const limits = {
      ...limitsOfNext(conversation, raised),
      maxTokens: tokensOfNext(conversation, isBoundModel(context)),
    };
    const { title } = conversation.newest;
    // A budget the person names is the last word on the caps of day and repository too.
    const { budgetUsd } = raised;
    const passCaps = budgetUsd !== undefined && mayRaise(context, '--raise-budget', budgetUsd);
    const wish = {
      how: 'resume',
      prompt: null,
      title,
      limits,
      allowTools: [],
      denyTools: [],
      passCaps,
    } as const;
    const plan = await planTurn(context, conversation, wish);
    return launchTurn(context, plan, { preflightWait: values['no-preflight-wait'] !== true, wait });
  },
};

/** Only the newest turn can go on, and only if it did not come to an end of its own. */
function refuseUnlessStopped({ named, newest }: Conversation): void {
  const id = shortId(newest.id);
  if (named.id !== newest.id) {
    throw wrongState('a later turn has gone on from this job', named, `cc-delegate followup ${id} "…"`);
  }
  if (isResumable(newest)) return;
  const how = newest.reason === null ? newest.state : reasonWords(newest.reason);
  throw wrongState(
    `this job was not interrupted: ${how}`,
    newest,
    `cc-delegate followup ${id} "…", or: cc-delegate retry ${id}`,
  );
}

/** The same limits, with the budget that is left of it. */
function limitsOfNext(
  conversation: Conversation,
  raised: { readonly budgetUsd: number | undefined; readonly timeout: number | undefined },
): Limits {
  const { newest } = conversation;
  const left =
    raised.budgetUsd === undefined
      ? budgetLeft(newest.limits.budgetUsd, [newest.costUsd])
      : budgetLeft(
          raised.budgetUsd,
          resumeChain(conversation).map(({ costUsd }) => costUsd),
        );
  if (left === 0 && newest.costUsd !== null) {
    const spent = resumeChain(conversation).reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
    const remedy = `cc-delegate resume ${shortId(newest.id)} --raise-budget USD (in all, with the ${exactMoney(spent)} it has spent)`;
    throw wrongState('its budget is used up', newest, remedy);
  }
  return { ...newest.limits, budgetUsd: left, timeout: raised.timeout ?? newest.limits.timeout };
}

/** Where money does not bound it, the tokens that are left; a person lets it begin anew, a model may not. */
function tokensOfNext(conversation: Conversation, isBound: boolean): number {
  const { newest } = conversation;
  const { costUsd: usd, costBasis: basis, usage, limits } = newest;
  if (!countsTokens({ usd, basis })) return limits.maxTokens;
  const left = Math.max(0, limits.maxTokens - totalTokens(usage));
  if (left > 0) return left;
  if (!isBound) return resumeChain(conversation)[0].limits.maxTokens;
  const remedy = `the user may type in a terminal: cc-delegate resume ${shortId(newest.id)}`;
  throw wrongState('its tokens are used up', newest, remedy);
}

function refuseLongerThanSet(context: VerbContext, timeout: number | undefined): void {
  if (timeout === undefined || !isBoundModel(context)) return;
  const { settings } = effectiveConfig({ env: context.env, projectRoot: null });
  if (timeout <= settings.limits.timeout) return;
  throw new UserError({
    code: 'needs_the_user',
    what: 'only the user may go beyond their settings',
    value: `--raise-timeout ${timeout}`,
    remedy: 'leave --raise-timeout out, or ask the user to run this in a terminal',
    exit: EXIT.refused,
  });
}

function wrongState(what: string, record: JobRecord, remedy: string): UserError {
  return new UserError({ code: 'wrong_state', what, value: record.id, remedy, exit: EXIT.wrongState });
}
