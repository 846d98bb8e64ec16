import { maskUrl } from '../../provider/base-url.ts';
import { defaultProfile } from '../../provider/choose-model.ts';
import { readyCloud } from '../../provider/cloud.ts';
import { readConfig } from '../../provider/config-file.ts';
import { type Credentials, maskKey, readCredentials } from '../../provider/credentials.ts';
import { endpointOf, keyQuestion } from '../../provider/endpoint.ts';
import { type FoundKey, findKey } from '../../provider/find-key.ts';
import { loginCommand } from '../../provider/login/headers.ts';
import { findLogin } from '../../provider/login/saved-logins.ts';
import { modelOf, type Profile } from '../../provider/profile.ts';
import type { CommandContext } from '../command.ts';

/** A profile as it may be shown: no header values, no key. */
export interface ShownProfile {
  readonly name: string;
  readonly isDefault: boolean;
  readonly provider: string;
  readonly model: string;
  readonly api: string;
  readonly baseUrl: string;
  readonly keyEnv: string | null;
  readonly headers: readonly string[];
  readonly fallbacks: readonly string[];
  /** US dollars per million tokens; null is unknown, 0 is free. */
  readonly prices: Profile['prices'] | null;
  readonly smallModel: string | null;
  readonly graderModel: string | null;
  readonly engine: string | null;
  readonly dataPolicy: Profile['dataPolicy'] | null;
  readonly key: {
    readonly found: boolean;
    readonly needed: boolean;
    /** e.g. `credentials`, `environment OPENROUTER_API_KEY`, `login work`; null when there is none. */
    readonly source: string | null;
    readonly masked: string | null;
    /** What is to be done before this profile can be used; null: nothing. */
    readonly remedy: string | null;
  };
}

/** All profiles of `config.yaml`, with what is known of their keys. Throws as the readers do. */
export function describeProfiles(context: CommandContext): ShownProfile[] {
  const config = readConfig(context.env);
  const profiles = config.profiles ?? {};
  const credentials = readCredentials(context.env, (line) => context.stderr(`cc-delegate: ${line}`));
  const byDefault = defaultProfile({ profiles, defaultProfile: config.defaultProfile ?? null });
  return Object.entries(profiles).map(([name, profile]) =>
    describe(name, profile, name === byDefault, credentials, context.env),
  );
}

function describe(
  name: string,
  profile: Profile,
  isDefault: boolean,
  credentials: Credentials,
  env: NodeJS.ProcessEnv,
): ShownProfile {
  const reference = { provider: profile.provider, model: modelOf(profile), profile: name };
  const endpoint = endpointOf(reference, profile);
  const question = keyQuestion(reference, profile, endpoint);
  const found = findKey(question.key, credentials, env, null);
  const { cloud } = question.key.provider;
  const placed = cloud && readyCloud(cloud, profile, env, found.key ?? (question.required ? null : ''));
  const { login: wanted } = endpoint;
  const login = wanted === undefined ? null : findLogin(credentials, wanted.kind, name);
  const required = question.required || wanted !== undefined;
  const remedy = (): string | null => {
    if (wanted !== undefined) return login === null ? loginCommand(name) : null;
    if (placed !== undefined) return placed.kind === 'missing' ? `set ${placed.what}` : null;
    return required && found.key === null ? `cc-delegate config key set ${name}` : null;
  };
  return {
    name,
    isDefault,
    provider: profile.provider,
    model: reference.model,
    api: endpoint.api,
    baseUrl: maskUrl(placed?.kind === 'ready' ? placed.baseUrl : endpoint.baseUrl),
    keyEnv: question.key.keyEnv ?? question.key.provider.keyEnv,
    headers: Object.keys(endpoint.headers),
    fallbacks: profile.fallbacks ?? [],
    prices: profile.prices ?? null,
    smallModel: profile.smallModel ?? null,
    graderModel: profile.graderModel ?? null,
    engine: profile.engine ?? null,
    dataPolicy: profile.dataPolicy ?? null,
    key: {
      found: found.key !== null,
      needed: placed ? placed.kind === 'missing' : required,
      source: login === null ? sourceText(found) : `login ${login.owner}`,
      masked: found.key === null ? null : maskKey(found.key),
      remedy: remedy(),
    },
  };
}

function sourceText({ source }: FoundKey): string | null {
  if (source.kind === 'none') return null;
  if (source.kind === 'credentials') return 'credentials';
  return `environment ${source.variable}`;
}
