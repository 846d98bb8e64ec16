import type { Login } from '../../provider/access.ts';
import { type LoginAccess, loginAccess } from '../../provider/login/headers.ts';
import { chatgptBody, copilotInitiator } from './login-body.ts';

/**
 * A fetch that makes each request with a saved login: fresh headers, the URL the login is good for, the body the service
 * takes. A token the service refuses is renewed and the request repeated, once. What only the user can put right comes
 * back as a 401 that says so, what may pass as a 503: the loop knows what to do with either.
 */
export function loginFetch(
  login: Login,
  baseUrl: string,
  send: typeof fetch,
  env: Readonly<Record<string, string | undefined>> = process.env,
): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const access = await loginAccess(login, env);
    if (access.kind !== 'ok') return problem(access);
    const request = { url, base: baseUrl, init: init ?? {}, login };
    const response = await sendWith(access, request, send);
    if (response.status !== 401) return response;
    const again = await loginAccess(login, env, { rejected: access.token });
    if (again.kind !== 'ok') {
      await response.body?.cancel();
      return problem(again);
    }
    // The same token once more would be refused once more.
    if (again.token === access.token) return response;
    await response.body?.cancel();
    return sendWith(again, request, send);
  };
}

interface Planned {
  readonly url: string;
  readonly base: string;
  readonly init: RequestInit;
  readonly login: Login;
}

function sendWith(
  access: LoginAccess & { kind: 'ok' },
  { url, base, init, login }: Planned,
  send: typeof fetch,
): Promise<Response> {
  const headers = new Headers(init.headers);
  // A profile's own may still be here: the login stands in the place of every key.
  headers.delete('x-api-key');
  for (const [name, value] of Object.entries(access.headers)) headers.set(name, value);
  const body = typeof init.body === 'string' ? init.body : null;
  if (login.kind === 'copilot' && body !== null) headers.set('x-initiator', copilotInitiator(body));
  const written = login.kind === 'chatgpt' && body !== null ? chatgptBody(body) : init.body;
  // A version at the end of a base URL is a part of the path, and the login's own URL has none.
  const start = base.replace(/\/v\d+$/, '');
  const path = url.startsWith(start) ? url.slice(start.length) : new URL(url).pathname;
  return send(`${access.baseUrl}${path}`, {
    ...init,
    headers,
    ...(written !== undefined && { body: written }),
  });
}

function problem(access: Exclude<LoginAccess, { kind: 'ok' }>): Response {
  const status = access.kind === 'refused' ? 401 : 503;
  return Response.json({ error: { message: access.message } }, { status });
}
