import { EXIT, UserError } from '../job/user-error.ts';
import type { Provider } from './provider.ts';
import { CLOUDS } from './providers/clouds.ts';
import { HOSTED } from './providers/hosted.ts';
import { GENERIC, LOCAL } from './providers/own.ts';
import { SUBSCRIPTIONS } from './providers/subscriptions.ts';

export { PROVIDER_APIS, type Provider, type ProviderApi } from './provider.ts';

/** The providers known by name; the order is the one in which a default is looked for. */
export const PROVIDERS: readonly Provider[] = [...HOSTED, ...SUBSCRIPTIONS, ...LOCAL, ...CLOUDS, ...GENERIC];

export function findProvider(id: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.id === id);
}

/** The environment variables that may hold a provider's key, in the order in which they are asked. */
export function keyVariables({ keyEnv, keyEnvAlso }: Provider): readonly string[] {
  return keyEnv === null ? [] : [keyEnv, ...(keyEnvAlso ?? [])];
}

/** Does a part before `:` never name a provider here, as in `qwen3:8b`? True where people bring their own names. */
export function hasOwnModelNames({ needsKey, cloud }: Provider): boolean {
  return needsKey === 'never' || needsKey === 'depends' || cloud !== undefined;
}

/** For a provider nobody knows: exit 2, with the list of known ones and the way to any other endpoint. */
export function unknownProvider(id: string): UserError {
  const known = PROVIDERS.map((entry) => entry.id).join(', ');
  return new UserError({
    code: 'unknown_provider',
    what: 'no provider of this name is known',
    value: id,
    remedy: `use one of ${known}; for any other endpoint, such as a LiteLLM proxy: cc-delegate config profile set NAME --provider openai-compatible --base-url URL --model MODEL`,
    exit: EXIT.usage,
  });
}
