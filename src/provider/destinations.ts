import { hostOf, isLoopback } from './base-url.ts';
import type { ModelResolution } from './resolve-model.ts';

/** The providers, and their hosts, that a job with these models may send to; those on this machine are none. */
export function destinationsOf({
  primary,
  fallbacks,
}: Pick<ModelResolution, 'primary' | 'fallbacks'>): { readonly provider: string; readonly host: string }[] {
  const found = new Map<string, { provider: string; host: string }>();
  for (const { endpoint } of [primary, ...fallbacks]) {
    if (isLoopback(endpoint.baseUrl)) continue;
    const { provider } = endpoint;
    const host = hostOf(endpoint.baseUrl);
    found.set(`${provider} ${host}`, { provider, host });
  }
  return [...found.values()];
}
