import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ApplyPlan, FilePlan } from '../../job/apply-plan.ts';
import { EXIT, UserError } from '../../job/user-error.ts';
import { type Journal, savedName } from './journal.ts';
import { type Observed, observe, observeBelow, type PathState } from './path-state.ts';
import { foldersAbove, signature } from './probe.ts';
import { copyDurable } from './put.ts';
import type { Present } from './read.ts';

/** The files and folders an apply will touch, each with its state before and after. */
export type FileChanges = Pick<Journal, 'paths' | 'createdFolders' | 'removedFolders'>;

/**
 * Saves the present bytes of every file that will be touched into `folder` and says what will be there
 * afterwards. UserError exit 1 when a file is not as it was when the plan was made.
 */
export async function saveFiles(
  places: { readonly checkout: string; readonly staged: string; readonly folder: string },
  plan: ApplyPlan,
  present: Present,
): Promise<FileChanges> {
  const touched = plan.files.filter(({ worktree }) => worktree.kind !== 'keep');
  const paths: Journal['paths'] = [];
  for (const [position, file] of touched.entries()) {
    const target = join(places.checkout, file.path);
    const before = absentIfFolder(await observeBelow(places.checkout, file.path));
    if (before.kind === 'file') await copyDurable(target, join(places.folder, savedName(position)), 0o600);
    const now = before.kind === 'absent' ? null : await signature(target);
    if (now !== (present.signatures.get(file.path) ?? null)) throw changedMeanwhile(file.path);
    const after = await stateAfter(file, join(places.staged, file.path), before, present);
    paths.push({ path: file.path, before, after });
  }
  const removed = touched.filter(({ worktree }) => worktree.kind === 'remove').map(({ path }) => path);
  const written = touched.filter(({ worktree }) => worktree.kind === 'set').map(({ path }) => path);
  const removedFolders = await emptiedFolders(places.checkout, removed, written);
  return { paths, removedFolders, createdFolders: await missingFolders(places.checkout, written) };
}

/** A folder at the path of a file goes away with what is in it; the plan has seen to that. */
function absentIfFolder(now: Observed): PathState {
  return now.kind === 'folder' || now.kind === 'other' ? { kind: 'absent' } : now;
}

async function stateAfter(
  file: FilePlan,
  staged: string,
  before: PathState,
  present: Present,
): Promise<PathState> {
  if (file.worktree.kind !== 'set') return { kind: 'absent' };
  const made = await observe(staged);
  if (made.kind !== 'file' && made.kind !== 'link') throw new Error(`git made no file of ${file.path}`);
  if (made.kind === 'link') return { ...made, mtimeUs: null };
  const owner = before.kind === 'file' ? { uid: before.uid, gid: before.gid } : {};
  return { ...made, ...owner, mode: modeAfter(file, made.mode, before, present), mtimeUs: null };
}

/** The user's own permissions where they have a file already; only the executable bits follow the result. */
function modeAfter(file: FilePlan, made: number, before: PathState, present: Present): number {
  const side = present.sides.find(({ path }) => path === file.path)?.worktree;
  const wanted = file.worktree.kind === 'set' ? file.worktree.entry.mode : '';
  if (before.kind !== 'file' || side?.kind !== 'entry') return made;
  if (side.entry.mode === wanted) return before.mode;
  return wanted === '100755' ? before.mode | ((before.mode & 0o444) >> 2) : before.mode & ~0o111;
}

/** Folders that will hold nothing any more, but never one that a process of ours stands in. */
async function emptiedFolders(
  checkout: string,
  removed: readonly string[],
  written: readonly string[],
): Promise<{ path: string; mode: number }[]> {
  const needed = new Set(written.flatMap(foldersAbove));
  const gone = new Set(removed);
  const emptied: { path: string; mode: number }[] = [];
  const inTheWay: string[] = [];
  for (const path of written) inTheWay.push(...(await foldersFrom(checkout, path)));
  const candidates = [...new Set([...removed.flatMap(foldersAbove), ...inTheWay])];
  candidates.sort((a, b) => b.length - a.length);
  for (const path of candidates) {
    const folder = join(checkout, path);
    if (needed.has(path) || `${process.cwd()}/`.startsWith(`${folder}/`)) continue;
    if ((await observe(folder)).kind !== 'folder') continue;
    const children = await readdir(folder);
    if (!children.every((name) => gone.has(`${path}/${name}`))) continue;
    gone.add(path);
    emptied.push({ path, mode: (await lstat(folder)).mode & 0o7777 });
  }
  return emptied;
}

/** The folder at `path`, if one stands there, and all below it. */
async function foldersFrom(checkout: string, path: string): Promise<string[]> {
  if ((await observeBelow(checkout, path)).kind !== 'folder') return [];
  const children = await readdir(join(checkout, path), { recursive: true, withFileTypes: true });
  const below = children.filter((child) => child.isDirectory());
  return [path, ...below.map((child) => relative(checkout, join(child.parentPath, child.name)))];
}

async function missingFolders(checkout: string, written: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const folder of new Set(written.flatMap(foldersAbove))) {
    if ((await observeBelow(checkout, folder)).kind !== 'folder') missing.push(folder);
  }
  return missing;
}

/** A file changed under our hands: nothing is lost, it only has to be planned again. */
export function changedMeanwhile(path: string): UserError {
  return new UserError({
    code: 'changed_meanwhile',
    what: 'a file changed while the result was being applied; nothing was changed',
    value: path,
    remedy: 'try again: cc-delegate apply',
    exit: EXIT.badNews,
  });
}
