import type { Document } from 'yaml';
import { EXIT } from '../../job/user-error.ts';
import { requireProfile } from '../../provider/choose-model.ts';
import { editConfig, readConfig } from '../../provider/config-file.ts';
import type { UserConfig } from '../../provider/config-schema.ts';
import { removeKey } from '../../provider/credentials.ts';
import { removeKey as removeYamlKey } from '../../provider/yaml-text.ts';
import type { CommandContext, Output } from '../command.ts';
import { atMost, parseVerb, usage } from '../parse.ts';
import { describeProfiles } from './describe-profiles.ts';
import { profileLines } from './profile-lines.ts';
import { PROFILE_OPTIONS, planProfile } from './profile-options.ts';

/** `config profile set|remove|default|list|show`. */
export async function profileVerb(context: CommandContext, args: readonly string[]): Promise<Output> {
  const [verb, ...rest] = args;
  switch (verb) {
    case 'set':
      return setProfile(context, rest);
    case 'remove':
      return removeProfile(context, rest);
    case 'default':
      return setDefault(context, rest);
    case 'list':
    case 'show':
      return showProfiles(context, rest);
    default:
      throw usage('config profile takes a verb', verb ?? '', 'one of: set, remove, default, list, show');
  }
}

async function setProfile(context: CommandContext, args: readonly string[]): Promise<Output> {
  const { values, positionals } = parseVerb(args, PROFILE_OPTIONS);
  const name = onlyName(positionals);
  let notices: readonly string[] = [];
  await editConfig(context.env, (document, before) => {
    const config = before();
    const plan = planProfile(values, config.profiles?.[name]);
    notices = plan.notices;
    setFields(document, ['profiles', name], config.profiles?.[name] ?? {}, plan.profile);
    const others = Object.keys(config.profiles ?? {}).filter((each) => each !== name);
    if (config.defaultProfile === undefined && others.length === 0) document.set('defaultProfile', name);
  });
  const shown = describeProfiles(context).find((each) => each.name === name);
  const lines = [
    `profile ${name} is set${shown?.isDefault ? ', and is the default' : ''}`,
    ...(await profileLines(context, shown === undefined ? [] : [shown])),
    ...notices,
  ];
  return { json: { profile: shown, notices }, text: lines.join('\n'), exit: EXIT.done };
}

/** Field by field, so that comments beside what did not change stay. */
function setFields(
  document: Document,
  path: readonly string[],
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): void {
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) document.deleteIn([...path, key]);
  }
  for (const [key, value] of Object.entries(after)) {
    if (JSON.stringify(before[key]) !== JSON.stringify(value))
      document.setIn([...path, key], document.createNode(value));
  }
}

async function removeProfile(context: CommandContext, args: readonly string[]): Promise<Output> {
  const name = onlyName(parseVerb(args, {}).positionals);
  let nowDefault: string | null = null;
  await editConfig(context.env, (document, before) => {
    const config = before();
    requireProfile(config.profiles ?? {}, name);
    removeYamlKey(document, ['profiles', name]);
    const left = Object.keys(config.profiles ?? {}).filter((each) => each !== name);
    if (left.length === 0) removeYamlKey(document, ['profiles']);
    if (config.graderProfile === name) removeYamlKey(document, ['graderProfile']);
    nowDefault = nextDefault(config, name, left);
    if (nowDefault === null) removeYamlKey(document, ['defaultProfile']);
    else document.set('defaultProfile', nowDefault);
  });
  const hadKey = await removeKey(context.env, { kind: 'profile', name }, warner(context));
  const lines = [
    `profile ${name} is removed${hadKey ? ', and its saved key with it' : ''}`,
    defaultLine(nowDefault),
  ];
  return {
    json: { removed: name, keyRemoved: hadKey, defaultProfile: nowDefault },
    text: lines.join('\n'),
    exit: EXIT.done,
  };
}

function nextDefault(config: UserConfig, removed: string, left: readonly string[]): string | null {
  if (config.defaultProfile !== undefined && config.defaultProfile !== removed) return config.defaultProfile;
  return left.length === 1 ? (left[0] ?? null) : null;
}

function defaultLine(name: string | null): string {
  return name === null ? 'no profile is the default now' : `the default is ${name}`;
}

async function setDefault(context: CommandContext, args: readonly string[]): Promise<Output> {
  const name = onlyName(parseVerb(args, {}).positionals);
  await editConfig(context.env, (document, before) => {
    requireProfile(before().profiles ?? {}, name);
    document.set('defaultProfile', name);
  });
  return { json: { defaultProfile: name }, text: defaultLine(name), exit: EXIT.done };
}

async function showProfiles(context: CommandContext, args: readonly string[]): Promise<Output> {
  const { positionals } = parseVerb(args, {});
  atMost(positionals, 1);
  const wanted = positionals[0];
  if (wanted !== undefined) requireProfile(readConfig(context.env).profiles ?? {}, wanted);
  const profiles = describeProfiles(context).filter(({ name }) => wanted === undefined || name === wanted);
  const none = 'no profile yet: cc-delegate config profile set NAME --provider P --model M';
  const lines = await profileLines(context, profiles);
  return { json: { profiles }, text: lines.length === 0 ? none : lines.join('\n'), exit: EXIT.done };
}

function onlyName(positionals: readonly string[]): string {
  atMost(positionals, 1);
  const name = positionals[0];
  if (name === undefined) throw usage('which profile', '', 'name it: letters, digits, _ and -');
  return name;
}

function warner(context: CommandContext): (line: string) => void {
  return (line) => context.stderr(`cc-delegate: ${line}`);
}
