import { join } from 'node:path';
import { UserError } from '../../job/user-error.ts';
import { type PathEnvironment, userDirectory } from '../../store/paths.ts';
import type { Login } from '../access.ts';
import { oneAtATime } from '../user-file.ts';
import type { Asked } from './asked.ts';
import { refreshChatgpt } from './chatgpt.ts';
import { exchangeCopilot } from './copilot.ts';
import { hearTokens } from './heard.ts';
import { readLogin, replaceLogin, type SavedLogin, tokensOf } from './saved-logins.ts';

/** A token that is about to expire is not used: a request may take minutes. */
const MARGIN_MS = 5 * 60_000;
/** What was got so recently is used whatever it says, e.g. because this machine's clock is wrong. */
const JUST_GOT_MS = 60_000;

export interface FreshOptions {
  /** A token an endpoint has refused: it is not used again, whatever its date says. */
  readonly rejected?: string | undefined;
  /** Ask the service even if the token is good. */
  readonly force?: boolean | undefined;
  readonly nowMs?: number | undefined;
}

/** A login whose token can be used now. `missing`: nobody has logged in. */
export type FreshLogin = Asked<SavedLogin> | { readonly kind: 'missing' };

/** What could not be written, because the disk is full, say: good for this process, by owner. */
const unsaved = new Map<string, SavedLogin>();

/**
 * The saved login, its token renewed where it is due: by one process at a time, and who has waited takes what the other
 * got, for a refresh token is good for one time. Never throws for what a service or a disk does; UserError (exit 6) for
 * a file of saved keys that cannot be read.
 */
export async function freshLogin(
  login: Login,
  env: PathEnvironment,
  options: FreshOptions = {},
): Promise<FreshLogin> {
  const asked = options.nowMs ?? Date.now();
  const saved = current(env, login);
  if (saved === null) return { kind: 'missing' };
  if (options.force !== true && isGood(saved, asked, options.rejected)) return used(saved);
  try {
    return await oneAtATime(lockOf(env, login.owner), () => renew(login, env, saved, options));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { kind: 'unclear', why: error.message };
  }
}

async function renew(
  login: Login,
  env: PathEnvironment,
  before: SavedLogin,
  { rejected, force, nowMs = Date.now() }: FreshOptions,
): Promise<FreshLogin> {
  const saved = current(env, login);
  if (saved === null) return { kind: 'missing' };
  const isNewer = JSON.stringify(saved) !== JSON.stringify(before);
  if ((force !== true || isNewer) && isGood(saved, nowMs, rejected)) return used(saved);
  if (saved.refusedAt !== undefined && force !== true) {
    return { kind: 'refused', over: true, why: 'it was refused before' };
  }
  const asked = await renewed(saved, env, nowMs);
  if (asked.kind === 'ok') {
    // Known before it is written or used.
    hearTokens(tokensOf(asked.value));
    await keep(env, login.owner, saved, asked.value);
  } else if (asked.kind === 'refused' && asked.over) {
    await keep(env, login.owner, saved, { ...saved, refusedAt: nowMs });
  }
  return asked;
}

async function renewed(saved: SavedLogin, env: PathEnvironment, nowMs: number): Promise<Asked<SavedLogin>> {
  if (saved.kind === 'chatgpt') return refreshChatgpt(saved, env, nowMs);
  const session = await exchangeCopilot(saved, env, nowMs);
  if (session.kind !== 'ok') return session;
  const { refusedAt: _over, ...rest } = saved;
  return { kind: 'ok', value: { ...rest, session: session.value } };
}

async function keep(
  env: PathEnvironment,
  owner: string,
  before: SavedLogin,
  after: SavedLogin,
): Promise<void> {
  const key = keyOf(env, owner);
  try {
    await replaceLogin(env, owner, unsavedBase.get(key) ?? before, after);
    unsaved.delete(key);
    unsavedBase.delete(key);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // The file is as it was. What we were given is all there is now, and this job can go on with it.
    unsavedBase.set(key, unsavedBase.get(key) ?? before);
    unsaved.set(key, after);
  }
}

/** What the file held when it could not be written, by the same key. */
const unsavedBase = new Map<string, SavedLogin>();

function current(env: PathEnvironment, { kind, owner }: Login): SavedLogin | null {
  const saved = readLogin(env, owner);
  if (saved === null || saved.kind !== kind) return null;
  const key = keyOf(env, owner);
  const base = unsavedBase.get(key);
  // Somebody has logged in anew since.
  if (base === undefined || JSON.stringify(base) !== JSON.stringify(saved)) return saved;
  return unsaved.get(key) ?? saved;
}

function keyOf(env: PathEnvironment, owner: string): string {
  return join(userDirectory(env), owner);
}

function lockOf(env: PathEnvironment, owner: string): string {
  return join(userDirectory(env), 'logins', `${owner}.refresh`);
}

function used(saved: SavedLogin): FreshLogin {
  hearTokens(tokensOf(saved));
  return { kind: 'ok', value: saved };
}

function isGood(saved: SavedLogin, nowMs: number, rejected: string | undefined): boolean {
  if (saved.refusedAt !== undefined) return false;
  const at = accessOf(saved);
  if (at === null || at.token === rejected) return false;
  if (at.expiresAt === null || at.expiresAt - nowMs > MARGIN_MS) return true;
  return nowMs - at.gotAt < JUST_GOT_MS && nowMs >= at.gotAt;
}

/** What requests are made with; null: it has to be got first. */
export function accessOf(
  saved: SavedLogin,
): { readonly token: string; readonly expiresAt: number | null; readonly gotAt: number } | null {
  if (saved.kind === 'copilot') return saved.session;
  return { token: saved.accessToken, expiresAt: saved.expiresAt, gotAt: saved.gotAt };
}
