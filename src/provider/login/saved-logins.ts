import * as z from 'zod';
import type { PathEnvironment } from '../../store/paths.ts';
import { LOGIN_KINDS, type Login, type LoginKind } from '../access.ts';
import { type Credentials, editCredentials, readCredentials } from '../credentials.ts';
import type { Warn } from '../user-file.ts';
import { isSafeBase } from './endpoints.ts';

/** Tokens go into an HTTP header. */
export const token = z.string().regex(/^[!-~]{1,16384}$/);
const base = z.string().refine(isSafeBase);
const time = z.number().nonnegative();

const shared = {
  /** When the service said that it is over; only a new login helps. */
  refusedAt: time.optional(),
};

const copilotSchema = z.looseObject({
  ...shared,
  kind: z.literal('copilot'),
  endpoints: z.object({ web: base, api: base }),
  githubToken: token,
  /** What requests are made with: short-lived, got for the token above. */
  session: z.object({ token, expiresAt: time, gotAt: time, baseUrl: base }).nullable(),
});

const chatgptSchema = z.looseObject({
  ...shared,
  kind: z.literal('chatgpt'),
  endpoints: z.object({ auth: base, api: base }),
  accessToken: token,
  refreshToken: token,
  accountId: token,
  /** Of the access token; null where it does not say. */
  expiresAt: time.nullable(),
  gotAt: time,
});

const savedSchema = z.discriminatedUnion('kind', [copilotSchema, chatgptSchema]);
/** A login with its tokens, as it stands in `credentials.json`. Times are milliseconds since 1970. */
export type SavedLogin = z.infer<typeof savedSchema>;
export type CopilotLogin = z.infer<typeof copilotSchema>;
export type ChatgptLogin = z.infer<typeof chatgptSchema>;

/** Is this provider reached by logging in? Its id is the login's kind then. */
export function loginKindOf(provider: string): LoginKind | null {
  return LOGIN_KINDS.find((kind) => kind === provider) ?? null;
}

/** The login that serves a profile: its own, else the provider's. null when there is none of this kind. */
export function findLogin(credentials: Credentials, kind: LoginKind, profile: string | null): Login | null {
  const owners = profile === null ? [kind] : [profile, kind];
  const owner = owners.find((each) => savedLogin(credentials, each)?.kind === kind);
  return owner === undefined ? null : { kind, owner };
}

/** The login saved for exactly this owner; null when there is none, or one of a form we do not know. */
export function savedLogin(credentials: Credentials, owner: string): SavedLogin | null {
  const { logins = {} } = credentials;
  const parsed = savedSchema.safeParse(Object.hasOwn(logins, owner) ? logins[owner] : undefined);
  return parsed.success ? parsed.data : null;
}

/** Every owner of a saved login, those we cannot read included. */
export function loginOwners({ logins = {} }: Credentials): string[] {
  return Object.keys(logins);
}

/** The tokens of a login: what must be written nowhere. */
export function tokensOf(saved: SavedLogin): string[] {
  if (saved.kind === 'chatgpt') return [saved.accessToken, saved.refreshToken];
  return [saved.githubToken, ...(saved.session === null ? [] : [saved.session.token])];
}

/** The tokens of every saved login we can read. */
export function loginTokens(credentials: Credentials): string[] {
  return loginOwners(credentials).flatMap((owner) => {
    const saved = savedLogin(credentials, owner);
    return saved === null ? [] : tokensOf(saved);
  });
}

/** Saves a login in place of an older one of the same owner. Throws UserError (exit 6) as the file does. */
export async function saveLogin(
  env: PathEnvironment,
  owner: string,
  saved: SavedLogin,
  warn: Warn,
): Promise<void> {
  await editCredentials(env, warn, (credentials) => {
    credentials.logins = { ...credentials.logins, [owner]: saved };
  });
}

/**
 * Changes a login unless it is another one by now: who has logged out or in again meanwhile has the last word.
 * Throws UserError (exit 6) as the file does.
 */
export async function replaceLogin(
  env: PathEnvironment,
  owner: string,
  before: SavedLogin,
  after: SavedLogin,
): Promise<void> {
  await editCredentials(env, QUIET, (credentials) => {
    const now = savedLogin(credentials, owner);
    if (now === null || JSON.stringify(now) !== JSON.stringify(before)) return;
    credentials.logins = { ...credentials.logins, [owner]: after };
  });
}

/** A runner has nobody to tell; the CLI tells it at the next command. */
const QUIET: Warn = () => undefined;

/** The login as it is at this moment. Throws UserError (exit 6) as the file does. */
export function readLogin(env: PathEnvironment, owner: string): SavedLogin | null {
  return savedLogin(readCredentials(env, QUIET), owner);
}

/** Forgets logins; `owner` null: all. Returns whose there were. Throws UserError (exit 6) as the file does. */
export async function removeLogins(
  env: PathEnvironment,
  owner: string | null,
  warn: Warn,
): Promise<string[]> {
  let removed: string[] = [];
  await editCredentials(env, warn, (credentials) => {
    const logins = { ...credentials.logins };
    removed = Object.keys(logins).filter((each) => owner === null || each === owner);
    for (const each of removed) delete logins[each];
    if (removed.length > 0) credentials.logins = logins;
  });
  return removed;
}
