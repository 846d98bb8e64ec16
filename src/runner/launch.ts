import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { ModelRef } from '../engine/engine.ts';
import type { JobId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { runtimeCopy } from './runtime.ts';

/** What a runner must not find in its environment, its arguments or a file: it comes by a pipe. */
export interface Secrets {
  readonly models: readonly ModelRef[];
  /** The grader's own, with its fallbacks; empty: the worker's models judge. */
  readonly grader: readonly ModelRef[];
  /** Models of sub-agents, by role; a role that has none works with the worker's. */
  readonly roles: Readonly<Record<string, readonly ModelRef[]>>;
  /** For a client's side calls; null: the first of `models` does them. */
  readonly small: ModelRef | null;
  readonly passEnv: Readonly<Record<string, string>>;
}

/** All of them: none of their keys may be written anywhere. */
export function allModels({ models, grader, roles, small }: Secrets): ModelRef[] {
  return [...models, ...grader, ...Object.values(roles).flat(), ...(small === null ? [] : [small])];
}

export interface Launch {
  readonly mode: 'run' | 'salvage';
  readonly repo: string;
  readonly id: JobId;
  /** The folder of the built program, which holds `runner/`. */
  readonly program: string;
  readonly stateDirectory: string;
  readonly runnerLog: string;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: Secrets;
}

/** A runner that was started. `exited` resolves, with what it said last, if it ends while we look. */
export interface LaunchedRunner {
  readonly pid: number;
  readonly exited: Promise<number | null>;
}

/** The pipe by which a runner gets its secrets. */
export const SECRETS_FD = 3;

// What a runner needs of its caller's environment. Keys are not among it.
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|XDG_STATE_HOME|CC_DELEGATE_(HOME|STATE|TEST_PAUSE)|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy)$/;

// Where a toolchain lives: the worker's commands need them, the runner only hands them on.
const TOOLCHAINS =
  /^(JAVA_HOME|GOROOT|GOPATH|RUSTUP_HOME|CARGO_HOME|PYENV_ROOT|NVM_DIR|VOLTA_HOME|FNM_DIR|SDKMAN_DIR|ASDF_DIR|MISE_DATA_DIR|TOKENIZERS_PARALLELISM|MAX_TOKENS)$/;

/**
 * Starts a runner that outlives its parent: a session of its own, no terminal, output to a file, started
 * from a copy that an update of the plugin cannot pull away. Resolves once the runner has its secrets.
 */
export async function launchRunner(launch: Launch): Promise<LaunchedRunner> {
  const program = runtimeCopy(launch.program, launch.stateDirectory);
  const log = openSync(launch.runnerLog, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [program, launch.mode, launch.repo, launch.id], {
      cwd: '/',
      detached: true,
      env: cleanEnvironment(launch.env),
      stdio: ['ignore', log, log, 'pipe'],
    });
    const exited = new Promise<number | null>((resolve) => {
      child.once('exit', resolve);
      child.once('error', () => resolve(null));
    });
    const pipe = child.stdio[SECRETS_FD];
    if (child.pid === undefined || !pipe || !('write' in pipe)) throw notStarted(program);
    await new Promise<void>((resolve, reject) => {
      pipe.once('error', reject);
      pipe.end(JSON.stringify(launch.secrets), resolve);
    }).catch((error: unknown) => {
      throw notStarted(program, error);
    });
    child.unref();
    return { pid: child.pid, exited };
  } finally {
    closeSync(log);
  }
}

/** The variables a runner starts with: an allow-list. */
export function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => INHERITED.test(name) || TOOLCHAINS.test(name));
  return { ...Object.fromEntries(kept), CC_DELEGATE_WORKER: '1' };
}

function notStarted(program: string, cause?: unknown): UserError {
  return new UserError(
    {
      code: 'launch_failed',
      what: 'the runner could not be started',
      value: program,
      remedy: 'look at the runner.log of the job, then try again',
      exit: EXIT.environment,
    },
    { cause },
  );
}
