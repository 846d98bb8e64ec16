import { existsSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { execa } from 'execa';
import which from 'which';
import { EXIT, UserError } from '../job/user-error.ts';

/** The first Claude Code in which all that we use of it works as we need it (its own change log). */
export const CLIENT_FLOOR = '2.1.143';

const LIMIT_MS = 10_000;
const INSTALL = `npm install -g @anthropic-ai/claude-code (${CLIENT_FLOOR} or newer)`;
const SET_PATH = 'cc-delegate config set claude.path /absolute/path/of/claude';

/** The client, found and asked. */
export interface Client {
  /** Absolute; links are not followed. */
  readonly path: string;
  readonly version: string;
}

/**
 * The client of the claude engine: the path the user has set, else `claude` on the PATH, from absolute entries outside
 * of `repository` only. It is asked for its version with a private home and nothing of our environment. Throws
 * UserError (exit 6) where there is none, where it does not answer, or where it is too old.
 */
export async function findClient(
  env: NodeJS.ProcessEnv,
  configured: string | null,
  repository: string | null = null,
): Promise<Client> {
  const path = configured ?? (await onPath(env, repository));
  if (path === null) {
    throw problem(
      'client_missing',
      'Claude Code is not on the PATH',
      'claude',
      `${INSTALL}, or: ${SET_PATH}`,
    );
  }
  if (!existsSync(path)) {
    throw problem(
      'client_missing',
      'there is no Claude Code where claude.path says',
      path,
      `${SET_PATH}, or: cc-delegate config unset claude.path`,
    );
  }
  const { version, said } = await askInPrivate(path);
  if (version === null) {
    throw problem(
      'client_broken',
      `Claude Code does not say its version: ${said}`,
      path,
      `${INSTALL}, or: ${SET_PATH}`,
    );
  }
  if (isAtLeast(version, CLIENT_FLOOR)) return { path, version };
  throw problem(
    'client_old',
    `Claude Code ${version} is too old for the claude engine`,
    path,
    `claude update (${CLIENT_FLOOR} or newer), or: ${SET_PATH}`,
  );
}

async function onPath(env: NodeJS.ProcessEnv, repository: string | null): Promise<string | null> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const found = await which('claude', { nothrow: true, all: true, path: folders.join(delimiter) });
  return found?.find((path) => repository === null || !isInside(path, repository)) ?? null;
}

/** As it is named, or where its links lead. */
function isInside(path: string, folder: string): boolean {
  const base = realpathSync(folder);
  return [path, realpathSync(path)].some((each) => [folder, base].some((top) => each.startsWith(top + sep)));
}

async function askInPrivate(path: string): Promise<SaidVersion> {
  const home = await mkdtemp(join(tmpdir(), 'cc-delegate-client-'));
  // A client that is a script needs its interpreter: our own node, or one of the system's. No other is sure to be seen
  // in the sandbox, so none beside the client is looked for.
  const PATH = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  try {
    return await askVersion(path, { HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude'), PATH }, home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** What a client answered: its version (null: none that can be read), or what it said in place of it. */
interface SaidVersion {
  readonly version: string | null;
  readonly said: string;
}

/** Asks the program at `path` for its version, with this environment and nothing else. Never throws for what it does. */
export async function askVersion(path: string, env: NodeJS.ProcessEnv, cwd: string): Promise<SaidVersion> {
  const answer = await execa(path, ['--version'], {
    reject: false,
    timeout: LIMIT_MS,
    stdin: 'ignore',
    cwd,
    env,
    extendEnv: false,
    maxBuffer: 65_536,
  });
  const said = answer.timedOut
    ? `no answer in ${LIMIT_MS / 1000} s`
    : firstLine(String(answer.stderr), answer.message);
  return { version: answer.failed ? null : versionIn(String(answer.stdout)), said };
}

function firstLine(stderr: string, message: string | undefined): string {
  return (stderr.trim() || message || 'it printed none').split('\n')[0] ?? '';
}

/** What `claude --version` printed, as a version; null when it holds none. */
export function versionIn(text: string): string | null {
  return /\b(\d+\.\d+\.\d+)\b/.exec(text)?.[1] ?? null;
}

/** Is this version at least that one? */
export function isAtLeast(version: string, floor: string): boolean {
  const [a, b] = [version, floor].map((each) => each.split('.').map(Number));
  for (let at = 0; at < 3; at += 1) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function problem(code: string, what: string, value: string, remedy: string): UserError {
  return new UserError({ code, what, value, remedy, exit: EXIT.environment });
}
