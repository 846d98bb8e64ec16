import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parentOf } from '../../job/relative-path.ts';
import type { CheckoutStatus } from './checkout-status.ts';

/** Folders package managers fill, and which work in another place as well: npm, bower, composer, go, bundler, yarn. */
const DEPENDENCY_NAMES: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'vendor',
  '.bundle',
  '.yarn',
]);

/** Folders that hold their own absolute path, or what was built for another place: never reused. */
const NEVER_NAMES: ReadonlySet<string> = new Set(['.venv', 'venv', 'target', '.tox', '.nox']);

/** What a dependency folder was made from, as it stands beside it or at the root. */
export const LOCK_NAMES: readonly string[] = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'composer.lock',
  'Gemfile.lock',
  'go.sum',
];

/** Paths relative to the checkout, without a slash at the end. */
export interface SortedFolders {
  readonly dependencies: readonly string[];
  readonly never: readonly string[];
  /** Ignored files that look like a local environment: the worker may miss them. */
  readonly environments: readonly string[];
}

/**
 * Which ignored folders of the checkout are dependencies, and which may not be reused. A dependency folder
 * of a part that the base does not have is left out: so is that part.
 */
export function sortFolders(
  status: Pick<CheckoutStatus, 'ignored' | 'untracked'>,
  baseFolders: ReadonlySet<string>,
  isVirtualEnvironment: (folder: string) => boolean,
): SortedFolders {
  const dependencies = new Set<string>();
  const never = new Set<string>();
  const environments: string[] = [];
  // Not every repository has a rule for node_modules, and nobody means to commit it.
  const unruled = status.untracked.filter((path) => path.split('/').includes('node_modules'));
  for (const entry of [...status.ignored, ...unruled]) {
    const path = entry.replace(/\/$/, '');
    const name = posix.basename(path);
    const folder = dependencyFolder(entry, baseFolders);
    if (folder !== null) {
      if (baseFolders.has(parentOf(folder))) dependencies.add(folder);
    } else if (NEVER_NAMES.has(name) || (entry.endsWith('/') && isVirtualEnvironment(path))) never.add(path);
    else if (/^\.env(\.|$)/.test(name)) environments.push(path);
  }
  return { dependencies: [...dependencies].sort(), never: [...never].sort(), environments };
}

/** The folder as a whole, unless the base has files of its own in it: then only what is ignored in it. */
function dependencyFolder(entry: string, baseFolders: ReadonlySet<string>): string | null {
  const parts = entry.replace(/\/$/, '').split('/');
  const at = parts.findIndex((part) => DEPENDENCY_NAMES.has(part));
  if (at === -1) return null;
  const folder = parts.slice(0, at + 1).join('/');
  if (!baseFolders.has(folder)) return folder;
  return entry.endsWith('/') ? parts.join('/') : null;
}

/** A folder of Python's venv module, whatever its name (docs.python.org, "pyvenv.cfg"). */
export function isVirtualEnvironment(checkout: string): (folder: string) => boolean {
  return (folder) => existsSync(join(checkout, folder, 'pyvenv.cfg'));
}

/** Where the lock files of these folders may be: beside each, and at the root. */
export function lockFilesOf(folders: readonly string[]): string[] {
  const places = new Set(['', ...folders.map(parentOf)]);
  return [...places].flatMap((place) => LOCK_NAMES.map((name) => posix.join(place, name)));
}
