import { httpFetch, ProxyError } from './http.ts';
import type { HttpEnvironment } from './http-proxy.ts';

const LIMIT_MS = 8000;
const MAX_BYTES = 16 * 1024 * 1024;

export type JsonAnswer =
  | { readonly kind: 'ok'; readonly value: unknown }
  /** In a few words, none of them the endpoint's. `status`: of HTTP, null when there was no answer. */
  | { readonly kind: 'failed'; readonly status: number | null; readonly why: string };

/** One GET for JSON, bounded in time and size. Never throws, follows nothing: a key goes where the user sent it. */
export async function getJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  env: HttpEnvironment,
): Promise<JsonAnswer> {
  try {
    const response = await httpFetch(env)(url, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return { kind: 'failed', status: response.status, why: `it answered ${response.status}` };
    }
    const text = await readBounded(response);
    if (text === null) return { kind: 'failed', status: response.status, why: 'its answer is too long' };
    return { kind: 'ok', value: JSON.parse(text) };
  } catch (error) {
    return { kind: 'failed', status: null, why: whyOf(error) };
  }
}

async function readBounded(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** fetch hides the system's error in its cause. */
function whyOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'its answer is no JSON';
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof ProxyError) return at.message;
    if (at.name === 'TimeoutError') return `no answer in ${LIMIT_MS / 1000} s`;
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return 'no connection';
}
