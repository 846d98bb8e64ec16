import { dirname, join } from 'node:path';
import { absolutePath } from '../git-environment.ts';

export type Environment = Readonly<Record<string, string>>;

export interface EnvironmentSource {
  /** The environment of the process that asks; only names of the allow-list are taken from it. */
  readonly caller: Readonly<Record<string, string | undefined>>;
  /** Where toolchains of the real home were found, by their variables; see toolchains.ts. */
  readonly toolchains: Environment;
  /** What the user named with `--pass-env`. */
  readonly passEnv: Environment;
  readonly jobId: string;
  /** Absolute. */
  readonly workspace: string;
  readonly home: string;
  readonly temp: string;
}

/** The variable that marks every process of a job. */
export const JOB_MARKER = 'CC_DELEGATE_JOB';

const ALLOWED: ReadonlySet<string> = new Set([
  'LANG',
  'TZ',
  'USER',
  'LOGNAME',
  'JAVA_HOME',
  'GOROOT',
  'GOPATH',
  'RUSTUP_HOME',
  'CARGO_HOME',
  'PYENV_ROOT',
  'NVM_DIR',
  'VOLTA_HOME',
  'FNM_DIR',
  'SDKMAN_DIR',
  'ASDF_DIR',
  'MISE_DATA_DIR',
  'TOKENIZERS_PARALLELISM',
  'MAX_TOKENS',
]);

/** Nothing may page, ask, colour or open an editor (PROC-04, PROC-05). */
const QUIET: Environment = {
  CI: 'true',
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  MANPAGER: 'cat',
  EDITOR: 'false',
  VISUAL: 'false',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** No protocol has this name, so git talks to nobody, not even to a path. */
const NO_PROTOCOL = 'none';

/**
 * The environment of everything the worker starts: made from nothing, by an allow-list of names, so that a
 * secret with a harmless name has no way in. A value with credentials in a URL is dropped unless the
 * user named its variable. What keeps git and the private home in their place cannot be overridden.
 */
export function workerEnvironment(source: EnvironmentSource): Environment {
  return {
    ...allowed(source.caller),
    ...source.toolchains,
    PATH: absolutePath(source.caller.PATH),
    ...QUIET,
    ...named(source.passEnv),
    HOME: source.home,
    TMPDIR: source.temp,
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_SEQUENCE_EDITOR: 'false',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_SSH_COMMAND: 'false',
    // Not /dev/null: `git config --global` of root's puts a new file in its place, for the whole machine.
    GIT_CONFIG_GLOBAL: join(source.home, '.gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
    // A git in a workspace that lost its .git must not find the repository around it.
    GIT_CEILING_DIRECTORIES: dirname(source.workspace),
    GIT_ALLOW_PROTOCOL: NO_PROTOCOL,
    CC_DELEGATE_WORKER: '1',
    [JOB_MARKER]: source.jobId,
  };
}

function allowed(caller: EnvironmentSource['caller']): Environment {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    const wanted = ALLOWED.has(name) || name.startsWith('LC_');
    if (wanted && value !== undefined && !holdsCredentials(value)) kept[name] = value;
  }
  return kept;
}

/** Inherited git variables would point git at another repository, whoever names them (GIT-35). */
function named(passEnv: Environment): Environment {
  return Object.fromEntries(Object.entries(passEnv).filter(([name]) => !REPOSITORY_VARIABLE.test(name)));
}

const REPOSITORY_VARIABLE =
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|CONFIG.*)$/;

/** Does the value hold a URL with a user part, e.g. `postgres://u:secret@host/d`? */
export function holdsCredentials(value: string): boolean {
  return /[a-z][a-z0-9+.-]*:\/\/[^/\s@]*@/i.test(value);
}
