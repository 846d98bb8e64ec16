import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ApplyPlan } from '../../job/apply-plan.ts';
import { EXIT, UserError } from '../../job/user-error.ts';
import { GitError, line, userGit } from '../git.ts';
import type { Repository } from '../repository.ts';
import type { Present } from './read.ts';
import type { Scratch } from './scratch.ts';
import type { Stage } from './stage.ts';

/**
 * Makes the commit of the new index, as the user and without hooks, and moves nothing yet. Null when none
 * is wanted or there is nothing to commit. UserError exit 4 when other things are staged or a merge is open.
 */
export async function makeCommit(
  repository: Repository,
  message: string | null,
  made: {
    readonly plan: ApplyPlan;
    readonly present: Present;
    readonly stage: Stage;
    readonly scratch: Scratch;
  },
): Promise<string | null> {
  const { plan, present } = made;
  const { head } = present;
  if (message === null) return null;
  if (plan.files.some(({ note }) => note === 'unstaged'))
    throw notNow('part of it is over work of yours that is not committed');
  if (made.stage.index === null) return null;
  if (head === null) throw notNow('there is no commit to build on');
  const open = OPEN_WORK.find((name) => existsSync(join(repository.gitDir, name)));
  if (open !== undefined) throw notNow(`another operation is open (${open})`);
  const args = ['diff-index', '--cached', '--quiet', '--ignore-submodules=none', head, '--'];
  const staged = await userGit(repository, args, {
    env: { GIT_INDEX_FILE: made.scratch.userIndex },
    accept: [0, 1],
  });
  if (staged.exitCode === 1) throw notNow('you have other changes staged');
  const env = { GIT_INDEX_FILE: made.stage.index };
  const tree = line(await userGit(repository, ['write-tree'], { env }));
  return commitTree(repository, { tree, head, message });
}

/** Files in the git directory that say a merge, rebase or the like waits for its end. */
const OPEN_WORK = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'] as const;

async function commitTree(
  repository: Repository,
  commit: { readonly tree: string; readonly head: string; readonly message: string },
): Promise<string> {
  const args = ['-c', 'i18n.commitEncoding=UTF-8', 'commit-tree', commit.tree, '-p', commit.head, '-F', '-'];
  try {
    return line(await userGit(repository, args, { input: Buffer.from(commit.message, 'utf8') }));
  } catch (error) {
    if (!(error instanceof GitError) || !/ident|tell me who you are/i.test(error.stderr)) throw error;
    throw new UserError(
      {
        code: 'no_identity',
        what: 'git does not know whose commit this is; nothing was changed',
        remedy: 'set user.name and user.email (git config --global), or apply without --commit',
        exit: EXIT.environment,
      },
      { cause: error },
    );
  }
}

/** Moves the current branch (or a detached HEAD), only if it still stands at `from`. */
export async function moveHead(
  repository: Repository,
  move: { readonly from: string | null; readonly to: string | null },
): Promise<void> {
  if (move.from === null || move.to === null) throw new Error('a branch without a commit cannot be moved');
  await userGit(repository, ['update-ref', '-m', 'cc-delegate apply', 'HEAD', move.to, move.from]);
}

function notNow(why: string): UserError {
  return new UserError({
    code: 'cannot_commit',
    what: `the result cannot be committed now: ${why}; nothing was changed`,
    remedy: 'finish that first, or apply without --commit',
    exit: EXIT.wrongState,
  });
}
