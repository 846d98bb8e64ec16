import { requestBase } from '../../provider/base-url.ts';
import { httpFetch } from '../../provider/http.ts';
import { KEY_HEADERS, keyHeader } from '../../provider/key-header.ts';
import type { ModelRef } from '../engine.ts';
import { loginFetch } from './login-fetch.ts';

/** A request as it is about to be sent. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** What the requests of one kind of endpoint have of their own. */
export interface Sending {
  /** What is changed in the body before the user's own fields are laid over it. */
  readonly body?: ((fields: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Sets the headers that take the place of a key, when all else is known. An answer is why that cannot be. */
  readonly sign?: ((request: Outgoing, send: typeof fetch) => Promise<Response | null>) | undefined;
  /** The answer is asked for in one piece, so that one in JSON is no error. */
  readonly wantsJson?: boolean | undefined;
}

/**
 * The fetch of a model's requests. Key, headers and body are ours alone: what the library put in the place of a key,
 * which it may have found in an environment, never leaves. The user's own headers win over the key's.
 * No redirect is followed: key and work go where the user sent them, and nowhere else.
 */
export function modelFetch(ref: ModelRef, { body, sign, wantsJson = false }: Sending = {}): typeof fetch {
  const http = httpFetch();
  const send =
    ref.login === undefined ? http : loginFetch(ref.login, requestBase(ref.baseUrl, ref.api), http);
  const own = Object.entries(ref.headers);
  const hasOwnKey = own.some(([name]) => KEY_HEADERS.includes(name.toLowerCase()));
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const headers = new Headers(init?.headers);
    for (const name of KEY_HEADERS) headers.delete(name);
    if (ref.apiKey !== null && ref.apiKey !== '') headers.set(...keyHeader(ref, ref.apiKey));
    for (const [name, value] of own) headers.set(name, value);
    const text = typeof init?.body === 'string' ? changed(init.body, body, ref.body) : undefined;
    if (sign !== undefined && !hasOwnKey && text !== undefined) {
      const problem = await sign({ url, headers, body: text }, http);
      if (problem !== null) return problem;
    }
    const written = text !== undefined && { body: text };
    return errorsAsErrors(await send(url, { ...init, headers, ...written, redirect: 'manual' }), wantsJson);
  };
}

/** 404: there is nothing of ours at this address, so another model may do better, and waiting does not help. */
async function redirectAsError(response: Response): Promise<Response> {
  await response.body?.cancel();
  const message = `it sends requests elsewhere (HTTP ${response.status}), which is not followed: correct the baseUrl`;
  return Response.json({ error: { message } }, { status: 404 });
}

function changed(text: string, change: Sending['body'], over: ModelRef['body']): string {
  if (change === undefined && over === undefined) return text;
  const fields: Record<string, unknown> = JSON.parse(text);
  return JSON.stringify({ ...(change?.(fields) ?? fields), ...over });
}

/**
 * A redirect is an error. And some endpoints answer 200 with a JSON body, an error mostly, where a stream was asked for; the library would see an
 * empty stream and lose the reason. It becomes the HTTP error it is.
 */
async function errorsAsErrors(response: Response, wantsJson: boolean): Promise<Response> {
  if (response.status >= 300 && response.status < 400) return redirectAsError(response);
  const json = response.headers.get('content-type')?.includes('application/json') ?? false;
  if (!response.ok || !json || wantsJson) return response;
  const text = await response.text();
  return new Response(text, { status: statusIn(text), headers: { 'content-type': 'application/json' } });
}

const BAD_GATEWAY = 502;

/** The error's own code where it is an HTTP status, as OpenRouter gives it. */
function statusIn(text: string): number {
  const found = /"(?:code|status)"\s*:\s*"?([45]\d\d)\b/.exec(text);
  return found ? Number(found[1]) : BAD_GATEWAY;
}
