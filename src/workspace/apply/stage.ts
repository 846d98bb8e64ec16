import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Action, ApplyPlan, FilePlan } from '../../job/apply-plan.ts';
import { userGit } from '../git.ts';
import type { Repository } from '../repository.ts';
import { changeIndex, INDEX_SHAPE, listIndex } from './index-entries.ts';
import { observeBelow } from './path-state.ts';
import { foldersAbove } from './probe.ts';
import { copyIndex, type Scratch } from './scratch.ts';

/** Everything an apply will put in place, ready aside. */
export interface Stage {
  /** The files as they will stand in the checkout, by their paths. */
  readonly folder: string;
  /** The new index; null when no entry changes. */
  readonly index: string | null;
  /** IndexListing.digest of the index after the apply. */
  readonly digest: string;
}

/** Builds the new files and the new index aside. Of the repository only its object store grows. */
export async function buildStage(
  repository: Repository,
  plan: ApplyPlan,
  digest: string,
  scratch: Scratch,
): Promise<Stage> {
  const folder = join(scratch.folder, 'files');
  await mkdir(folder);
  await stageFiles(repository, plan.files, folder, scratch);
  const changes = plan.files.map(({ path, index }) => ({ path, action: index }));
  if (changes.every(({ action }) => action.kind === 'keep')) return { folder, index: null, digest };
  await storeMerged(repository, changes, scratch);
  const index = join(scratch.folder, 'new.index');
  await copyIndex(scratch.userIndex, index);
  await changeIndex(repository, index, changes);
  return { folder, index, digest: (await listIndex(repository, index)).digest };
}

/** Lets git make the files, by the user's own filters, line ends and the attributes that will hold. */
async function stageFiles(
  repository: Repository,
  files: readonly FilePlan[],
  folder: string,
  scratch: Scratch,
): Promise<void> {
  const changes = files.map(({ path, worktree }) => ({ path, action: worktree }));
  await changeIndex(repository, scratch.worktreeIndex, changes);
  const written = files.filter(({ worktree }) => worktree.kind === 'set').map(({ path }) => path);
  await copyAttributes(repository.checkout, folder, files);
  const isAttributes = (path: string) => /(^|\/)\.gitattributes$/.test(path);
  for (const paths of [written.filter(isAttributes), written.filter((path) => !isAttributes(path))]) {
    if (paths.length === 0) continue;
    const env = {
      ...scratch.objects,
      GIT_INDEX_FILE: scratch.worktreeIndex,
      GIT_DIR: repository.gitDir,
      GIT_WORK_TREE: folder,
    };
    const args = [...INDEX_SHAPE, 'checkout-index', '-f', '-z', '--stdin'];
    await userGit({ checkout: folder }, args, {
      env,
      input: Buffer.from(paths.map((path) => `${path}\0`).join('')),
    });
  }
}

/** git reads attributes from the working tree it writes to: the user's, where the result brings none. */
async function copyAttributes(checkout: string, folder: string, files: readonly FilePlan[]): Promise<void> {
  const written = files.filter(({ worktree }) => worktree.kind === 'set');
  const gone = new Set(files.filter(({ worktree }) => worktree.kind !== 'keep').map(({ path }) => path));
  const folders = new Set(['', ...written.flatMap(({ path }) => foldersAbove(path))]);
  for (const above of folders) {
    const path = join(above, '.gitattributes');
    if (gone.has(path) || (await observeBelow(checkout, path)).kind !== 'file') continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(join(checkout, path), join(folder, path));
  }
}

/** Merged contents that the new index names must be in the repository itself. */
async function storeMerged(
  repository: Repository,
  changes: readonly { readonly action: Action }[],
  scratch: Scratch,
): Promise<void> {
  for (const { action } of changes) {
    if (action.kind !== 'set' || action.entry.mode === '160000') continue;
    const { oid } = action.entry;
    const known = await userGit(repository, ['cat-file', '-e', oid], { accept: [0, 1, 128] });
    if (known.exitCode === 0) continue;
    const content = await userGit(repository, ['cat-file', 'blob', oid], { env: scratch.objects });
    const args = ['hash-object', '-w', '--stdin', '--no-filters'];
    await userGit(repository, args, { input: content.stdout });
  }
}
