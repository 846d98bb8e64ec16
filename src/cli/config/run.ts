import { EXIT } from '../../job/user-error.ts';
import { modelText } from '../../provider/allowed-models.ts';
import { defaultProfile } from '../../provider/choose-model.ts';
import { configPath, configSet, configUnset, editConfig } from '../../provider/config-file.ts';
import { parseReference } from '../../provider/reference.ts';
import { removeKey } from '../../provider/yaml-text.ts';
import type { CommandContext, Output } from '../command.ts';
import { atMost, parseVerb, usage } from '../parse.ts';
import { allowRulesVerb } from './allow-rules.ts';
import { importVerb } from './import.ts';
import { keyVerb } from './key-verbs.ts';
import { profileVerb } from './profile-verbs.ts';
import { showConfig } from './show.ts';

export const CONFIG_HELP = `config show                     every setting, its value and where it comes from
  config path                     where the file is
  config set KEY VALUE            e.g. budget.perJob 3
  config unset KEY
  config mode off|ondemand|auto   may the supervisor delegate
  config allow MODEL…|all         the only models that may be used
  config profile set NAME --provider P --model M [--base-url URL] [--api A]
      [--key-env VAR] [--fallback P:M]… [--header NAME=VALUE]…
      [--price-input X --price-output Y] [--price-cache-read X]
      [--price-cache-write X] [--small-model M] [--grader-model M]
      [--engine native|claude] [--permission-mode MODE]
      [--context-window N] [--max-output N]
      [--data-collection allow|deny] [--zdr]   what OpenRouter may pass on
  config profile remove|default|show NAME
  config profile list
  config key set NAME             asks for the key, or reads it from stdin
  config key remove NAME          NAME is a profile, or a provider
  config allow-rules [show|add|remove]
                                  reading verbs Claude Code need not ask about
  config import [DIR] [--force] [--dry-run]
                                  settings and keys of the older product

Reading is for everyone; writing is for the user, in a terminal.`;

/** The verb `config`. Throws UserError: exit 2 for bad arguments and values, 5 for a program that writes, 6 for files. */
export async function run(context: CommandContext): Promise<Output> {
  const { words, options } = split(context.args);
  const [verb, ...rest] = words;
  const args = [...rest, ...options];
  switch (verb) {
    case 'show':
      atMost(parseVerb(args, {}).positionals, 0);
      return showConfig(context);
    case 'path':
      atMost(parseVerb(args, {}).positionals, 0);
      return { json: { path: configPath(context.env) }, text: configPath(context.env), exit: EXIT.done };
    case 'set':
      return setOne(context, args);
    case 'unset':
      return unsetOne(context, args);
    case 'mode':
      return setMode(context, args);
    case 'allow':
      return allow(context, args);
    case 'allow-rules':
      return allowRulesVerb(context, args);
    case 'import':
      return importVerb(context, args);
    case 'profile':
      return profileVerb(context, args);
    case 'key':
      return keyVerb(context, args);
    default:
      throw usage(
        'config takes a verb',
        verb ?? '',
        'one of: show, path, set, unset, mode, allow, profile, key, allow-rules, import (see config --help)',
      );
  }
}

/** `config --json show` and `config show --json` are the same: the verbs come first. */
function split(args: readonly string[]): { words: readonly string[]; options: readonly string[] } {
  const first = args.findIndex((arg) => arg !== '--json' && arg !== '-h' && arg !== '--help');
  if (first <= 0) return { words: args, options: [] };
  return { words: args.slice(first), options: args.slice(0, first) };
}

async function setOne(context: CommandContext, args: readonly string[]): Promise<Output> {
  // No option of ours is a number: what looks like one is the value.
  const isNegative = (arg: string) => /^-[\d.]/.test(arg);
  const others = args.filter((arg) => !isNegative(arg));
  const positionals = [...parseVerb(others, {}).positionals, ...args.filter(isNegative)];
  atMost(positionals, 2);
  const [key, value] = positionals;
  if (key === undefined || value === undefined)
    throw usage('config set takes a key and a value', '', 'e.g. config set budget.perJob 3');
  await configSet(context.env, key, value);
  return { json: { set: key }, text: `${key} is set`, exit: EXIT.done };
}

async function unsetOne(context: CommandContext, args: readonly string[]): Promise<Output> {
  const { positionals } = parseVerb(args, {});
  atMost(positionals, 1);
  const [key] = positionals;
  if (key === undefined || key === '')
    throw usage('config unset takes a key', '', 'e.g. config unset budget.perJob');
  await configUnset(context.env, key);
  return { json: { unset: key }, text: `${key} is not set any more`, exit: EXIT.done };
}

async function setMode(context: CommandContext, args: readonly string[]): Promise<Output> {
  const { positionals } = parseVerb(args, {});
  atMost(positionals, 1);
  const [mode] = positionals;
  if (mode === undefined) throw usage('config mode takes a mode', '', 'one of: off, ondemand, auto');
  await configSet(context.env, 'mode', mode);
  return { json: { mode }, text: `mode is ${mode}`, exit: EXIT.done };
}

async function allow(context: CommandContext, args: readonly string[]): Promise<Output> {
  const { positionals: models } = parseVerb(args, {});
  if (models.length === 0)
    throw usage('config allow takes models', '', 'e.g. config allow openrouter:qwen/qwen3-coder, or: all');
  let allowed: 'all' | readonly string[] = 'all';
  await editConfig(context.env, (document, before) => {
    const config = before();
    if (models.length === 1 && models[0] === 'all') return removeKey(document, ['allowedModels']);
    const profiles = config.profiles ?? {};
    const name = defaultProfile({ profiles, defaultProfile: config.defaultProfile ?? null });
    const own = name === null ? null : (profiles[name]?.provider ?? null);
    allowed = [...new Set(models.map((model) => modelText(parseReference(model, { own, profiles }))))];
    document.set('allowedModels', document.createNode(allowed));
  });
  const text = allowed === 'all' ? 'every model is allowed' : `allowed: ${[...allowed].join(', ')}`;
  return { json: { allowedModels: allowed }, text, exit: EXIT.done };
}
