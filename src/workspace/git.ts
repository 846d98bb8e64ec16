import { EXIT, UserError } from '../job/user-error.ts';
import { hostEnvironment, NEUTRAL_CONFIG, QUIET_CONFIG, userEnvironment } from './git-environment.ts';
import { gitProgram } from './git-program.ts';
import { runProgram } from './run-program.ts';

/** git said no, in a way that is not the user's to put right: its exit code and its own words. */
export class GitError extends Error {
  readonly args: readonly string[];
  readonly exitCode: number | null;
  readonly stderr: string;

  constructor(failure: { args: readonly string[]; exitCode: number | null; stderr: string }) {
    const words = failure.stderr.trim() || 'no message';
    super(`git ${failure.args.slice(0, 3).join(' ')} ended with ${failure.exitCode ?? 'a signal'}: ${words}`);
    this.name = 'GitError';
    this.args = failure.args;
    this.exitCode = failure.exitCode;
    this.stderr = failure.stderr;
  }
}

export interface GitOptions {
  /** stdin; empty and closed without it. */
  readonly input?: Uint8Array;
  /** stdin, from a file that may be big. */
  readonly inputFile?: string;
  /** Added to the environment made from nothing. */
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are an answer, not an error. Default: 0 alone. */
  readonly accept?: readonly number[];
  readonly timeoutMs?: number;
}

export interface GitAnswer {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Where a user's repository is run in: its checkout, or the common git directory when only refs matter. */
export interface UserPlace {
  readonly checkout: string;
}
export interface CommonPlace {
  readonly commonDir: string;
}

/**
 * Runs git in the user's checkout with their configuration under our overrides (no hooks, prompts,
 * signing, gc, index refresh). Throws `GitError`; a refusal over ownership or a full disk is a
 * `UserError` with exit 6 that quotes git.
 */
export function userGit(
  place: UserPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitAnswer> {
  return runGit(place.checkout, [...QUIET_CONFIG, ...args], userEnvironment(process.env), options);
}

/** The same on the shared git directory: for refs and objects, alive even if the checkout is gone. */
export function refsGit(
  place: CommonPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitAnswer> {
  const env = { ...userEnvironment(process.env), GIT_DIR: place.commonDir };
  return runGit(place.commonDir, [...QUIET_CONFIG, ...args], env, options);
}

/** A git directory that we made, never the worker's own. */
export interface HostPlace {
  readonly gitDir: string;
  readonly workTree?: string;
}

/** Runs git on a git directory of our making, with no configuration but ours. Errors as `userGit`. */
export function hostGit(
  place: HostPlace & { readonly args: readonly string[] },
  options: GitOptions = {},
): Promise<GitAnswer> {
  const { args, env } = hostCommand(place);
  // In the work tree's root, since some commands list only what is below the current folder.
  return runGit(place.workTree ?? place.gitDir, args, env, options);
}

/** The same as argv and environment, for a git that has to run inside the sandbox. */
export function hostGitArgv(place: HostPlace & { readonly args: readonly string[] }): {
  argv: [string, ...string[]];
  env: Record<string, string>;
} {
  const { args, env } = hostCommand(place);
  return { argv: [gitProgram(place.workTree ?? place.gitDir, env.PATH), ...args], env };
}

function hostCommand(place: HostPlace & { readonly args: readonly string[] }): {
  args: string[];
  env: Record<string, string> & { PATH: string };
} {
  const base = hostEnvironment(process.env);
  const workTree = place.workTree === undefined ? {} : { GIT_WORK_TREE: place.workTree };
  return {
    args: [...QUIET_CONFIG, ...NEUTRAL_CONFIG, ...place.args],
    env: { ...base, PATH: base.PATH ?? '', GIT_DIR: place.gitDir, ...workTree },
  };
}

async function runGit(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  options: GitOptions,
): Promise<GitAnswer> {
  const { input, inputFile, timeoutMs = 600_000, accept = [0] } = options;
  const { stdout, exitCode, ...end } = await runProgram({
    program: gitProgram(cwd, env.PATH ?? ''),
    args,
    cwd,
    env: { ...env, ...options.env },
    timeoutMs,
    ...(input !== undefined && { input }),
    ...(inputFile !== undefined && { inputFile }),
  });
  const stderr = end.stderr.toString('utf8');
  if (exitCode !== null && accept.includes(exitCode)) return { stdout, stderr, exitCode };
  const words = stderr === '' && end.fault !== null ? end.fault : stderr;
  throw explain(new GitError({ args: withoutConfig(args), exitCode, stderr: words }), cwd);
}

function withoutConfig(args: readonly string[]): readonly string[] {
  const first = args.findIndex((arg, at) => arg !== '-c' && args[at - 1] !== '-c');
  return first === -1 ? args : args.slice(first);
}

/** What the user can put right, in git's own words; everything else stays as it was. */
function explain(error: GitError, cwd: string): Error {
  if (/dubious ownership|safe\.directory/.test(error.stderr)) {
    return new UserError(
      {
        code: 'git_refused',
        what: `git refuses this repository: ${firstLine(error.stderr)}`,
        value: cwd,
        remedy: `make it yours, or run: git config --global --add safe.directory ${cwd}`,
        exit: EXIT.environment,
      },
      { cause: error },
    );
  }
  if (/No space left on device|Disk quota exceeded|Read-only file system/i.test(error.stderr)) {
    return new UserError(
      {
        code: 'storage',
        what: `git could not write: ${firstLine(error.stderr)}`,
        value: cwd,
        remedy: 'make room on that disk (or make it writable) and try again',
        exit: EXIT.environment,
      },
      { cause: error },
    );
  }
  return error;
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

/** The one line git printed, without its line break. */
export function line(answer: GitAnswer): string {
  return answer.stdout.toString('utf8').replace(/\n$/, '');
}

/** The fields of a `-z` output as bytes: file names need not be UTF-8. */
export function fields(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
    found.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return found;
}
