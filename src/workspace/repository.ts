import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EXIT, UserError } from '../job/user-error.ts';
import { fields, GitError, line, userGit } from './git.ts';
import { objectDirectories } from './object-directories.ts';

/** The user's repository as seen from one of its checkouts. Every path is absolute and real. */
export interface Repository {
  /** Top level of the working tree the caller stands in. */
  readonly checkout: string;
  readonly gitDir: string;
  /** The same as `gitDir`, except in a linked worktree. */
  readonly commonDir: string;
  /** Main working tree of the common git directory, where the store lives; null if that one is bare. */
  readonly home: string | null;
  /** Where the caller stands, relative to the checkout; '' at its root. */
  readonly subdirectory: string;
  readonly objectFormat: 'sha1' | 'sha256';
  /** Every object directory, alternates of alternates included; the repository's own is the first. */
  readonly objectDirectories: readonly string[];
  /** The file that says where a shallow history ends. */
  readonly shallowFile: string | null;
  /** The user's ignore rules for all of their repositories; the file need not be there. */
  readonly globalIgnoreFile: string | null;
}

/**
 * Finds the repository around `cwd`. UserError exit 6 with a remedy: no repository, no working tree,
 * an owner git does not trust, a partial clone, reftable, a line break in a path.
 */
export async function findRepository(cwd: string): Promise<Repository> {
  const here = existingFolder(cwd);
  const [checkout, gitDir, commonDir, subdirectory, format] = await ask(here);
  const excludesFile = await readConfiguration(checkout);
  const common = realpathSync(commonDir);
  const shallow = join(common, 'shallow');
  return {
    checkout: realpathSync(checkout),
    gitDir: realpathSync(gitDir),
    commonDir: common,
    home: gitDir === commonDir ? realpathSync(checkout) : await mainWorkingTree(checkout, common),
    subdirectory: subdirectory.replace(/\/$/, ''),
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
    objectDirectories: objectDirectories(join(common, 'objects')),
    shallowFile: existsSync(shallow) && statSync(shallow).size > 0 ? shallow : null,
    globalIgnoreFile: excludesFile ?? defaultIgnoreFile(),
  };
}

function existingFolder(cwd: string): string {
  if (!existsSync(cwd) || !statSync(cwd).isDirectory()) {
    throw environment('no_such_folder', 'there is no such folder', cwd, 'give an existing one with --repo');
  }
  const here = realpathSync(cwd);
  if (here.includes('\n')) throw lineBreak(here);
  return here;
}

async function ask(here: string): Promise<[string, string, string, string, string]> {
  const wanted = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--show-prefix'];
  const args = ['rev-parse', '--path-format=absolute', ...wanted, '--show-object-format'];
  const answer = await userGit({ checkout: here }, args).catch((error: unknown) => {
    throw explainSearch(error, here);
  });
  const [checkout, gitDir, commonDir, prefix, format, ...rest] = line(answer).split('\n');
  if (rest.length > 0 || checkout?.includes('\uFFFD')) throw lineBreak(here);
  if (!checkout || !gitDir || !commonDir || prefix === undefined || !format) {
    throw new Error(`git rev-parse printed what we do not understand: ${line(answer)}`);
  }
  return [checkout, gitDir, commonDir, prefix, format];
}

function explainSearch(error: unknown, here: string): unknown {
  if (!(error instanceof GitError)) return error;
  if (/not a git repository/i.test(error.stderr)) {
    return environment(
      'not_a_repository',
      'this is not a git repository',
      here,
      'call it in one, or: git init',
    );
  }
  if (/must be run in a work tree/.test(error.stderr)) {
    const remedy = 'call it in a checkout of this repository (git worktree add …)';
    return environment('no_working_tree', 'there is no working tree here', here, remedy);
  }
  const words = error.stderr.trim().replace(/\s+/g, ' ');
  return environment('git_refused', `git refuses this repository: ${words}`, here, 'put that right first');
}

