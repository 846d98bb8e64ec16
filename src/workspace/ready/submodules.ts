import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../job/user-error.ts';
import { GitError, hostGit } from '../git.ts';
import { makeGitDirectory } from '../git-directory.ts';
import type { Repository } from '../repository.ts';
import { type Gitlink, readBaseEntries } from './base-entries.ts';
import type { NotProvided } from './include-snapshot.ts';
import { findLender, type Lender } from './submodule-lender.ts';
import { submoduleNames } from './submodule-names.ts';

/** A submodule whose files are in the workspace. */
export interface Populated {
  /** Relative to the workspace. */
  readonly path: string;
  readonly gitDir: string;
  readonly workTree: string;
  readonly hasAttributes: boolean;
  readonly lender: Lender;
}

export interface Submodules {
  readonly populated: readonly Populated[];
  readonly missing: readonly NotProvided[];
}

/** One superproject: the workspace itself, or a submodule in it that has submodules of its own. */
interface Superproject {
  readonly repository: Repository;
  /** A git directory of ours that has `commit`. */
  readonly gitDir: string;
  readonly commit: string;
  /** Where it stands in the workspace, and in the user's checkout. */
  readonly folder: string;
  readonly checkout: string;
  /** Before every path that is told; '' or with a slash at the end. */
  readonly prefix: string;
  /** The user's git directories of it. */
  readonly gitDirs: readonly string[];
  readonly depth: number;
}

const DEEPEST = 8;

/**
 * Fills the folders of submodules from what the user's repository has of them, by hand: no network, no hook,
 * no filter, nothing shared that can be written. Each is a repository of its own with a detached HEAD.
 * `commit` is the base: its .gitmodules is asked, not one the worker may have written.
 */
export async function populateSubmodules(wanted: {
  readonly repository: Repository;
  readonly workspace: string;
  readonly commit: string;
  readonly gitlinks: readonly Gitlink[];
}): Promise<Submodules> {
  const { repository, workspace, commit, gitlinks } = wanted;
  if (gitlinks.length === 0) return { populated: [], missing: [] };
  const top: Superproject = {
    ...{ repository, commit, gitDir: join(workspace, '.git'), folder: workspace },
    ...{ checkout: repository.checkout, prefix: '', depth: 0 },
    gitDirs: [...new Set([repository.gitDir, repository.commonDir])],
  };
  return populateIn(top, gitlinks);
}

async function populateIn(above: Superproject, gitlinks: readonly Gitlink[]): Promise<Submodules> {
  const populated: Populated[] = [];
  const missing: NotProvided[] = [];
  const names = await submoduleNames({ gitDir: above.gitDir }, above.commit);
  for (const { path, commit } of gitlinks) {
    const told = above.prefix + path;
    const name = names.get(path) ?? null;
    const lender = findLender({ checkout: above.checkout, path, name, superGitDirs: above.gitDirs });
    if (lender === null) {
      missing.push({ path: told, why: 'not initialised in your checkout: git submodule update --init' });
      continue;
    }
    const folder = join(above.folder, path);
    const why = above.depth === DEEPEST ? 'nested too deep' : await checkOut(above, lender, folder, commit);
    if (why !== null) {
      missing.push({ path: told, why });
      continue;
    }
    const gitDir = join(folder, '.git');
    const entries = await readBaseEntries({ gitDir });
    const { hasAttributes } = entries;
    populated.push({ path: told, gitDir, workTree: folder, hasAttributes, lender });
    if (entries.gitlinks.length === 0) continue;
    const below = await populateIn(
      {
        ...{ repository: above.repository, gitDir, commit, folder, checkout: join(above.checkout, path) },
        ...{ prefix: `${told}/`, gitDirs: lender.gitDirs, depth: above.depth + 1 },
      },
      entries.gitlinks,
    );
    populated.push(...below.populated);
    missing.push(...below.missing);
  }
  return { populated, missing };
}

/** Returns why it could not be done; the folder is then empty again. */
async function checkOut(
  { repository }: Superproject,
  lender: Lender,
  folder: string,
  commit: string,
): Promise<string | null> {
  const stat = await lstat(folder).catch(() => null);
  if (!stat?.isDirectory() || (await readdir(folder)).length > 0)
    return 'its place is taken in the workspace';
  const gitDir = join(folder, '.git');
  const { objectDirectories, shallowFile } = lender;
  const commonDir = lender.gitDirs[0] ?? repository.commonDir;
  try {
    await makeGitDirectory(gitDir, { ...repository, commonDir, objectDirectories, shallowFile });
    await writeFile(join(gitDir, 'HEAD'), `${commit}\n`);
    await hostGit({ gitDir, workTree: folder, args: ['read-tree', '--reset', '-u', commit] });
    return null;
  } catch (error) {
    if (!(error instanceof GitError || error instanceof UserError)) throw error;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    const short = commit.slice(0, 8);
    return error instanceof UserError
      ? error.explanation.what
      : `the objects of commit ${short} are not all here: git submodule update --init`;
  }
}
