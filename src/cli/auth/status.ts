import { checkKey } from '../../provider/check-key.ts';
import { readyCloud } from '../../provider/cloud.ts';
import { readConfig } from '../../provider/config-file.ts';
import { type Credentials, readCredentials } from '../../provider/credentials.ts';
import { endpointOf, keyQuestion } from '../../provider/endpoint.ts';
import { type FoundKey, findKey, type LegacyKey } from '../../provider/find-key.ts';
import { readLegacyEnvironment } from '../../provider/legacy-environment.ts';
import { loginOwners, savedLogin } from '../../provider/login/saved-logins.ts';
import { modelOf, type Profile } from '../../provider/profile.ts';
import { PROVIDERS } from '../../provider/providers.ts';
import { ownProfile, type Reference } from '../../provider/reference.ts';
import type { CommandContext } from '../command.ts';
import { loginAccessOf, orphanAccess } from './login-status.ts';

/** What one profile, or a provider without a profile, can be reached with. Holds no secret. */
export interface Access {
  readonly name: string;
  readonly owner: 'profile' | 'provider' | 'nobody';
  readonly provider: string;
  /** e.g. `login`, `saved key`, `OPENROUTER_API_KEY`, `headers`, `cloud`, `none`. */
  readonly how: string;
  /**
   * `valid`: the service says so, or what it said has not expired. `present`: there, and not tried. `unknown`: tried, and
   * it cannot be told. `unneeded`: the endpoint wants none.
   */
  readonly state: 'valid' | 'present' | 'unknown' | 'refused' | 'missing' | 'unneeded';
  /** A few words more; null where the state says all. */
  readonly detail: string | null;
  /** When it ends unless it is renewed, as an ISO date. */
  readonly expiresAt: string | null;
  /** The command that puts it right; null when nothing has to be. */
  readonly remedy: string | null;
}

/**
 * Every profile's access, then that of providers which have one and no profile. Logins are asked for; with `check` keys
 * are tried as well. Throws UserError (exit 6) as the files do.
 */
export async function readStatus(context: CommandContext, check: boolean): Promise<Access[]> {
  const { env } = context;
  const profiles = readConfig(env).profiles ?? {};
  const credentials = readCredentials(env, (line) => context.stderr(`cc-delegate: ${line}`));
  // Those of the older product count while there is no profile.
  const legacy = Object.keys(profiles).length === 0 ? readLegacyEnvironment(env).key : null;
  const known: Known = { credentials, env, check, legacy };
  const used = new Set(Object.values(profiles).map(({ provider }) => provider));
  const own = Object.entries(profiles).map(([name, profile]): Asked => {
    const reference = { provider: profile.provider, model: modelOf(profile), profile: name };
    return { reference, profile, name, owner: 'profile' };
  });
  const others = PROVIDERS.filter(({ id, cloud }) => !used.has(id) && cloud === undefined).flatMap(
    ({ id, endpoints }): Asked[] => {
      if (endpoints[0]?.baseUrl === null) return [];
      return [
        {
          reference: { provider: id, model: '-', profile: null },
          profile: undefined,
          name: id,
          owner: 'provider',
        },
      ];
    },
  );
  const asked = [...own, ...others].map((each) => accessOf(each, known));
  const accesses = (await Promise.all(asked)).filter(
    ({ owner, state }) => owner === 'profile' || (state !== 'missing' && state !== 'unneeded'),
  );
  const isOwned = (owner: string) =>
    ownProfile(profiles, owner) !== undefined || PROVIDERS.some(({ id }) => id === owner);
  const orphans = loginOwners(credentials).filter((owner) => !isOwned(owner));
  return [...accesses, ...orphans.map((owner) => orphanAccess(owner, savedLogin(credentials, owner)))];
}

interface Known {
  readonly credentials: Credentials;
  readonly env: NodeJS.ProcessEnv;
  readonly check: boolean;
  readonly legacy: LegacyKey | null;
}

export interface Asked {
  readonly reference: Reference;
  readonly profile: Profile | undefined;
  readonly name: string;
  readonly owner: 'profile' | 'provider';
}

async function accessOf(asked: Asked, { credentials, env, check, legacy }: Known): Promise<Access> {
  const { reference, profile, name, owner } = asked;
  const endpoint = endpointOf(reference, profile);
  const base = { name, owner, provider: reference.provider, detail: null, expiresAt: null, remedy: null };
  if (endpoint.login !== undefined) {
    return loginAccessOf({ ...base, kind: endpoint.login.kind, credentials, env, check });
  }
  const question = keyQuestion(reference, profile, endpoint);
  const found = findKey(question.key, credentials, env, legacy);
  const { cloud } = question.key.provider;
  if (cloud !== undefined) {
    // A key alone does not say where the cloud is.
    const ready = readyCloud(cloud, profile ?? {}, env, found.key ?? (question.required ? null : ''));
    if (ready.kind === 'missing')
      return { ...base, how: 'cloud', state: 'missing', remedy: `set ${ready.what}` };
    if (found.key === null) return { ...base, how: 'cloud', state: 'present' };
  }
  const how = howOf(found);
  if (found.key === null) {
    if (question.required)
      return { ...base, how, state: 'missing', remedy: `cc-delegate config key set ${name}` };
    return { ...base, how, state: 'unneeded' };
  }
  if (!check || cloud !== undefined) return { ...base, how, state: 'present' };
  const checked = await checkKey(endpoint, found.key, env);
  if (checked.kind === 'accepted') return { ...base, how, state: 'valid' };
  const remedy = checked.kind === 'refused' ? `cc-delegate config key set ${name}` : null;
  return { ...base, how, state: checked.kind, detail: checked.why, remedy };
}

function howOf({ source }: FoundKey): string {
  if (source.kind === 'none') return 'none';
  return source.kind === 'credentials' ? 'saved key' : source.variable;
}