/** Refuses what we cannot work with, and gives core.excludesFile, which is seldom set. */
async function readConfiguration(checkout: string): Promise<string | null> {
  const pattern = '^(core\\.excludesfile|extensions\\.(partialclone|refstorage)|remote\\..*\\.promisor)$';
  const answer = await userGit({ checkout }, ['config', '-z', '--get-regexp', pattern], { accept: [0, 1] });
  let excludes = false;
  for (const field of fields(answer.stdout)) {
    const [key = '', value = ''] = field.toString('utf8').split('\n', 2);
    if (key === 'core.excludesfile') {
      excludes = true;
      continue;
    }
    if (key === 'extensions.refstorage') {
      if (value === 'files') continue;
      const remedy = 'convert it: git refs migrate --ref-format=files';
      throw environment(
        'unsupported_repository',
        `refs stored as ${value} are not supported`,
        checkout,
        remedy,
      );
    }
    if (value === 'false') continue;
    const remedy = 'make it whole: git fetch --unshallow --refetch, or use a full clone';
    throw environment('partial_clone', 'this is a partial clone: objects are missing', checkout, remedy);
  }
  if (!excludes) return null;
  return line(await userGit({ checkout }, ['config', '--type=path', '--get', 'core.excludesFile']));
}

/** git's default for core.excludesFile, see gitignore(5). */
function defaultIgnoreFile(): string | null {
  const { XDG_CONFIG_HOME, HOME } = process.env;
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, 'git', 'ignore');
  return HOME ? join(HOME, '.config', 'git', 'ignore') : null;
}

/** Null when the main repository is bare. A submodule's git directory names its tree in core.worktree. */
async function mainWorkingTree(checkout: string, commonDir: string): Promise<string | null> {
  for (const name of ['config.worktree', 'config']) {
    const file = join(commonDir, name);
    if (!existsSync(file)) continue;
    const args = ['config', '-f', file, '--get', 'core.worktree'];
    const answer = await userGit({ checkout }, args, { accept: [0, 1] });
    if (answer.exitCode === 0) return existing(resolve(commonDir, line(answer)));
  }
  const args = ['config', '-f', join(commonDir, 'config'), '--type=bool', '--get', 'core.bare'];
  const bare = await userGit({ checkout }, args, { accept: [0, 1] });
  if (line(bare) === 'true' || basename(commonDir) !== '.git') return null;
  return existing(dirname(commonDir));
}

function existing(folder: string): string | null {
  return existsSync(folder) ? realpathSync(folder) : null;
}

/**
 * The full id of the commit `rev` names. UserError: exit 6 when the repository has no commit yet, exit 2
 * when the name means no commit or looks like an option.
 */
export async function resolveBase(repository: Repository, rev = 'HEAD'): Promise<string> {
  if (rev === '' || rev.startsWith('-') || rev.includes('\0')) throw unknownRevision(rev);
  const found = await commitOf(repository, rev);
  if (found !== null) return found;
  if (rev === 'HEAD' || (await commitOf(repository, 'HEAD')) === null) {
    const remedy = 'make a first commit: git commit --allow-empty -m "Start"';
    throw environment('no_commit', 'this repository has no commit yet', repository.checkout, remedy);
  }
  throw unknownRevision(rev);
}

async function commitOf(repository: Repository, rev: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${rev}^{commit}`];
  const answer = await userGit(repository, args, { accept: [0, 1, 128] });
  return answer.exitCode === 0 ? line(answer) : null;
}

/** Does the commit have this folder? `folder` is relative to the checkout; '' is its root. */
export async function hasFolder(repository: Repository, commit: string, folder: string): Promise<boolean> {
  if (folder === '') return true;
  const args = ['ls-tree', '-d', '-z', '--full-tree', '--name-only', commit, '--', folder];
  return (await userGit(repository, args)).stdout.length > 0;
}

/** Does the repository bring a `.cc-delegate` of its own? Then nothing in it may be trusted (exit 5). */
export async function storeIsTracked(repository: Repository): Promise<boolean> {
  const answer = await userGit(repository, ['ls-files', '-z', '--cached', '--', ':(top,icase).cc-delegate']);
  return answer.stdout.length > 0;
}

function unknownRevision(rev: string): UserError {
  return new UserError({
    code: 'unknown_revision',
    what: 'no such commit',
    value: rev,
    remedy: 'give a branch, a tag or a commit id that exists here',
    exit: EXIT.usage,
  });
}

function lineBreak(path: string): UserError {
  const what = 'a path with a line break or bytes that are no UTF-8 cannot be used';
  return environment('unsupported_path', what, JSON.stringify(path), 'rename that folder');
}

function environment(code: string, what: string, value: string, remedy: string): UserError {
  return new UserError({ code, what, value, remedy, exit: EXIT.environment });
}
