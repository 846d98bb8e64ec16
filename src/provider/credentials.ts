import { dirname, join } from 'node:path';
import * as z from 'zod';
import { EXIT, UserError } from '../job/user-error.ts';
import { type PathEnvironment, userDirectory } from '../store/paths.ts';
import { makePrivate, readUserFile, updateUserFile, type Warn } from './user-file.ts';

/**
 * A saved key belongs to one profile or one provider, and remembers the provider and host it was given for, so
 * that a profile that is pointed elsewhere later does not take the key along.
 */
const entrySchema = z.looseObject({ key: z.string().min(1), provider: z.string(), host: z.string() });
export type SavedKey = Readonly<z.infer<typeof entrySchema>>;

const fileSchema = z.looseObject({
  schema: z.literal(1),
  profiles: z.record(z.string(), entrySchema),
  providers: z.record(z.string(), entrySchema),
  /** Of subscriptions; `login/saved-logins.ts` knows their form. */
  logins: z.record(z.string(), z.unknown()).optional(),
});
export type Credentials = z.infer<typeof fileSchema>;

/**
 * The older Python product keeps its keys in the same place: name of a variable → key. They stay where they are, beside
 * ours once there are some; both programs go on finding theirs.
 */
const olderSchema = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string());

/** Whose key it is. */
export type KeyOwner =
  | { readonly kind: 'profile'; readonly name: string }
  | { readonly kind: 'provider'; readonly name: string };

const KEY_MAX = 16_384;

export function credentialsPath(env: PathEnvironment): string {
  return join(userDirectory(env), 'credentials.json');
}

/**
 * All saved keys, read afresh; none without a file. A file or folder open to others is closed and `warn` is told.
 * Throws UserError (exit 6) when the file is not ours to understand; its content is never repeated.
 */
export function readCredentials(env: PathEnvironment, warn: Warn): Credentials {
  const path = credentialsPath(env);
  makePrivate(dirname(path), warn);
  makePrivate(path, warn);
  return parseCredentials(path, readUserFile(path));
}

/** The keys of the older product in another folder; none without a file. Throws UserError (exit 6) as the file does. */
export function readOlderCredentials(path: string): Credentials {
  return parseCredentials(path, readUserFile(path));
}

/**
 * Takes our keys out of a file that the older product's are in as well. False when there are none of those, and then
 * the file was not changed. Throws UserError (exit 6) as the file does.
 */
export async function keepOlderOnly(path: string): Promise<boolean> {
  let isShared = false;
  await updateUserFile(path, (text) => {
    const {
      schema: _schema,
      profiles: _profiles,
      providers: _providers,
      logins: _logins,
      ...others
    } = parseCredentials(path, text);
    isShared = Object.keys(others).length > 0;
    return isShared ? `${JSON.stringify(others, null, 2)}\n` : (text ?? '');
  });
  return isShared;
}

/** A key the older product saved under the name of a variable; null when there is none. */
export function olderKey(credentials: Credentials, variable: string): string | null {
  const key = Object.hasOwn(credentials, variable) ? credentials[variable] : undefined;
  return typeof key === 'string' && key.trim() !== '' ? key.trim() : null;
}

/** Saves a key in place of an older one. Throws UserError: exit 2 for what cannot be a key, exit 6 as the file does. */
export async function setKey(
  env: PathEnvironment,
  owner: KeyOwner,
  saved: SavedKey,
  warn: Warn,
): Promise<void> {
  requireKeyForm(saved.key);
  await editCredentials(env, warn, (credentials) => {
    credentials[collection(owner)][owner.name] = saved;
  });
}

/** Forgets a key; says whether there was one. Throws UserError (exit 6) as the file does. */
export async function removeKey(env: PathEnvironment, owner: KeyOwner, warn: Warn): Promise<boolean> {
  let removed = false;
  await editCredentials(env, warn, (credentials) => {
    const entries = credentials[collection(owner)];
    removed = Object.hasOwn(entries, owner.name);
    delete entries[owner.name];
  });
  return removed;
}

/** Changes the file under its lock, from what it holds at this moment. Throws UserError (exit 6) as the file does. */
export async function editCredentials(
  env: PathEnvironment,
  warn: Warn,
  edit: (credentials: Credentials) => void,
): Promise<void> {
  const path = credentialsPath(env);
  makePrivate(dirname(path), warn);
  makePrivate(path, warn);
  await updateUserFile(path, (text) => {
    const credentials = parseCredentials(path, text);
    const before = JSON.stringify(credentials);
    edit(credentials);
    if (text === null && JSON.stringify(credentials) === before) return '';
    return `${JSON.stringify(credentials, null, 2)}\n`;
  });
}

function collection(owner: KeyOwner): 'profiles' | 'providers' {
  return owner.kind === 'profile' ? 'profiles' : 'providers';
}

function parseCredentials(path: string, text: string | null): Credentials {
  if (text === null || text.trim() === '') return { schema: 1, profiles: {}, providers: {} };
  const value = fromJson(text);
  const older = olderSchema.safeParse(value);
  if (older.success) return { ...older.data, schema: 1, profiles: {}, providers: {} };
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UserError({
    code: 'corrupt_credentials',
    what: 'the file of saved keys is not of a form this version knows',
    value: path,
    remedy: 'move it away and set the keys again: cc-delegate config key set PROFILE; it was not changed',
    exit: EXIT.environment,
  });
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so not the file's form either; the error's own text would repeat a piece of the file.
    return undefined;
  }
}

/** Throws UserError (exit 2) unless the key can stand in an HTTP header. The key is not repeated. */
function requireKeyForm(key: string): void {
  if (key.length <= KEY_MAX && /^[!-~]+$/.test(key)) return;
  const why =
    key === ''
      ? 'it is empty'
      : key.length > KEY_MAX
        ? 'it is too long'
        : 'it holds spaces or other characters';
  throw new UserError({
    code: 'invalid_key',
    what: `this cannot be a key: ${why}`,
    value: `${key.length} characters`,
    remedy: 'give the key alone, on one line, as the provider shows it',
    exit: EXIT.usage,
  });
}

/** What may be shown of a key: enough to tell two apart, nothing of a short one. */
export function maskKey(key: string): string {
  return key.length >= 16 ? `…${key.slice(-4)}` : '…';
}
