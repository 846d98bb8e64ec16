import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../store/atomic-file.ts';
import { ensureFolder } from '../store/folders.ts';
import { GRANT_LIFE_MS } from './consent/grant.ts';
import { mint } from './consent/grants.ts';

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

/**
 * Takes the key that the person entered in the plugin's own settings into the file of saved keys, by the program, which
 * gets it on stdin. Once for each key entered: a key that was set later by other means is not put back. Entering it
 * there is the person's consent, and so a grant is minted. Says for which provider; null when there is nothing to take.
 */
export function takeOverKey({ userDir, session, env, program, now }: Takeover): string | null {
  const key = env.CLAUDE_PLUGIN_OPTION_API_KEY?.trim() ?? '';
  const provider = env.CLAUDE_PLUGIN_OPTION_PROVIDER?.trim() || 'openrouter';
  if (key === '' || !/^[a-z0-9-]{1,64}$/.test(provider)) return null;
  // Asked for here, not above: loading them is a fifth of a hook's start, and hardly ever is there a key.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const { spawn } = process.getBuiltinModule('node:child_process');
  const digest = createHash('sha256').update(`${provider}\n${key}`).digest('hex');
  const taken = join(userDir, 'plugin-key');
  if (textOf(taken).trim() === digest && hasKey(userDir, provider)) return null;
  const argv = ['config', 'key', 'set', provider];
  mint(userDir, session, { kind: 'dialog', argv, expiresAt: now + GRANT_LIFE_MS });
  ensureFolder(userDir);
  writeAtomic(taken, `${digest}\n`, { durable: false });
  const { CLAUDE_PLUGIN_OPTION_API_KEY: _, ...others } = env;
  const child = spawn(process.execPath, [join(program, 'cli.js'), ...argv], {
    detached: true,
    env: { ...others, CLAUDE_CODE_SESSION_ID: session },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // It could not be started: the next session finds no key saved, and tries again.
  child.once('error', () => undefined);
  // It ended before it had read the key: the same.
  child.stdin.once('error', () => undefined);
  child.stdin.end(`${key}\n`);
  child.unref();
  return provider;
}

function hasKey(userDir: string, provider: string): boolean {
  try {
    const { providers } = JSON.parse(textOf(join(userDir, 'credentials.json')));
    return typeof providers?.[provider]?.key === 'string';
  } catch {
    // No such file, or not its form: the program says so when it is called.
    return false;
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
