import { readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createExclusive } from '../../store/atomic-file.ts';
import { ensureFolder } from '../../store/folders.ts';
import { isDestination } from './first-send.ts';
import { covers, type Grant, mintedAt } from './grant.ts';
import type { Need } from './need.ts';

/** Session ids are the client's; one that could leave the folder is none. */
const SESSION = /^[A-Za-z0-9_-]{1,128}$/;

/** Writes a grant for one session; a file each, so that two never meet. Throws UserError `storage`. */
export function mint(userDir: string, session: string, grant: Grant): void {
  const folder = folderOf(userDir, session);
  if (folder === null) return;
  ensureFolder(folder);
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  // The kind is in the name for the hooks' shell, which starts nothing while there is no dialog to take back.
  const name = `${grant.kind}-${randomBytes(9).toString('hex')}.json`;
  createExclusive(join(folder, name), `${JSON.stringify(grant)}\n`);
}

/** Has the person typed a command that covers this call? It stays. A dialog's grant has not been said yes to yet. */
export function isTyped(userDir: string, session: string, call: Call): boolean {
  return fitting(userDir, session, call).some(({ grant }) => grant.kind === 'typed');
}

/** Uses a grant up: of many callers with the same one exactly one gets it. */
export function burn(userDir: string, session: string, call: Call): Grant | null {
  return fitting(userDir, session, call).find(({ path }) => removed(path))?.grant ?? null;
}

/** Calls that the model makes at once come within this time; nobody reads a dialog and says no as fast. */
const AT_ONCE_MS = 2000;

/**
 * Takes back what dialogs were shown for and nobody has used: the person said no, or something else came up. `now` is
 * milliseconds since 1970.
 */
export function revokeDialogs(userDir: string, session: string, now: number): void {
  for (const { path, grant } of grantsOf(userDir, session)) {
    if (grant.kind === 'dialog' && now - mintedAt(grant) >= AT_ONCE_MS) removed(path);
  }
}

export interface Call {
  /** What follows `cc-delegate`. */
  readonly argv: readonly string[];
  readonly need: Need;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Kept {
  readonly path: string;
  readonly grant: Grant;
}

function fitting(userDir: string, session: string, { argv, need, now }: Call): Kept[] {
  const kept = grantsOf(userDir, session);
  for (const { path, grant } of kept) if (grant.expiresAt <= now) removed(path);
  return kept.filter(({ grant }) => covers(grant, argv, need, now));
}

function grantsOf(userDir: string, session: string): Kept[] {
  const folder = folderOf(userDir, session);
  if (folder === null) return [];
  return names(folder).flatMap((name) => {
    const path = join(folder, name);
    const grant = read(path);
    return grant === null ? [] : [{ path, grant }];
  });
}

function folderOf(userDir: string, session: string): string | null {
  return SESSION.test(session) ? join(userDir, 'grants', session) : null;
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch {
    // Nobody was ever granted anything in this session.
    return [];
  }
}

function removed(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    // Somebody else has used it up in this moment.
    return false;
  }
}

function read(path: string): Grant | null {
  try {
    return asGrant(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Gone, or nothing we wrote: no consent can be read from it.
    return null;
  }
}

function asGrant(value: unknown): Grant | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, verb, words, argv, to, expiresAt } = value as Record<string, unknown>;
  if (typeof expiresAt !== 'number' || !Number.isFinite(expiresAt)) return null;
  if (kind === 'typed' && typeof verb === 'string' && isWords(words)) return { kind, verb, words, expiresAt };
  const named = Array.isArray(to) ? to.filter(isDestination) : [];
  if (kind === 'dialog' && isWords(argv))
    return { kind, argv, ...(named.length > 0 && { to: named }), expiresAt };
  return null;
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
