import { shortId } from '../job/ids.ts';
import type { Limits } from '../job/limits.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { refuseForeign } from './conversation-access.ts';
import { type Conversation, findConversation, refuseUnderWay } from './find-conversation.ts';
import { firstLine } from './job-plan.ts';
import { launchTurn } from './launch-turn.ts';
import { isBoundModel, mayRaise } from './model-caller.ts';
import { number, parseVerb, seconds, usage } from './parse.ts';
import { definedValues } from './plan-terms.ts';
import { planTurn } from './plan-turn.ts';
import { refuseRecursion } from './recursion.ts';
import { limitsOfWork } from './resume-chain.ts';
import { readText } from './text-input.ts';
import type { Verb, VerbContext } from './verb.ts';
import { toolRules } from './worker-options.ts';

export const verb: Verb = {
  help: `cc-delegate followup ID|CONVERSATION "TEXT" | --text-file F | -

The next turn of a conversation, as a new job: another question, or changes to a
task's result. It keeps model, limits, network, tools and mode of the turn
before; a task goes on from the files that turn left, and its patch holds all
turns. The conversation so far is sent again, and costs input tokens.

  --budget USD      lower than before; only you may say more
  --max-steps N     the same; also --max-turns
  --timeout T       the same: seconds or 30m
  --allow-tool RULE from now on only this of what it was allowed (repeatable)
  --deny-tool RULE  from now on not this, e.g. Bash (repeatable)
  --no-preflight-wait
  --wait S          as in start, for a task; as in ask, for an ask

Refused while a turn runs: steer tells that one more.`,

  async run(context) {
    refuseRecursion(context.env);
    const { values, positionals } = parseVerb(context.args, OPTIONS);
    const [typed, ...words] = positionals;
    if (typed === undefined) throw usage('which conversation?', '', 'cc-delegate followup ID "…"');
    const file = values['text-file'] ?? values['prompt-file'];
    const prompt = await readText(context, { name: 'text', words, file, fileOption: 'text-file' });
    const narrower = {
      budgetUsd: number('budget', values.budget, { least: 0, whole: false }),
      maxSteps: number('max-steps', values['max-steps'] ?? values['max-turns'], { least: 0, whole: true }),
      timeout: seconds('timeout', values.timeout),
    };
    const wait = seconds('wait', values.wait);
    const allowTools = toolRules('--allow-tool', values['allow-tool']);
    const denyTools = toolRules('--deny-tool', values['deny-tool']);
    const conversation = await findConversation(context, typed);
    refuseForeign(context, 'followup', conversation);
    refuseUnderWay(conversation);
    const limits = limitsOfNext(context, conversation, narrower);
    const title = firstLine(prompt);
    const tools = { allowTools, denyTools };
    const plan = await planTurn(context, conversation, { how: 'followup', prompt, title, limits, ...tools });
    const notices = [...plan.notices, ...notTheNewest(conversation)];
    const preflightWait = values['no-preflight-wait'] !== true;
    return launchTurn(context, { ...plan, notices }, { preflightWait, wait });
  },
};

const text = { type: 'string' } as const;

const OPTIONS = {
  'text-file': text,
  'prompt-file': text,
  budget: text,
  'max-steps': text,
  'max-turns': text,
  timeout: text,
  'allow-tool': { type: 'string', multiple: true },
  'deny-tool': { type: 'string', multiple: true },
  'no-preflight-wait': { type: 'boolean' },
  wait: text,
} as const;

type Narrower = Partial<Record<'budgetUsd' | 'maxSteps' | 'timeout', number | undefined>>;

/** The limits of the turn before, as narrowed. A model may widen them only with the person's consent; a person may. */
function limitsOfNext(context: VerbContext, conversation: Conversation, wanted: Narrower): Limits {
  const before = limitsOfWork(conversation);
  for (const [flag, key] of FLAGS) {
    const value = wanted[key];
    const mayGoBeyond = flag === '--budget' ? mayRaise(context, flag, value ?? 0) : !isBoundModel(context);
    if (value !== undefined && value > before[key] && !mayGoBeyond) {
      throw new UserError({
        code: 'needs_the_user',
        what: 'only the user may give a follow-up more than the turn before had',
        value: `${flag} ${value} (before: ${before[key]})`,
        remedy: `leave ${flag} out, or ask the user to run this in a terminal`,
        exit: EXIT.refused,
      });
    }
  }
  return { ...before, ...definedValues(wanted) };
}

const FLAGS = [
  ['--budget', 'budgetUsd'],
  ['--max-steps', 'maxSteps'],
  ['--timeout', 'timeout'],
] as const;

function notTheNewest({ named, newest }: Conversation): string[] {
  if (named.id === newest.id) return [];
  return [`it goes on from turn ${newest.turn} (${shortId(newest.id)}), the newest of this conversation`];
}
