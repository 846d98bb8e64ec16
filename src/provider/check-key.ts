import type { Endpoint } from './endpoint.ts';
import { getJson } from './get-json.ts';
import type { HttpEnvironment } from './http-proxy.ts';
import { keyHeader } from './key-header.ts';

/** What an endpoint says of a key. `unknown`: it cannot be told without paying, or nobody answered. */
export type KeyCheck =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * Tries a key with a request that costs nothing: OpenRouter's `GET /key`, else `GET /models`. A list of models that
 * needs no key proves nothing, so that is asked without one as well. Never throws; the key is in no message.
 */
export async function checkKey(endpoint: Endpoint, key: string, env: HttpEnvironment): Promise<KeyCheck> {
  const { provider, baseUrl, headers } = endpoint;
  const own = { ...headers, ...(endpoint.api === 'anthropic' && { 'anthropic-version': '2023-06-01' }) };
  const url = `${baseUrl}/${provider === 'openrouter' ? 'key' : 'models'}`;
  const [name, value] = keyHeader(endpoint, key);
  const answer = await getJson(url, { ...own, [name]: value }, env);
  if (answer.kind === 'failed') {
    if (answer.status === 401 || answer.status === 403)
      return { kind: 'refused', why: `it answered ${answer.status}` };
    if (answer.status === 404 || answer.status === 405)
      return { kind: 'unknown', why: 'it has no list of models' };
    return { kind: 'unknown', why: answer.why };
  }
  const without = await getJson(url, own, env);
  const needsNone = without.kind === 'ok';
  return needsNone ? { kind: 'unknown', why: 'it asks for no key here' } : { kind: 'accepted' };
}
