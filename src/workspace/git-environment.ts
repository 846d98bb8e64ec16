import { delimiter, isAbsolute } from 'node:path';

/**
 * What every git of ours is told, whoever's configuration it reads: no program of the repository may run,
 * nothing may ask, nothing may tidy up behind our back.
 */
export const QUIET_CONFIG: readonly string[] = pairs({
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  'core.editor': 'false',
  'core.askPass': 'false',
  'core.alternateRefsCommand': 'true',
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'credential.helper': '',
  'submodule.recurse': 'false',
  'fetch.recurseSubmodules': 'false',
  'fetch.writeCommitGraph': 'false',
  'color.ui': 'false',
  'advice.detachedHead': 'false',
});

/**
 * One neutral reading of files for clone and collection, so that the two cannot disagree: bytes as they
 * are unless an attribute that is in the tree says otherwise. No filter is defined, so none can run.
 */
export const NEUTRAL_CONFIG: readonly string[] = pairs({
  'core.autocrlf': 'false',
  'core.safecrlf': 'false',
  'core.eol': 'lf',
  'core.ignoreCase': 'false',
  'core.precomposeUnicode': 'false',
  'core.fileMode': 'true',
  'core.symlinks': 'true',
  'core.sparseCheckout': 'false',
  'core.quotePath': 'false',
  'core.logAllRefUpdates': 'false',
  'core.untrackedCache': 'false',
  'core.splitIndex': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'index.version': '2',
  'feature.manyFiles': 'false',
});

function pairs(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}

/** Without relative and empty entries: those would look for programs in the current folder. */
export function absolutePath(path: string | undefined): string {
  const entries = (path ?? '').split(delimiter).filter((entry) => isAbsolute(entry));
  return entries.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : entries.join(delimiter);
}

const ALWAYS: Readonly<Record<string, string>> = {
  LANG: 'C.UTF-8',
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_PAGER: 'cat',
  // A status of ours never rewrites the user's index.
  GIT_OPTIONAL_LOCKS: '0',
  // Nothing is fetched from anywhere but from a file of ours.
  GIT_ALLOW_PROTOCOL: 'file',
  GIT_NO_LAZY_FETCH: '1',
};

/** For git in the user's repository: their configuration is read, inherited GIT_* variables are not. */
export function userEnvironment(caller: NodeJS.ProcessEnv): Record<string, string> {
  const { HOME, XDG_CONFIG_HOME } = caller;
  return {
    PATH: absolutePath(caller.PATH),
    ...(HOME === undefined ? {} : { HOME }),
    ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
    ...ALWAYS,
  };
}

/** For git in a folder of our own making: no configuration but that folder's. */
export function hostEnvironment(caller: NodeJS.ProcessEnv): Record<string, string> {
  return {
    PATH: absolutePath(caller.PATH),
    HOME: '/nonexistent',
    ...ALWAYS,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
  };
}
