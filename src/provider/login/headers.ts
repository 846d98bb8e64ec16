import { oneLine } from '../../job/format.ts';
import type { PathEnvironment } from '../../store/paths.ts';
import type { Login } from '../access.ts';
import { COPILOT_HEADERS } from './copilot.ts';
import { type FreshOptions, freshLogin } from './fresh-login.ts';
import type { SavedLogin } from './saved-logins.ts';

/** How a request is made with a login. */
export type LoginAccess =
  | {
      readonly kind: 'ok';
      readonly headers: Readonly<Record<string, string>>;
      /** Where the headers may be sent, without a slash at the end. */
      readonly baseUrl: string;
      /** To name, should the endpoint refuse it. */
      readonly token: string;
    }
  /** Only the user can do something; `message` has the command. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unclear'; readonly message: string };

/**
 * The headers of the next request with a saved login, its token renewed where it is due. `options.rejected`: the token
 * an endpoint has just refused. Never throws for what a service does; UserError (exit 6) as the file of keys does.
 */
export async function loginAccess(
  login: Login,
  env: PathEnvironment,
  options: FreshOptions = {},
): Promise<LoginAccess> {
  const fresh = await freshLogin(login, env, options);
  const name = NAMES[login.kind];
  const remedy = loginCommand(login.owner);
  switch (fresh.kind) {
    case 'ok':
      return accessWith(fresh.value);
    case 'missing':
      return { kind: 'refused', message: `nobody is logged in to ${name}; type in a terminal: ${remedy}` };
    case 'refused':
      return {
        kind: 'refused',
        message: `the login to ${name} is refused: ${oneLine(fresh.why)}; type in a terminal: ${remedy}`,
      };
    case 'unclear':
      return {
        kind: 'unclear',
        message: `the login to ${name} could not be renewed: ${oneLine(fresh.why)}`,
      };
  }
}

/** As people call them. */
export const NAMES = { copilot: 'GitHub Copilot', chatgpt: 'ChatGPT' } as const;

export function loginCommand(owner: string): string {
  return `cc-delegate auth login ${owner}`;
}

function accessWith(saved: SavedLogin): LoginAccess {
  if (saved.kind === 'chatgpt') {
    const headers = { authorization: `Bearer ${saved.accessToken}`, 'chatgpt-account-id': saved.accountId };
    return { kind: 'ok', headers, baseUrl: saved.endpoints.api, token: saved.accessToken };
  }
  const { session } = saved;
  if (session === null) return { kind: 'unclear', message: 'Copilot gave no token' };
  const headers = { ...COPILOT_HEADERS, authorization: `Bearer ${session.token}` };
  return { kind: 'ok', headers, baseUrl: session.baseUrl, token: session.token };
}
