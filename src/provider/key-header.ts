import type { Endpoint } from './endpoint.ts';

/** The headers a key is sent in, by one protocol or another. */
export const KEY_HEADERS: readonly string[] = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/** Providers whose Anthropic endpoint takes a key as a bearer alone. */
const BEARER: readonly string[] = ['openrouter'];

/** The header in which an endpoint takes a key, and what stands in it. */
export function keyHeader(
  { provider, api, cloud }: Pick<Endpoint, 'provider' | 'api' | 'cloud'>,
  key: string,
): readonly [name: string, value: string] {
  if (cloud?.kind === 'azure') return ['api-key', key];
  if (api === 'google') return ['x-goog-api-key', key];
  if (api === 'anthropic' && !BEARER.includes(provider)) return ['x-api-key', key];
  return ['authorization', `Bearer ${key}`];
}
