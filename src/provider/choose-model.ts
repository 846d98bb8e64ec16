import { EXIT, UserError } from '../job/user-error.ts';
import { modelText } from './allowed-models.ts';
import type { EngineName } from './engine-name.ts';
import { modelOf, type Profile } from './profile.ts';
import { findProvider } from './providers.ts';
import { ownProfile, parseReference, type Reference } from './reference.ts';
import type { Settings } from './settings.ts';

/** What the command line asks for. */
export interface ModelRequest {
  readonly profile?: string | undefined;
  readonly model?: string | undefined;
  readonly smallModel?: string | undefined;
  /** Undefined: the profile's, else native. */
  readonly engine?: EngineName | undefined;
}

export type ModelSettings = Pick<
  Settings,
  'profiles' | 'defaultProfile' | 'graderProfile' | 'allowedModels' | 'permissionMode'
>;

/** The model of a job, through which profile, and who decided. */
export interface ModelChoice extends Reference {
  readonly modelSource: string;
  readonly notices: readonly string[];
}

/**
 * Decides which model a job gets: the flags, else the default profile, else the older environment variables, else
 * the default model of the first provider a key is there for. Pure but for `keyed`, which is asked last. Throws
 * UserError: exit 2 for names that mean nothing, exit 6 when nothing names a model.
 */
export function chooseModel(
  request: ModelRequest,
  settings: ModelSettings,
  legacy: Reference | null,
  keyed: () => readonly Reference[],
): ModelChoice {
  const { profiles } = settings;
  if (request.profile !== undefined) {
    const profile = requireProfile(profiles, request.profile);
    if (request.model !== undefined)
      return flagged(ofProfile(request.profile, profile, request.model, profiles));
    return profileChoice(request.profile, profile, `profile:${request.profile}`);
  }
  const name = defaultProfile(settings);
  if (request.model !== undefined) return flagged(namedModel(request.model, name, profiles));
  if (name !== null) return profileChoice(name, requireProfile(profiles, name), `profile:${name} (default)`);
  const names = Object.keys(profiles);
  if (names.length > 0) throw noDefault(names);
  if (legacy !== null) return { ...legacy, modelSource: 'environment (legacy)', notices: [] };
  const first = keyed()[0];
  if (first === undefined) throw noModel();
  const notice = `no profile is set, so the default model of ${first.provider} is used: ${first.model}`;
  return { ...first, modelSource: `provider:${first.provider} (default)`, notices: [notice] };
}

function flagged(reference: Reference): ModelChoice {
  return { ...reference, modelSource: 'flag', notices: [] };
}

function profileChoice(name: string, profile: Profile, modelSource: string): ModelChoice {
  return { provider: profile.provider, model: modelOf(profile), profile: name, modelSource, notices: [] };
}

/** The only profile there is, is the default even when nobody said so. */
export function defaultProfile(settings: Pick<Settings, 'profiles' | 'defaultProfile'>): string | null {
  if (settings.defaultProfile !== null) return settings.defaultProfile;
  const names = Object.keys(settings.profiles);
  return names.length === 1 ? (names[0] ?? null) : null;
}

/** `--profile` and `--model` together: the model has to be one of that profile's provider. */
function ofProfile(
  name: string,
  profile: Profile,
  typed: string,
  profiles: Readonly<Record<string, Profile>>,
): Reference {
  const reference = parseReference(typed, { own: profile.provider, profiles });
  if (reference.provider === profile.provider && (reference.profile ?? name) === name) {
    return { ...reference, profile: name };
  }
  throw new UserError({
    code: 'profile_mismatch',
    what: `the profile ${name} is for ${profile.provider}, the model is not`,
    value: modelText(reference),
    remedy: 'leave out --profile, or name a model of its provider',
    exit: EXIT.usage,
  });
}

/** A model by itself: its settings come from the default profile, or the only one, of the same provider. */
function namedModel(
  typed: string,
  defaultName: string | null,
  profiles: Readonly<Record<string, Profile>>,
): Reference {
  const own = defaultName === null ? null : requireProfile(profiles, defaultName).provider;
  const reference = parseReference(typed, { own, profiles });
  if (reference.profile !== null) return reference;
  if (own === reference.provider) return { ...reference, profile: defaultName };
  const same = Object.keys(profiles).filter((name) => profiles[name]?.provider === reference.provider);
  if (same.length <= 1) return { ...reference, profile: same[0] ?? null };
  if (findProvider(reference.provider)?.endpoints.some(({ baseUrl }) => baseUrl !== null)) return reference;
  throw new UserError({
    code: 'ambiguous_profile',
    what: `several profiles are for ${reference.provider}`,
    value: typed,
    remedy: `say which: --profile ${same.join(' | --profile ')}`,
    exit: EXIT.usage,
  });
}

/** Throws UserError (exit 2) with the names there are. */
export function requireProfile(profiles: Readonly<Record<string, Profile>>, name: string): Profile {
  const profile = ownProfile(profiles, name);
  if (profile !== undefined) return profile;
  const names = Object.keys(profiles);
  throw new UserError({
    code: 'no_such_profile',
    what: 'there is no profile of this name',
    value: name,
    remedy:
      names.length === 0
        ? `make it: cc-delegate config profile set ${name} --provider P --model M`
        : `use one of ${names.join(', ')}`,
    exit: EXIT.usage,
  });
}

function noDefault(names: readonly string[]): UserError {
  return new UserError({
    code: 'no_default_profile',
    what: 'no profile is the default one',
    value: names.join(', '),
    remedy: 'choose one: cc-delegate config profile default NAME, or say --profile NAME',
    exit: EXIT.environment,
  });
}

function noModel(): UserError {
  return new UserError({
    code: 'no_model',
    what: 'no model is set up yet',
    remedy:
      'type in a terminal: cc-delegate config profile set cheap --provider openrouter --model deepseek/deepseek-v4-flash-0731, then: cc-delegate config key set cheap',
    exit: EXIT.environment,
  });
}
