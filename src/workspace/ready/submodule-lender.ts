import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { objectDirectories } from '../object-directories.ts';

/** Where the user's repository has the objects of one submodule. */
export interface Lender {
  /** The git directories found, whose own `modules` are asked for submodules below this one. */
  readonly gitDirs: readonly string[];
  readonly objectDirectories: readonly string[];
  readonly shallowFile: string | null;
}

/**
 * Looks into the checkout, then below `modules` of the superproject's git directories. null when the
 * submodule is nowhere, that is: not initialised.
 */
export function findLender(wanted: {
  /** The user's checkout of the superproject. */
  readonly checkout: string;
  /** Relative to it. */
  readonly path: string;
  /** null when .gitmodules gives none. */
  readonly name: string | null;
  readonly superGitDirs: readonly string[];
}): Lender | null {
  const { name } = wanted;
  const candidates = [
    ownGitDir(join(wanted.checkout, wanted.path)),
    ...(name === null ? [] : wanted.superGitDirs.map((folder) => join(folder, 'modules', name))),
  ];
  const gitDirs = candidates.flatMap((candidate) => (candidate === null ? [] : withCommon(candidate)));
  const found = [...new Set(gitDirs)].filter((folder) => existsSync(join(folder, 'objects')));
  if (found.length === 0) return null;
  const shallow = found.map((folder) => join(folder, 'shallow')).find(isFilled);
  const objects = found.flatMap((folder) => objectDirectories(join(folder, 'objects')));
  return { gitDirs: found, objectDirectories: [...new Set(objects)], shallowFile: shallow ?? null };
}

/** `.git` of a submodule's checkout: a folder in old ones, else a file that names it (gitrepository-layout(5)). */
function ownGitDir(folder: string): string | null {
  const entry = join(folder, '.git');
  const stat = lstatSync(entry, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return entry;
  if (!stat?.isFile()) return null;
  const target = /^gitdir: (.*?)\n?$/s.exec(readFileSync(entry, 'utf8'))?.[1];
  return target === undefined ? null : resolve(folder, target);
}

/** With a linked worktree of its own, the objects are in the directory its `commondir` names. */
function withCommon(gitDir: string): string[] {
  if (!existsSync(gitDir)) return [];
  const real = realpathSync(gitDir);
  const file = join(real, 'commondir');
  if (!existsSync(file)) return [real];
  const common = resolve(real, readFileSync(file, 'utf8').trim());
  return existsSync(common) ? [real, realpathSync(common)] : [real];
}

function isFilled(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
