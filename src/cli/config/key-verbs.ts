import { EXIT } from '../../job/user-error.ts';
import { hostOf } from '../../provider/base-url.ts';
import { readConfig } from '../../provider/config-file.ts';
import { type KeyOwner, maskKey, readCredentials, removeKey, setKey } from '../../provider/credentials.ts';
import { endpointOf } from '../../provider/endpoint.ts';
import { savedKey } from '../../provider/find-key.ts';
import { loginCommand } from '../../provider/login/headers.ts';
import { loginKindOf } from '../../provider/login/saved-logins.ts';
import { modelOf } from '../../provider/profile.ts';
import { findProvider } from '../../provider/providers.ts';
import { ownProfile } from '../../provider/reference.ts';
import type { CommandContext, Output } from '../command.ts';
import { parseVerb, usage } from '../parse.ts';
import { readKey } from './read-key.ts';

/** `config key set|remove PROFILE`; a provider's name serves all of its profiles. */
export async function keyVerb(context: CommandContext, args: readonly string[]): Promise<Output> {
  const [verb, ...rest] = args;
  if (verb !== 'set' && verb !== 'remove') {
    throw usage('config key takes a verb', '', 'one of: set, remove');
  }
  const { positionals } = parseVerb(rest, {});
  const [name, extra] = positionals;
  if (name === undefined) throw usage('whose key', '', 'name a profile, or a provider');
  if (extra !== undefined) {
    // It may be the key: not repeated.
    throw usage(
      'a key is never an argument, where other programs can see it',
      '',
      `type: cc-delegate config key ${verb} ${name}, and give the key when asked, or on stdin`,
    );
  }
  return verb === 'set' ? set(context, name) : remove(context, name);
}

async function set(context: CommandContext, name: string): Promise<Output> {
  const target = keyTarget(context.env, name);
  const key = await readKey(context, name);
  const { owner, provider, host } = target;
  await setKey(context.env, owner, { key, provider, host }, warner(context));
  const text = `key ${maskKey(key)} saved for ${owner.kind} ${name} (${host})`;
  return { json: { owner: owner.kind, name, provider, host, masked: maskKey(key) }, text, exit: EXIT.done };
}

/** Who the name means, and where the key will be sent to. Asked before the key is read. */
function keyTarget(
  env: NodeJS.ProcessEnv,
  name: string,
): { readonly owner: KeyOwner; readonly provider: string; readonly host: string } {
  const profiles = readConfig(env).profiles ?? {};
  const profile = ownProfile(profiles, name);
  if (loginKindOf(profile?.provider ?? name) !== null) throw takesLogin(name);
  if (profile !== undefined) {
    const endpoint = endpointOf(
      { provider: profile.provider, model: modelOf(profile), profile: name },
      profile,
    );
    return { owner: { kind: 'profile', name }, provider: profile.provider, host: hostOf(endpoint.baseUrl) };
  }
  const known = findProvider(name);
  const baseUrl = known?.endpoints[0]?.baseUrl ?? null;
  if (baseUrl !== null) return { owner: { kind: 'provider', name }, provider: name, host: hostOf(baseUrl) };
  if (known !== undefined) throw hasNoHost(name, known.keyEnv);
  throw nobody(name, Object.keys(profiles));
}

async function remove(context: CommandContext, name: string): Promise<Output> {
  const credentials = readCredentials(context.env, warner(context));
  const owners: KeyOwner[] = [
    { kind: 'profile', name },
    { kind: 'provider', name },
  ];
  const owner = owners.find((each) => savedKey(credentials, each) !== undefined);
  if (owner === undefined) {
    return { json: { name, removed: false }, text: `no key is saved for ${name}`, exit: EXIT.done };
  }
  await removeKey(context.env, owner, warner(context));
  return {
    json: { name, removed: true },
    text: `the key of ${owner.kind} ${name} is removed`,
    exit: EXIT.done,
  };
}

function takesLogin(name: string): Error {
  return usage('this is logged in to, and takes no key', name, `type: ${loginCommand(name)}`);
}

function hasNoHost(name: string, keyEnv: string | null): Error {
  const orVariable = keyEnv === null ? '' : `, or set ${keyEnv}`;
  return usage(
    'this provider has no address of its own, so a key is saved for a profile of it',
    name,
    `make the profile first: cc-delegate config profile set NAME --provider ${name} --model M …, then name it here${orVariable}`,
  );
}

function nobody(name: string, profiles: readonly string[]): Error {
  const known = profiles.length === 0 ? '' : ` (there are: ${profiles.join(', ')})`;
  return usage(
    'there is no profile or provider of this name',
    name,
    `make the profile first: cc-delegate config profile set NAME …${known}`,
  );
}

function warner(context: CommandContext): (line: string) => void {
  return (line) => context.stderr(`cc-delegate: ${line}`);
}
