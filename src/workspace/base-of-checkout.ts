import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, UserError } from '../job/user-error.ts';
import { storageError } from '../store/storage-error.ts';
import { INDEX_SHAPE, noObject } from './apply/index-entries.ts';
import { copyIndex, indexPath } from './apply/scratch.ts';
import { GitError, line, userGit } from './git.ts';
import { identityIn } from './git-directory.ts';
import { ofOneHead } from './of-one-head.ts';
import type { NotProvided } from './ready/include-snapshot.ts';
import type { Repository } from './repository.ts';
import { SNAPSHOT_LIMITS } from './snapshot.ts';
import { readUncommitted, type Uncommitted } from './uncommitted.ts';

/** A commit that nothing names yet: HEAD with the user's uncommitted work over it. */
export interface BaseOfCheckout {
  readonly commit: string;
  /** The commit it stands on. The same one when nothing is uncommitted. */
  readonly head: string;
  /** What was taken, by path: added, changed or away. */
  readonly taken: readonly string[];
  /** As in HEAD and not as in the checkout, and why. */
  readonly leftOut: readonly NotProvided[];
}

/**
 * Makes the commit that `git add -A` and `git commit` would make now, with no index, branch or file of the user's
 * touched: only the object store grows. Ignored files are never in it; big ones, submodules and repositories within are
 * left out by name. The same files on the same HEAD are the same commit. Throws UserError (exit 6) as `ofOneHead`, for
 * more than could be meant, and when git or the disk refuses.
 */
export function baseOfCheckout(repository: Repository, limits = SNAPSHOT_LIMITS): Promise<BaseOfCheckout> {
  return ofOneHead(repository, async (head) => {
    try {
      return await makeBase(repository, head, await readUncommitted(repository, limits));
    } catch (error) {
      if (error instanceof GitError) throw notTaken(error);
      throw storageError('read', repository.checkout, error);
    }
  });
}

async function makeBase(repository: Repository, head: string, work: Uncommitted): Promise<BaseOfCheckout> {
  const { away, there, leftOut } = work;
  const nothing = { commit: head, head, taken: [], leftOut };
  if (away.length + there.length === 0) return nothing;
  const tree = await withIndex(repository, (index) => treeOf(repository, { head, index, work }));
  if (tree === line(await userGit(repository, ['rev-parse', `${head}^{tree}`]))) return nothing;
  const taken = new Set([...away, ...there].map((path) => path.toString('utf8')));
  return { commit: await commitTree(repository, tree, head), head, taken: [...taken], leftOut };
}

/** Gives `use` a copy of the user's index, which knows what files did not change, so that they are not read again. */
async function withIndex<T>(repository: Repository, use: (index: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-delegate-base-'));
  try {
    const index = join(folder, 'index');
    await copyIndex(indexPath(repository), index);
    return await use(index);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The tree of HEAD, without what is away, and with what is there as git would add it. */
async function treeOf(
  repository: Repository,
  wanted: { readonly head: string; readonly index: string; readonly work: Uncommitted },
): Promise<string> {
  const { head, work } = wanted;
  const env = { GIT_INDEX_FILE: wanted.index };
  const git = (args: readonly string[], input: Uint8Array = Buffer.alloc(0)) =>
    userGit(repository, [...INDEX_SHAPE, '-c', 'core.safecrlf=false', ...args], { env, input });
  await git(['read-tree', '--reset', head]);
  // First what is away, so that a file may take a folder's place, and a link that of the folder above.
  await git(['update-index', '-z', '--index-info'], listed(work.away, `0 ${noObject(repository)}\t`));
  await git(['update-index', '--add', '--replace', '-z', '--stdin'], listed(work.there, ''));
  return line(await git(['write-tree']));
}

function listed(paths: readonly Buffer[], before: string): Buffer {
  return Buffer.concat(paths.flatMap((path) => [Buffer.from(before), path, Buffer.of(0)]));
}

async function commitTree(repository: Repository, tree: string, head: string): Promise<string> {
  const plain = [
    '-c',
    'i18n.logOutputEncoding=UTF-8',
    'rev-list',
    '-1',
    '--no-commit-header',
    '--format=%ct',
  ];
  const date = line(await userGit(repository, [...plain, head]));
  const dates = { GIT_AUTHOR_DATE: `@${date} +0000`, GIT_COMMITTER_DATE: `@${date} +0000` };
  const env = { ...identityIn({ name: 'cc-delegate', email: 'base@cc-delegate.invalid' }), ...dates };
  const input = Buffer.from(`Uncommitted work on ${head.slice(0, 12)}\n`);
  const args = ['-c', 'i18n.commitEncoding=UTF-8', 'commit-tree', tree, '-p', head, '-F', '-'];
  return line(await userGit(repository, args, { input, env }));
}

function notTaken(error: GitError): UserError {
  return new UserError(
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
