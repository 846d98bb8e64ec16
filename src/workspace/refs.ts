import { isJobId, type JobId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { type CommonPlace, GitError, line, refsGit } from './git.ts';

/** Where a job's commits are kept, out of the way of branches: `refs/delegate/<id>/<name>`. */
export function jobRef(id: JobId, name: 'base' | 'start' | 'result' | `extra/${number}`): string {
  return `refs/delegate/${id}/${name}`;
}

/** Keeps the base alive whatever the user does to their branches. Called again it changes nothing. */
export async function pinBase(repository: CommonPlace, id: JobId, base: string): Promise<void> {
  await pin(repository, jobRef(id, 'base'), base);
}

/** Keeps the commit a later turn starts with alive, whatever becomes of the turn before. As `pinBase`. */
export async function pinStart(repository: CommonPlace, id: JobId, start: string): Promise<void> {
  await pin(repository, jobRef(id, 'start'), start);
}

async function pin(repository: CommonPlace, ref: string, commit: string): Promise<void> {
  await updateRef(repository, ref, commit, null).catch(async (error: unknown) => {
    if ((await readRef(repository, ref)) !== commit) throw error;
  });
}

/** `taken`: a branch of that name (or below it) is there already and was left alone; take another id. */
export type Reservation =
  | { readonly kind: 'reserved'; readonly branch: string }
  | { readonly kind: 'taken'; readonly branch: string };

/**
 * Makes the job's branch at its base, or says that the name is taken; never moves a branch that exists.
 * `delegate/<id>`, or `cc-delegate/<id>` where a branch called `delegate` makes the first impossible.
 */
export async function reserveBranch(repository: CommonPlace, id: JobId, base: string): Promise<Reservation> {
  const usual = `${FOLDERS[0]}/${id}`;
  // Only after a refusal, which is rare, is it asked what is in the way.
  if (await createRef(repository, `refs/heads/${usual}`, base)) return { kind: 'reserved', branch: usual };
  const branch = `${await freeFolder(repository)}/${id}`;
  try {
    await updateRef(repository, `refs/heads/${branch}`, base, null);
    return { kind: 'reserved', branch };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const args = ['for-each-ref', '--format=%(refname)', `refs/heads/${branch}`];
    if (line(await refsGit(repository, args)) === '') throw error;
    return { kind: 'taken', branch };
  }
}

/** The branch `reserveBranch` would make, without making it; null when a branch of that very name is there. */
export async function freeBranch(repository: CommonPlace, id: JobId): Promise<string | null> {
  const paths = FOLDERS.flatMap((folder) => [folder, `${folder}/${id}`]).map((path) => `refs/heads/${path}`);
  // A process for each of them would cost more than all the names that are below the folders.
  const args = ['for-each-ref', '--format=%(refname:lstrip=2)', ...paths];
  const there = line(await refsGit(repository, args)).split('\n');
  const folder = FOLDERS.find((name) => !there.includes(name));
  if (folder === undefined) throw noRoom();
  const branch = `${folder}/${id}`;
  return there.some((name) => name === branch || name.startsWith(`${branch}/`)) ? null : branch;
}

const FOLDERS = ['delegate', 'cc-delegate'] as const;

/** Can a job have made this branch? A name that comes from a record may be forged; no other is ever touched. */
function isJobBranch(branch: string): boolean {
  return FOLDERS.some(
    (folder) => branch.startsWith(`${folder}/`) && isJobId(branch.slice(folder.length + 1)),
  );
}

async function freeFolder(repository: CommonPlace): Promise<string> {
  for (const folder of FOLDERS) {
    if ((await readRef(repository, `refs/heads/${folder}`)) === null) return folder;
  }
  throw noRoom();
}

function noRoom(): UserError {
  return new UserError({
    code: 'branch_in_the_way',
    what: 'branches of these names leave no room for the jobs below them',
    value: FOLDERS.join(', '),
    remedy: 'rename one of them: git branch -m delegate <other-name>',
    exit: EXIT.environment,
  });
}

/** Why a branch was not moved: the user has it checked out, moved it, or deleted it, or it is no job's. */
export type BranchMove =
  | { readonly kind: 'moved' }
  | { readonly kind: 'left'; readonly why: 'checked_out' | 'changed' | 'gone' | 'not_ours' };

/** Moves the job's branch only if it is where we left it. Called again after success it says `moved`. */
export async function moveBranch(
  repository: CommonPlace,
  move: { readonly branch: string; readonly from: string; readonly to: string },
): Promise<BranchMove> {
  if (!isJobBranch(move.branch)) return { kind: 'left', why: 'not_ours' };
  const ref = `refs/heads/${move.branch}`;
  const now = await lookAtBranch(repository, ref);
  if (now?.at === move.to) return { kind: 'moved' };
  if (now === null) return { kind: 'left', why: 'gone' };
  if (now.at !== move.from) return { kind: 'left', why: 'changed' };
  if (now.checkedOut) return { kind: 'left', why: 'checked_out' };
  await updateRef(repository, ref, move.to, move.from);
  return { kind: 'moved' };
}

/**
 * Deletes the job's branch if it still is at `expected` and nobody has it checked out; true if it is gone.
 * A name that no job has is left alone.
 */
export async function deleteBranch(
  repository: CommonPlace,
  branch: string,
  expected: string,
): Promise<boolean> {
  if (!isJobBranch(branch)) return false;
  const ref = `refs/heads/${branch}`;
  const now = await lookAtBranch(repository, ref);
  if (now === null) return true;
  if (now.at !== expected || now.checkedOut) return false;
  await refsGit(repository, ['update-ref', '--no-deref', '-d', ref, expected]);
  return true;
}

/** Lets go of every commit the job kept: the last step of a cleanup. */
export async function releasePins(repository: CommonPlace, id: JobId): Promise<void> {
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', `refs/delegate/${id}`];
  const found = line(await refsGit(repository, args));
  if (found === '') return;
  const input = found.split('\n').map((ref) => `delete ${ref}\n`);
  await refsGit(repository, ['update-ref', '--no-deref', '--stdin'], { input: Buffer.from(input.join('')) });
}

/** The object a full ref name stands for, or null. */
export async function readRef(repository: CommonPlace, ref: string): Promise<string | null> {
  const answer = await refsGit(repository, ['rev-parse', '--verify', '--quiet', ref], { accept: [0, 1] });
  return answer.exitCode === 0 ? line(answer) : null;
}

/** False when git refuses, for whatever reason. */
async function createRef(repository: CommonPlace, ref: string, at: string): Promise<boolean> {
  return updateRef(repository, ref, at, null).then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitError) return false;
      throw error;
    },
  );
}

/** `from` null means: must not exist. */
async function updateRef(
  repository: CommonPlace,
  ref: string,
  to: string,
  from: string | null,
): Promise<void> {
  const log = ['-c', 'core.logAllRefUpdates=false'];
  const old = from ?? '0'.repeat(to.length);
  await refsGit(repository, [...log, 'update-ref', '--no-deref', ref, to, old]);
}

interface BranchNow {
  readonly at: string;
  /** In any of the repository's working trees. */
  readonly checkedOut: boolean;
}

/** null: there is no such branch. */
async function lookAtBranch(repository: CommonPlace, ref: string): Promise<BranchNow | null> {
  const args = ['for-each-ref', '--format=%(refname)%00%(objectname)%00%(worktreepath)', ref];
  const listed = line(await refsGit(repository, args)).split('\n');
  // Branches below this name are listed, too.
  const [, at, worktree] = listed.map((entry) => entry.split('\0')).find(([name]) => name === ref) ?? [];
  return at === undefined ? null : { at, checkedOut: worktree !== '' };
}
