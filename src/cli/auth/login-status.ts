import type { LoginKind } from '../../provider/access.ts';
import type { Credentials } from '../../provider/credentials.ts';
import { accessOf, freshLogin } from '../../provider/login/fresh-login.ts';
import { loginCommand } from '../../provider/login/headers.ts';
import { findLogin, type SavedLogin } from '../../provider/login/saved-logins.ts';
import type { Access } from './status.ts';

interface Question extends Pick<Access, 'name' | 'provider'> {
  readonly owner: 'profile' | 'provider';
  readonly kind: LoginKind;
  readonly credentials: Credentials;
  readonly env: NodeJS.ProcessEnv;
  readonly check: boolean;
}

/**
 * A login as its service sees it. Copilot is asked for the next short-lived token, which is free and changes nothing;
 * ChatGPT only where its token is due, or with `check`, since each renewal uses up a refresh token.
 */
export async function loginAccessOf(question: Question): Promise<Access> {
  const { name, owner, provider, kind, credentials, env, check } = question;
  const base = { name, owner, provider, how: 'login', detail: null, expiresAt: null, remedy: null };
  const login = findLogin(credentials, kind, owner === 'profile' ? name : null);
  if (login === null) return { ...base, how: 'none', state: 'missing', remedy: loginCommand(name) };
  const fresh = await freshLogin(login, env, { force: check || kind === 'copilot' });
  const remedy = loginCommand(login.owner);
  switch (fresh.kind) {
    case 'ok':
      return { ...base, state: 'valid', expiresAt: expiryOf(fresh.value) };
    case 'refused':
      return { ...base, state: 'refused', detail: fresh.why, remedy };
    case 'missing':
      return { ...base, how: 'none', state: 'missing', remedy };
    case 'unclear':
      return { ...base, state: 'unknown', detail: fresh.why };
  }
}

/** A login whose profile is gone. */
export function orphanAccess(owner: string, saved: SavedLogin | null): Access {
  return {
    name: owner,
    owner: 'nobody',
    provider: saved?.kind ?? '-',
    how: 'login',
    state: 'present',
    detail: 'nothing uses it',
    expiresAt: null,
    remedy: `cc-delegate auth logout ${owner}`,
  };
}

function expiryOf(saved: SavedLogin): string | null {
  const expiresAt = accessOf(saved)?.expiresAt ?? null;
  return expiresAt === null ? null : new Date(expiresAt).toISOString();
}
