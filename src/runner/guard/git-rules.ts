import type { Condition } from './conditions.ts';
import type { Family } from './verdict.ts';

/**
 * Which git commands are refused: the one table of the text guard and of the shim, which is generated from
 * it. Committing, looking, restoring files, new branches and resets within the workspace are the worker's
 * own affair: this is politeness, the sandbox is the barrier.
 */
export interface Rule {
  readonly verbs: readonly string[];
  readonly family: Family;
  readonly when: Condition;
  /** Where it is refused: `anywhere`, not below the job's own temporary folders, or outside of the workspace only. */
  readonly where: 'anywhere' | 'not-own' | 'elsewhere';
}

const ALWAYS: Condition = { kind: 'always' };
const first = (...words: string[]): Condition => ({ kind: 'first', words });
const firstNot = (...words: string[]): Condition => ({ kind: 'firstNot', words });
const word = (...words: string[]): Condition => ({ kind: 'word', words });
const count = (atLeast: number): Condition => ({ kind: 'count', atLeast });
const letter = (letters: string, stop = ''): Condition => ({ kind: 'letter', letters, stop });
const long = (...options: string[]): Condition => ({ kind: 'long', options });
const any = (...of: Condition[]): Condition => ({ kind: 'any', of });
const all = (...of: Condition[]): Condition => ({ kind: 'all', of });

const CHANGES_CONFIG = any(
  count(2),
  letter('e'),
  long('--add', '--edit', '--replace-all', '--unset', '--unset-all', '--remove-section', '--rename-section'),
);

export const RULES: readonly Rule[] = [
  rule('push', 'anywhere', ALWAYS, 'push', 'send-pack', 'http-push', 'receive-pack', 'send-email'),
  rule('push', 'anywhere', word('push'), 'subtree', 'lfs'),
  rule('push', 'anywhere', first('dcommit', 'submit'), 'svn', 'p4'),
  rule('fetch', 'anywhere', ALWAYS, 'fetch', 'pull', 'fetch-pack', 'http-fetch'),
  rule('merge', 'not-own', ALWAYS, 'merge'),
  rule('merge', 'not-own', word('add', 'merge', 'pull'), 'subtree'),
  rule('rebase', 'not-own', ALWAYS, 'rebase', 'filter-branch', 'filter-repo'),
  rule('refs', 'not-own', ALWAYS, 'update-ref', 'fast-import'),
  rule('refs', 'not-own', any(count(2), letter('d'), long('--delete')), 'symbolic-ref'),
  rule('refs', 'not-own', any(letter('fdDmMC', 'u'), long('--force', '--delete', '--move')), 'branch'),
  rule('refs', 'not-own', letter('B', 'b'), 'checkout'),
  rule('refs', 'not-own', any(letter('C', 'c'), long('--force-create')), 'switch'),
  rule('stash', 'not-own', firstNot('list', 'show'), 'stash'),
  rule('worktree', 'not-own', firstNot('list'), 'worktree'),
  rule(
    'remote',
    'not-own',
    first('add', 'rename', 'remove', 'rm', 'set-head', 'set-branches', 'set-url', 'prune', 'update'),
    'remote',
  ),
  rule(
    'remote',
    'not-own',
    all({ kind: 'firstBegins', prefixes: ['remote.', 'url.'] }, CHANGES_CONFIG),
    'config',
  ),
  rule('config', 'anywhere', all(long('--global', '--system'), CHANGES_CONFIG), 'config'),
  rule('elsewhere', 'elsewhere', count(1), 'branch', 'tag'),
  rule('elsewhere', 'elsewhere', ALWAYS, 'add', 'am', 'apply', 'bisect', 'checkout', 'cherry-pick', 'clean'),
  rule('elsewhere', 'elsewhere', ALWAYS, 'commit', 'gc', 'mv', 'notes', 'prune', 'read-tree', 'repack'),
  rule(
    'elsewhere',
    'elsewhere',
    ALWAYS,
    'replace',
    'reset',
    'restore',
    'revert',
    'rm',
    'switch',
    'update-index',
  ),
];

function rule(family: Family, where: Rule['where'], when: Condition, ...verbs: string[]): Rule {
  return { verbs, family, when, where };
}

/** git's options before the verb that take the next word as their value; `git help git`, 2.39 to 2.51. */
export const VALUE_OPTIONS: readonly string[] = [
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--super-prefix',
  '--config-env',
  '--attr-source',
  '--shallow-file',
];

/** Verbs that cannot be an alias, so that nobody has to ask: the ones a worker uses all day. */
export const COMMON_VERBS: readonly string[] = [
  ...['annotate', 'archive', 'blame', 'bundle', 'cat-file', 'check-ignore', 'clone', 'commit-tree'],
  ...['count-objects', 'describe', 'diff', 'diff-files', 'diff-index', 'diff-tree', 'for-each-ref'],
  ...[
    'format-patch',
    'fsck',
    'grep',
    'hash-object',
    'help',
    'init',
    'log',
    'ls-files',
    'ls-remote',
    'ls-tree',
  ],
  ...['merge-base', 'merge-file', 'merge-tree', 'mktree', 'name-rev', 'reflog', 'rev-list', 'rev-parse'],
  ...[
    'shortlog',
    'show',
    'show-branch',
    'show-ref',
    'status',
    'submodule',
    'unpack-objects',
    'var',
    'version',
  ],
  ...['whatchanged', 'write-tree'],
];
