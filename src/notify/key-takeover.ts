import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneLine, trimLine } from '../job/format.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import { ensureFolder } from '../store/folders.ts';
import { GRANT_LIFE_MS } from './consent/grant.ts';
import { mint } from './consent/grants.ts';
import { KEY_PROVIDERS } from './key-providers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Takeover {
  readonly userDir: string;
  readonly session: string;
  readonly env: Environment;
  /** The folder of the built program. */
  readonly program: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How far it is with the key that the person entered, as it is at the start of this session. */
export type KeyProgress =
  /** `before`: how many tries failed already. */
  | { readonly kind: 'try'; readonly before: number }
  | { readonly kind: 'taken' }
  /** All was said, or the person has changed or removed since what we saved: it is theirs. */
  | { readonly kind: 'settled' }
  | { readonly kind: 'failed' };

/** What is remembered of the key that was entered last: by its digest, and how often it was tried; null when done. */
export interface KeyMemory {
  readonly digest: string;
  readonly tries: number | null;
}

const MOST_TRIES = 3;

/** Pure. `wasSaved`: the program said so when it was tried last. `there`: the provider's saved key, and ours or not. */
export function keyProgress(
  digest: string,
  memory: KeyMemory | null,
  wasSaved: boolean,
  there: 'ours' | 'other' | 'none',
): KeyProgress {
  if (memory?.digest !== digest) return { kind: 'try', before: 0 };
  if (memory.tries === null) return { kind: 'settled' };
  if (there === 'ours') return { kind: 'taken' };
  if (wasSaved) return { kind: 'settled' };
  // Another key may have been set since by hand: it is not to be lost.
  if (there === 'other' || memory.tries >= MOST_TRIES) return { kind: 'failed' };
  return { kind: 'try', before: memory.tries };
}

/**
 * Takes the key that the person entered in the plugin's own settings into the file of saved keys, by the program, which
 * gets it on stdin. Once for each key entered: one that was changed or removed later is not put back. Entering it there
 * is the person's consent, and so a grant is minted. Returns what the person is to know; null when nothing is new.
 * Throws UserError `storage`.
 */
export function takeOverKey(takeover: Takeover): string | null {
  const { userDir, env } = takeover;
  const key = env.CLAUDE_PLUGIN_OPTION_API_KEY?.trim() ?? '';
  const provider = env.CLAUDE_PLUGIN_OPTION_PROVIDER?.trim() || 'openrouter';
  if (key === '') return null;
  if (!KEY_PROVIDERS.some((id) => id === provider)) return unknownProvider(provider);
  // Asked for here, not above: loading it is a tenth of a hook's start, and hardly ever is there a key.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const digest = createHash('sha256').update(`${provider}\n${key}`).digest('hex');
  const places = placesOf(userDir);
  const saved = savedKey(userDir, provider);
  const there = saved === null ? 'none' : saved === key ? 'ours' : 'other';
  const wasSaved = textOf(places.saved) !== '';
  const progress = keyProgress(digest, readMemory(places.memory), wasSaved, there);
  switch (progress.kind) {
    case 'try':
      remember(userDir, { digest, tries: progress.before + 1 });
      save(takeover, provider, key);
      return `cc-delegate: the key from the plugin's settings is being taken over for ${provider}`;
    case 'taken':
      remember(userDir, { digest, tries: null });
      return `cc-delegate: the key from the plugin's settings is taken over for ${provider}`;
    case 'failed':
      remember(userDir, { digest, tries: null });
      return failure(provider, textOf(places.error));
    case 'settled':
      return null;
  }
}

function unknownProvider(provider: string): string {
  const named = trimLine(oneLine(provider), 40);
  return `cc-delegate: the plugin's settings name the provider "${named}", which is not known, so its key is not used; known: ${KEY_PROVIDERS.join(', ')}`;
}

function failure(provider: string, error: string): string {
  const why = error === '' ? '' : ` (${trimLine(oneLine(error), 160)})`;
  return `cc-delegate: the key from the plugin's settings could not be taken over for ${provider}${why}; type in a terminal: cc-delegate config key set ${provider}`;
}

/** Beside the memory: what the program said when it was tried last. Neither holds the key. */
function placesOf(userDir: string): {
  readonly memory: string;
  readonly saved: string;
  readonly error: string;
} {
  const memory = join(userDir, 'plugin-key');
  return { memory, saved: `${memory}-saved`, error: `${memory}-error` };
}

function save({ userDir, session, env, program, now }: Takeover, provider: string, key: string): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const argv = ['config', 'key', 'set', provider];
  mint(userDir, session, { kind: 'dialog', argv, expiresAt: now + GRANT_LIFE_MS });
  const places = placesOf(userDir);
  const [saved, error] = [openSync(places.saved, 'w', 0o600), openSync(places.error, 'w', 0o600)];
  const { CLAUDE_PLUGIN_OPTION_API_KEY: _, ...others } = env;
  const child = spawn(process.execPath, [join(program, 'cli.js'), ...argv], {
    detached: true,
    env: { ...others, CLAUDE_CODE_SESSION_ID: session },
    stdio: ['pipe', saved, error],
  });
  for (const file of [saved, error]) closeSync(file);
  // It could not be started: the next session finds that nothing was saved, and tries again.
  child.once('error', () => undefined);
  // It ended before it had read the key: the same.
  child.stdin?.once('error', () => undefined);
  child.stdin?.end(`${key}\n`);
  child.unref();
}

function remember(userDir: string, { digest, tries }: KeyMemory): void {
  ensureFolder(userDir);
  writeAtomic(placesOf(userDir).memory, `${digest} ${tries ?? 'done'}\n`, { durable: false });
}

function readMemory(path: string): KeyMemory | null {
  const [, digest = '', tries = ''] = /^([0-9a-f]{64}) (done|\d)\n$/.exec(textOf(path)) ?? [];
  return digest === '' ? null : { digest, tries: tries === 'done' ? null : Number(tries) };
}

/** By the name the program was called with: it takes a profile of this name before the provider. */
function savedKey(userDir: string, name: string): string | null {
  try {
    const { providers, profiles } = JSON.parse(textOf(join(userDir, 'credentials.json')));
    const keys = [profiles, providers].map((saved) => saved?.[name]?.key);
    return keys.find((key) => typeof key === 'string') ?? null;
  } catch {
    // No such file, or not its form: the program says so when it is called.
    return null;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there.
    return '';
  }
}
