import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count } from '../job/format.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { changedPaths } from './apply/changed-paths.ts';
import { changeIndex, INDEX_SHAPE } from './apply/index-entries.ts';
import { copyIndex, indexPath } from './apply/scratch.ts';
import { GitError, line, userGit } from './git.ts';
import { ofOneHead } from './of-one-head.ts';
import { readCheckout } from './ready/checkout-status.ts';
import type { IncludeLimits, NotProvided } from './ready/include-snapshot.ts';
import { megabytes } from './ready/plan-dependencies.ts';
import type { Repository } from './repository.ts';
import { SNAPSHOT_LIMITS } from './snapshot.ts';

/** A commit that nothing names yet: HEAD with the user's uncommitted work over it. */
export interface BaseOfCheckout {
  readonly commit: string;
  /** The commit it stands on. The same one when nothing is uncommitted. */
  readonly head: string;
  /** What is in it otherwise than in `head`, by path. */
  readonly taken: readonly string[];
  /** Not as in the checkout, and why. */
  readonly leftOut: readonly NotProvided[];
}

/**
 * Makes the commit that `git add -A` and `git commit` would make now, with no index, branch or file of the user's
 * touched: only the object store grows. Ignored files are never in it; big ones, submodules and repositories within are
 * left out by name. The same files on the same HEAD are the same commit. Throws UserError (exit 6) as `ofOneHead`, and
 * when a file cannot be read.
 */
export function baseOfCheckout(
  repository: Repository,
  limits: IncludeLimits = SNAPSHOT_LIMITS,
): Promise<BaseOfCheckout> {
  return ofOneHead(repository, async (head) => {
    const folder = await mkdtemp(join(tmpdir(), 'cc-delegate-base-'));
    try {
      const index = join(folder, 'index');
      // A copy of the user's knows which files did not change, so that they are not read again.
      await copyIndex(indexPath(repository), index);
      return await makeBase(repository, { head, index, limits });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function makeBase(
  repository: Repository,
  wanted: { readonly head: string; readonly index: string; readonly limits: IncludeLimits },
): Promise<BaseOfCheckout> {
  const { head, index } = wanted;
  const tooMuch = await overLimits(repository, wanted.limits);
  await addAll(repository, index, tooMuch);
  const within = await restoreRepositories(repository, index, head);
  const tree = line(await userGit(repository, [...INDEX_SHAPE, 'write-tree'], env(index)));
  const leftOut = [...tooMuch, ...within];
  const taken = (await changedPaths(repository, { base: head, result: tree }, [])).map(({ path }) => path);
  if (taken.length === 0) return { commit: head, head, taken, leftOut };
  return { commit: await commitTree(repository, tree, head), head, taken, leftOut };
}

/** Repositories within come as folders, with a slash. What is no file, or away, costs nothing. */
async function overLimits(repository: Repository, limits: IncludeLimits): Promise<NotProvided[]> {
  const { changed, untracked } = await readCheckout(repository);
  const leftOut: NotProvided[] = [];
  let [bytes, files] = [limits.totalBytes, limits.files];
  for (const path of [...changed, ...untracked]) {
    const size = await sizeOf(join(repository.checkout, path));
    if (path.endsWith('/')) leftOut.push({ path, why: 'a repository of its own' });
    else if (size > limits.fileBytes) leftOut.push({ path, why: `over ${megabytes(limits.fileBytes)}` });
    else if (files === 0) leftOut.push({ path, why: `over the limit of ${count(limits.files, 'file')}` });
    else if (size > bytes)
      leftOut.push({ path, why: `over the limit of ${megabytes(limits.totalBytes)} in sum` });
    else [bytes, files] = [bytes - size, files - 1];
  }
  return leftOut;
}

async function sizeOf(path: string): Promise<number> {
  // Whatever the reason, git will say what it makes of a file that is not to be seen.
  const stat = await lstat(path).catch(() => null);
  return stat?.isFile() ? stat.size : 0;
}

async function addAll(repository: Repository, index: string, leftOut: readonly NotProvided[]): Promise<void> {
  const paths = [
    ':/',
    ...leftOut.map(({ path }) => `:(top,literal,exclude)${path}`),
    ':(top,exclude).cc-delegate',
  ];
  const args = [...INDEX_SHAPE, '-c', 'core.safecrlf=false', 'add', '-A', '--sparse'];
  const options = { ...env(index), input: Buffer.from(paths.map((path) => `${path}\0`).join('')) };
  try {
    await userGit(repository, [...args, '--pathspec-from-file=-', '--pathspec-file-nul'], options);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new UserError(
      {
        code: 'checkout_unreadable',
        what: 'git cannot take your uncommitted work along',
        value: error.stderr.trim().replace(/\s*\n\s*/g, '; '),
        remedy: 'put that right, or commit what the worker needs and leave --include-dirty out',
        exit: EXIT.environment,
      },
      { cause: error },
    );
  }
}

/** A submodule's commit may be nowhere but here: it stays as `head` has it. */
async function restoreRepositories(
  repository: Repository,
  index: string,
  head: string,
): Promise<NotProvided[]> {
  const tree = line(await userGit(repository, [...INDEX_SHAPE, 'write-tree'], env(index)));
  const changed = await changedPaths(repository, { base: head, result: tree }, []);
  const repositories = changed.filter(({ base, theirs }) => base?.mode === LINK || theirs?.mode === LINK);
  const changes = repositories.map(({ path, base }) => ({
    path,
    action: base === null ? ({ kind: 'remove' } as const) : ({ kind: 'set', entry: base } as const),
  }));
  await changeIndex(repository, index, changes);
  return repositories.map(({ path }) => ({ path, why: 'a submodule' }));
}

/** The mode of what is a commit of another repository. */
const LINK = '160000';

async function commitTree(repository: Repository, tree: string, head: string): Promise<string> {
  const date = line(await userGit(repository, ['show', '-s', '--format=%ct', head]));
  const identity = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'cc-delegate'],
    [`GIT_${who}_EMAIL`, 'base@cc-delegate.invalid'],
    [`GIT_${who}_DATE`, `@${date} +0000`],
  ]);
  const input = Buffer.from(`Uncommitted work on ${head.slice(0, 12)}\n`);
  const args = ['-c', 'i18n.commitEncoding=UTF-8', 'commit-tree', tree, '-p', head, '-F', '-'];
  return line(await userGit(repository, args, { input, env: Object.fromEntries(identity) }));
}

function env(index: string) {
  return { env: { GIT_INDEX_FILE: index } };
}
