import { EXIT, UserError } from '../../job/user-error.ts';
import type { Login, LoginKind } from '../access.ts';
import type { Credentials } from '../credentials.ts';
import { loginCommand, NAMES } from './headers.ts';
import { findLogin, savedLogin } from './saved-logins.ts';

/** The login a model is reached with, or what stands in its way. */
export type ReadyLogin =
  | { readonly kind: 'ready'; readonly login: Login }
  | { readonly kind: 'missing'; readonly error: UserError };

/**
 * The saved login for a model of this kind of subscription, as far as can be told without asking; without one the error
 * (exit 6) has the command. `model`: as the user knows it.
 */
export function readyLogin(
  credentials: Credentials,
  kind: LoginKind,
  profile: string | null,
  model: string,
): ReadyLogin {
  const login = findLogin(credentials, kind, profile);
  if (login === null) return missing(`nobody is logged in to ${NAMES[kind]}`, profile ?? kind, model);
  if (savedLogin(credentials, login.owner)?.refusedAt !== undefined)
    return missing(`the login to ${NAMES[kind]} is not taken any more`, login.owner, model);
  return { kind: 'ready', login };
}

function missing(what: string, owner: string, value: string): ReadyLogin {
  const remedy = `type in a terminal: ${loginCommand(owner)}`;
  return {
    kind: 'missing',
    error: new UserError({ code: 'no_login', what, value, remedy, exit: EXIT.environment }),
  };
}
