import { hostOf, isLoopback } from './base-url.ts';
import type { ModelResolution } from './resolve-model.ts';

/** The providers, and their hosts, that a job with these models may send to; those on this machine are none. */
export function destinationsOf(
  models: Pick<ModelResolution, 'primary' | 'fallbacks'> &
    Partial<Pick<ModelResolution, 'grader' | 'graderFallbacks' | 'roles' | 'small' | 'engine'>>,
): { readonly provider: string; readonly host: string }[] {
  const { primary, fallbacks, grader = null, graderFallbacks = [], roles = {} } = models;
  // Only a client has side calls.
  const small = models.engine === 'claude' && models.small ? [models.small] : [];
  const graders = grader === null ? [] : [grader, ...graderFallbacks];
  const found = new Map<string, { provider: string; host: string }>();
  for (const { endpoint } of [primary, ...fallbacks, ...graders, ...small, ...Object.values(roles)]) {
    if (isLoopback(endpoint.baseUrl)) continue;
    const { provider } = endpoint;
    const host = hostOf(endpoint.baseUrl);
    found.set(`${provider} ${host}`, { provider, host });
  }
  return [...found.values()];
}
