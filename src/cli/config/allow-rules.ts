import { EXIT } from '../../job/user-error.ts';
import { addRules, removeRules, rulesState } from '../claude-settings/allow-rules.ts';
import type { CommandContext, Output } from '../command.ts';
import { atMost, parseVerb, usage } from '../parse.ts';

/** `config allow-rules [show|add|remove]`: which calls Claude Code need not ask about. */
export async function allowRulesVerb(context: CommandContext, args: readonly string[]): Promise<Output> {
  const { positionals } = parseVerb(args, {});
  atMost(positionals, 1);
  const [what = 'show'] = positionals;
  switch (what) {
    case 'show':
      return show(context);
    case 'add':
      return add(context);
    case 'remove':
      return remove(context);
    default:
      throw usage('config allow-rules takes a verb', what, 'one of: show, add, remove');
  }
}

function show(context: CommandContext): Output {
  const state = rulesState(context.env);
  const lines = state.offered.map((rule) => {
    if (state.ours.includes(rule)) return `  ${rule}  (added by us)`;
    return state.present.includes(rule) ? `  ${rule}  (your own)` : `  ${rule}`;
  });
  const isComplete = state.present.length === state.offered.length;
  const last = isComplete
    ? 'all of them are in your settings; take ours back: cc-delegate config allow-rules remove'
    : 'add what is missing: cc-delegate config allow-rules add';
  const text = [`reading verbs that Claude Code may run unasked (${state.settings}):`, ...lines, last];
  return { json: state, text: text.join('\n'), exit: EXIT.done };
}

async function add(context: CommandContext): Promise<Output> {
  const added = await addRules(context.env);
  const { settings } = rulesState(context.env);
  const text =
    added.length === 0
      ? 'all of the rules are there already'
      : [`added to ${settings}:`, ...added.map((rule) => `  ${rule}`)].join('\n');
  return { json: { settings, added }, text, exit: EXIT.done };
}

async function remove(context: CommandContext): Promise<Output> {
  const { settings } = rulesState(context.env);
  const removed = await removeRules(context.env);
  const text =
    removed.length === 0
      ? 'there are no rules of ours'
      : [`removed from ${settings}:`, ...removed.map((rule) => `  ${rule}`)].join('\n');
  return { json: { settings, removed }, text, exit: EXIT.done };
}
