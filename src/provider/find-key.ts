import { hostOf } from './base-url.ts';
import { type Credentials, type KeyOwner, olderKey, type SavedKey } from './credentials.ts';
import { keyVariables, type Provider } from './providers.ts';

/** Where a key came from. One found only in the caller's environment is gone when the job is resumed. */
export type KeySource =
  | { readonly kind: 'credentials'; readonly owner: KeyOwner }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'legacy'; readonly variable: string }
  | { readonly kind: 'none' };

/** The key of the older environment variables, and the one provider it is for. */
export interface LegacyKey {
  readonly variable: string;
  readonly key: string;
  readonly provider: string;
}

export interface KeyQuestion {
  readonly provider: Provider;
  readonly profile: string | null;
  /** The variable the profile names; null: the provider's own. */
  readonly keyEnv: string | null;
  /** The host the key would be sent to. */
  readonly host: string;
}

export interface FoundKey {
  readonly key: string | null;
  readonly source: KeySource;
}

/**
 * Looks for a key: saved for the profile, saved for the provider, saved by the older product under the variable the
 * profile names, the environment variable, the older variable.
 * Never takes a key of another provider, nor one that was saved for another host, unless both are the provider's own. A variable the profile names replaces the provider's: it may be another account.
 */
export function findKey(
  question: KeyQuestion,
  credentials: Credentials,
  env: Readonly<Record<string, string | undefined>>,
  legacy: LegacyKey | null,
): FoundKey {
  const { provider, profile } = question;
  const owners: KeyOwner[] = [{ kind: 'provider', name: provider.id }];
  if (profile !== null) owners.unshift({ kind: 'profile', name: profile });
  for (const owner of owners) {
    const saved = savedKey(credentials, owner);
    if (saved !== undefined && belongs(saved, question)) {
      return { key: saved.key, source: { kind: 'credentials', owner } };
    }
  }
  // Only a profile names one of those, and the user has to say so: `config import`.
  const older = question.keyEnv === null ? null : olderKey(credentials, question.keyEnv);
  if (older !== null)
    return { key: older, source: { kind: 'credentials', owner: { kind: 'provider', name: provider.id } } };
  for (const variable of question.keyEnv === null ? keyVariables(provider) : [question.keyEnv]) {
    const key = env[variable]?.trim();
    if (key !== undefined && key !== '') return { key, source: { kind: 'environment', variable } };
  }
  if (legacy !== null && legacy.provider === provider.id) {
    return { key: legacy.key, source: { kind: 'legacy', variable: legacy.variable } };
  }
  return { key: null, source: { kind: 'none' } };
}

/** The key saved for exactly this owner, whatever it is for. */
export function savedKey(credentials: Credentials, owner: KeyOwner): SavedKey | undefined {
  const entries = owner.kind === 'profile' ? credentials.profiles : credentials.providers;
  return Object.hasOwn(entries, owner.name) ? entries[owner.name] : undefined;
}

function belongs(saved: SavedKey, { provider, host }: KeyQuestion): boolean {
  if (saved.provider !== provider.id) return false;
  // A cloud's host is not known yet where the profile brings none.
  if (saved.host === host || (saved.host === '' && provider.needsKey !== 'depends')) return true;
  const own = provider.endpoints.map(({ baseUrl }) => hostOf(baseUrl ?? ''));
  return host !== '' && own.includes(host) && own.includes(saved.host);
}
