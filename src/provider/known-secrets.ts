import { type KnownSecret, ownSecrets } from '../job/redaction/known.ts';
import type { PathEnvironment } from '../store/paths.ts';
import { CLOUD_SECRETS, serviceAccount } from './cloud.ts';
import { readConfig } from './config-file.ts';
import { readCredentials } from './credentials.ts';
import { loginTokens } from './login/saved-logins.ts';
import { keyVariables, PROVIDERS } from './providers.ts';
import type { Warn } from './user-file.ts';

/**
 * Every secret of the user's settings: saved keys, the older product's too, keys in the variables that profiles,
 * providers and clouds name, header values and credentials in URLs. For what is shown long after a job, whose own secrets nobody
 * has any more. Throws UserError as the readers do: without them nobody could say what to hide.
 */
export function settingsSecrets(env: PathEnvironment, warn: Warn): KnownSecret[] {
  const credentials = readCredentials(env, warn);
  const { schema: _schema, profiles: saved, providers, logins: _logins, ...older } = credentials;
  const profiles = Object.values(readConfig(env).profiles ?? {});
  const variables = [
    ...PROVIDERS.flatMap(keyVariables),
    ...profiles.flatMap(({ keyEnv }) => keyEnv ?? []),
    ...CLOUD_SECRETS,
  ];
  const keys = [
    ...[...Object.values(saved), ...Object.values(providers)].map(({ key }) => key),
    ...Object.values(older).filter((value) => typeof value === 'string'),
    ...[...variables, 'DELEGATE_API_KEY'].map((name) => env[name] ?? ''),
    serviceAccount(env)?.privateKey ?? '',
    ...loginTokens(credentials),
  ];
  return ownSecrets({
    models: [
      ...keys.map((apiKey) => ({ apiKey, headers: {}, baseUrl: '' })),
      ...profiles.map(({ headers, baseUrl }) => ({
        apiKey: null,
        headers: headers ?? {},
        baseUrl: baseUrl ?? '',
      })),
    ],
  });
}
