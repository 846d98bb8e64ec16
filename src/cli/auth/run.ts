import { EXIT } from '../../job/user-error.ts';
import { removeLogins } from '../../provider/login/saved-logins.ts';
import type { CommandContext, Output } from '../command.ts';
import { atMost, parseVerb, usage } from '../parse.ts';
import { renderStatus } from '../render/auth.ts';
import { type LoginTools, login, poll } from './login.ts';
import { readStatus } from './status.ts';

export const AUTH_HELP = `auth status [--check]            what each profile has: a key, a login, nothing
  auth login PROFILE [--no-wait]   log in to GitHub Copilot or ChatGPT
  auth poll FLOW                   one look at a login begun with --no-wait
  auth logout [PROFILE]            forget a login, or all of them

PROFILE is a profile whose provider is copilot or chatgpt, or one of these two.
status asks the service whether a login is still good, which costs nothing.
--check has the keys tried as well, with a request that is free of charge.
Tokens are kept in credentials.json, for you alone, and are shown nowhere.

Reading is for everyone; the rest is for the user, in a terminal.`;

/** The verb `auth`. Throws UserError: exit 2 for bad arguments, 5 for a provider that forbids it, 6 for files and services. */
export async function run(context: CommandContext, tools: LoginTools = {}): Promise<Output> {
  const first = context.args.findIndex((arg) => !arg.startsWith('-'));
  const word = first === -1 ? undefined : context.args[first];
  const args = context.args.filter((_arg, at) => at !== first);
  switch (word) {
    case 'status':
      return status(context, args);
    case 'login':
      return login(context, args, tools);
    case 'poll':
      return poll(context, args, tools);
    case 'logout':
      return logout(context, args);
    default:
      throw usage('auth takes a verb', word ?? '', 'one of: status, login, poll, logout (see auth --help)');
  }
}

async function status(context: CommandContext, args: readonly string[]): Promise<Output> {
  const { values, positionals } = parseVerb(args, { check: { type: 'boolean' } });
  atMost(positionals, 0);
  const checked = values.check === true;
  const accesses = await readStatus(context, checked);
  return { json: { accesses, checked }, text: renderStatus(accesses, checked), exit: EXIT.done };
}

async function logout(context: CommandContext, args: readonly string[]): Promise<Output> {
  const { positionals } = parseVerb(args, {});
  atMost(positionals, 1);
  const owner = positionals[0] ?? null;
  const removed = await removeLogins(context.env, owner, (line) => context.stderr(`cc-delegate: ${line}`));
  const none = owner === null ? 'no login is saved' : `no login is saved for ${owner}`;
  const done = [
    `logged out: ${removed.join(', ')}`,
    "The service's own page of authorized programs may list cc-delegate still.",
  ];
  return { json: { removed }, text: removed.length === 0 ? none : done.join('\n'), exit: EXIT.done };
}
