import { parseJson } from '../../job/json.ts';
import { httpFetch } from '../http.ts';
import type { HttpEnvironment } from '../http-proxy.ts';

const LIMIT_MS = 15_000;
const MAX_LENGTH = 1 << 20;

/** One request of a login. */
export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?:
    | { readonly json: Readonly<Record<string, string>> }
    | { readonly form: Readonly<Record<string, string>> };
}

export type Answered =
  /** `value` is undefined for what is no JSON. */
  | { readonly kind: 'answer'; readonly status: number; readonly value: unknown }
  /** In a few words of ours. */
  | { readonly kind: 'silent'; readonly why: string };

/** Asks once, bounded in time and size, and follows nothing: a token goes where it was sent. Never throws. */
export async function ask({ method, url, headers, body }: Ask, env: HttpEnvironment): Promise<Answered> {
  const [type, text] = written(body);
  try {
    const response = await httpFetch(env)(url, {
      method,
      headers: { accept: 'application/json', ...(type !== null && { 'content-type': type }), ...headers },
      ...(text !== null && { body: text }),
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    return { kind: 'answer', status: response.status, value: bodyOf(await response.text()) };
  } catch (error) {
    return { kind: 'silent', why: whyOf(error) };
  }
}

function written(body: Ask['body']): [type: string, text: string] | [null, null] {
  if (body === undefined) return [null, null];
  if ('json' in body) return ['application/json', JSON.stringify(body.json)];
  return ['application/x-www-form-urlencoded', new URLSearchParams(body.form).toString()];
}

/** A page of a proxy, mostly, is no JSON: the caller sees that there is nothing to read. */
function bodyOf(text: string): unknown {
  return text.length > MAX_LENGTH ? undefined : parseJson(text);
}

/** fetch hides the system's error in its cause. */
function whyOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.name === 'TimeoutError') return `no answer in ${LIMIT_MS / 1000} s`;
    if (at.name === 'ProxyError') return at.message;
    if ('code' in at && typeof at.code === 'string') return `no connection (${at.code})`;
  }
  return 'no connection';
}
