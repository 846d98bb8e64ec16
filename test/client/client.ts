import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';
import { needs } from '../helpers/needs.ts';
import { makeFolder } from '../helpers/repository.ts';
import { killTree } from './process-tree.ts';

/** The client these tests are written for; an older one is not asked. */
const OLDEST = [2, 1, 332] as const;

const KEY = 'sk-ant-fake-key-of-the-tests-only';

/**
 * The absolute path of the real client: CC_DELEGATE_TEST_CLAUDE, else `claude` on PATH. Without one, with one that is
 * too old, or without the tmux it is typed into, the test is skipped with the reason; in the gate, which installs it, that is a failure.
 */
export function needsClient(test: Pick<TestContext, 'skip'>): string {
  needs(test, 'tmux');
  const found = findClient();
  if (typeof found === 'string') return found;
  if (process.env.CC_DELEGATE_TEST_STRICT === '1') throw new Error(found.reason);
  return test.skip(`needs the real client: ${found.reason}`);
}

function findClient(): string | { readonly reason: string } {
  const named = process.env.CC_DELEGATE_TEST_CLAUDE;
  if (named !== undefined && !isAbsolute(named)) {
    return { reason: `CC_DELEGATE_TEST_CLAUDE is no absolute path: ${named}` };
  }
  const program = named ?? 'claude';
  try {
    const said = execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 30_000 });
    const path = named ?? execFileSync('sh', ['-c', 'command -v claude'], { encoding: 'utf8' }).trim();
    if (isOldEnough(said)) return path;
    return { reason: `it is ${said.trim()}, and ${OLDEST.join('.')} or later is needed` };
  } catch {
    return { reason: `${program} does not run; set CC_DELEGATE_TEST_CLAUDE to its absolute path` };
  }
}

function isOldEnough(said: string): boolean {
  const version = /(\d+)\.(\d+)\.(\d+)/.exec(said)?.slice(1).map(Number) ?? [];
  for (const [at, least] of OLDEST.entries()) {
    const part = version[at] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** A person with a clean home folder, who has used the client before and trusts these repositories. */
export interface ClientHome {
  readonly client: string;
  readonly home: string;
  /** Where the person's own delegations are kept: CC_DELEGATE_HOME. */
  readonly userDirectory: string;
  /** Made from nothing; what a client of this person is started with. */
  readonly env: Record<string, string>;
}

export interface ClientHomeOptions {
  readonly client: string;
  /** The supervisor's endpoint. */
  readonly url: string;
  /** Folders the person has said to trust. */
  readonly trusted: readonly string[];
  /** An existing home, as a World's: nothing in it is taken away. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Makes the home: onboarding behind it, the fake key accepted, the folders trusted, telemetry off. */
export function clientHome(options: ClientHomeOptions): ClientHome {
  const home = options.home ?? makeFolder('cc-delegate-home-');
  const seed = {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: OLDEST.join('.'),
    theme: 'dark',
    numStartups: 5,
    // The client remembers an accepted key by its last 20 characters.
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: Object.fromEntries(
      options.trusted.map((folder) => [
        realpathSync(folder),
        { hasTrustDialogAccepted: true, allowedTools: [], hasCompletedProjectOnboarding: true },
      ]),
    ),
  };
  mkdirSync(join(home, '.claude'), { recursive: true });
  writeFileSync(join(home, '.claude.json'), JSON.stringify(seed));
  // Else an interactive start without permissions asks whether that is meant.
  writeFileSync(
    join(home, '.claude', 'settings.json'),
    JSON.stringify({ skipDangerousModePermissionPrompt: true }),
  );
  const userDirectory = join(home, '.cc-delegate');
  const env = {
    HOME: home,
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TMPDIR: makeFolder('cc-delegate-tmp-'),
    ANTHROPIC_BASE_URL: options.url,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    // Without it the client refuses to skip permissions as root.
    IS_SANDBOX: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    CC_DELEGATE_HOME: userDirectory,
    CC_DELEGATE_STATE: join(home, 'state'),
    ...options.env,
  };
  return { client: options.client, home, userDirectory, env };
}

export interface PrintOptions {
  readonly cwd: string;
  /** A plugin's folder, for this session alone. */
  readonly plugin?: string;
  /** More arguments for the client. Bash is allowed unless they say something about permissions. */
  readonly args?: readonly string[];
  /** At most; 90. */
  readonly seconds?: number;
}

export interface PrintAnswer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of `--output-format stream-json`. */
  readonly lines: readonly Record<string, unknown>[];
}

/** Runs `claude -p` with a prompt to its end. Whatever it has started that still runs then is left alone. */
export async function runPrint(
  home: ClientHome,
  prompt: string,
  options: PrintOptions,
): Promise<PrintAnswer> {
  const more = options.args ?? [];
  const permissions = more.some((arg) => /^--(allowedTools|permission-mode|dangerously)/.test(arg));
  const answer = await runClient(
    home,
    [
      '-p',
      prompt,
      ...(options.plugin === undefined ? [] : ['--plugin-dir', options.plugin]),
      ...['--output-format', 'stream-json', '--verbose', '--model', 'claude-haiku-4-5'],
      ...(permissions ? [] : ['--allowedTools', 'Bash']),
      ...more,
    ],
    options,
  );
  return { ...answer, lines: parseLines(answer.stdout) };
}

/** Runs the client with these arguments (`plugin install …`) and stdin closed. */
export function runClient(
  home: ClientHome,
  args: readonly string[],
  options: { readonly cwd: string; readonly seconds?: number },
): Promise<Omit<PrintAnswer, 'lines'>> {
  return new Promise((resolve) => {
    const child = spawn(home.client, args, {
      cwd: options.cwd,
      env: home.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const out = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (out.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (out.stderr += text));
    const tooLong = setTimeout(() => killTree(child.pid), (options.seconds ?? 90) * 1000);
    onTestFinished(() => killTree(child.exitCode === null ? child.pid : undefined));
    // Not `close`: what it has left behind may hold its stdout.
    child.once('exit', (code) => {
      clearTimeout(tooLong);
      setImmediate(() => resolve({ exit: code ?? -1, ...out }));
    });
  });
}

function parseLines(stdout: string): Record<string, unknown>[] {
  return stdout.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      // Not everything the client prints is JSON; the tests that care look at stdout.
      return [];
    }
  });
}
