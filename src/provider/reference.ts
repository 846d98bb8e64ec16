import { EXIT, UserError } from '../job/user-error.ts';
import { modelOf, type Profile, splitModel } from './profile.ts';
import { findProvider, hasOwnModelNames, PROVIDERS, unknownProvider } from './providers.ts';

/** A model a person named: where, and through which profile's settings when the name says so. */
export interface Reference {
  readonly provider: string;
  readonly model: string;
  readonly profile: string | null;
}

/** What a name is read against. */
export interface ReferenceContext {
  /** The provider a bare name belongs to; null when no profile is in play. */
  readonly own: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/**
 * Reads `provider:model`, `profile:model`, a profile's name, a bare model, or the older
 * `litellm:<prefix>/<model>`. Throws UserError (exit 2) for an unknown prefix, with the way to any other endpoint.
 */
export function parseReference(typed: string, context: ReferenceContext): Reference {
  if (!/^[!-~]+$/.test(typed)) throw malformed(typed);
  const { prefix, rest } = splitModel(typed);
  if (rest === '') throw malformed(typed);
  if (prefix === null) return bare(typed, context);
  if (prefix === 'litellm') return fromLitellm(typed, rest);
  if (findProvider(prefix) !== undefined) return { provider: prefix, model: rest, profile: null };
  const profile = ownProfile(context.profiles, prefix);
  if (profile !== undefined) return { provider: profile.provider, model: rest, profile: prefix };
  const own = context.own === null ? undefined : findProvider(context.own);
  if (own !== undefined && hasOwnModelNames(own)) return { provider: own.id, model: typed, profile: null };
  throw unknownProvider(prefix);
}

function bare(typed: string, context: ReferenceContext): Reference {
  const profile = ownProfile(context.profiles, typed);
  if (profile !== undefined) return { provider: profile.provider, model: modelOf(profile), profile: typed };
  if (context.own !== null) return { provider: context.own, model: typed, profile: null };
  // vendor/model is how OpenRouter names its models, and nobody else in the list does.
  if (typed.includes('/')) return { provider: 'openrouter', model: typed, profile: null };
  throw malformed(typed);
}

function fromLitellm(typed: string, rest: string): Reference {
  const slash = rest.indexOf('/');
  const prefix = rest.slice(0, Math.max(0, slash));
  const model = rest.slice(slash + 1);
  const provider = PROVIDERS.find(({ litellmPrefixes }) => litellmPrefixes.includes(prefix));
  if (slash <= 0 || model === '') throw malformed(typed);
  if (provider === undefined) throw unknownProvider(prefix);
  return { provider: provider.id, model, profile: null };
}

/** The profile of this name; names such as `constructor` are nobody's. */
export function ownProfile(profiles: Readonly<Record<string, Profile>>, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

function malformed(typed: string): UserError {
  return new UserError({
    code: 'invalid_model',
    what: 'this does not name a model',
    value: JSON.stringify(typed),
    remedy: 'write provider:model, e.g. openrouter:deepseek/deepseek-v4-flash-0731',
    exit: EXIT.usage,
  });
}
