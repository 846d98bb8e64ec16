import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAtOrBelow } from '../raw-path.ts';
import type { Repository } from '../repository.ts';
import { readBaseEntries } from './base-entries.ts';
import { readCheckout } from './checkout-status.ts';
import { provideContents } from './contents.ts';
import { excludeProvided } from './exclude-rules.ts';
import { INCLUDE_LIMITS, type IncludeLimits, type IncludeSnapshot } from './include-snapshot.ts';
import type { SizeLimits } from './measure.ts';
import { DEPENDENCY_LIMITS } from './plan-dependencies.ts';
import { provideDependencies, provideIncluded } from './provide.ts';
import { type ReadyReport, reportLines } from './report.ts';

export interface ReadyLimits {
  /** Of dependency folders, in sum. */
  readonly dependencies: SizeLimits;
  readonly included: IncludeLimits;
}

/** What was put into the workspace, and what it takes to put the same into the gate's checkout. */
export interface Ready {
  readonly report: ReadyReport;
  /** Short lines for people, from the report. */
  readonly notices: readonly string[];
  /** The user's folders to be shown read-only at these paths of the workspace; only with `canBind`. */
  readonly binds: readonly { readonly source: string; readonly target: string }[];
  /** The user's object directories that submodules borrow from, to be readable in the sandbox. */
  readonly objectDirectories: readonly string[];
  readonly snapshot: IncludeSnapshot;
  /** The private folder that was given. */
  readonly folder: string;
}

export interface ReadyRequest {
  readonly repository: Repository;
  /** The commit the job starts from. */
  readonly base: string;
  /** A clone of ours at that commit, just made: nothing may run in it meanwhile. */
  readonly workspace: string;
  /** A private folder beside the workspace, for this alone; what an earlier try left in it is removed. */
  readonly folder: string;
  /** Can the sandbox show a folder of the user's read-only in the workspace? Default: no. */
  readonly canBind?: boolean;
  readonly limits?: Partial<ReadyLimits>;
  /** Ends a long copy; what is not done then is told as skipped. */
  readonly signal?: AbortSignal;
}

/**
 * Makes a clone ready to be worked in: local files that `.worktreeinclude` names, dependencies as private
 * copies, submodules and Git LFS from local objects. What cannot be had is told, it is no error. Throws
 * GitError, UserError `storage` where git has no room, and errors of the file system for files of our own.
 */
export async function makeReady(request: ReadyRequest): Promise<Ready> {
  const { repository, base, workspace, folder, canBind = false, signal, limits = {} } = request;
  const { dependencies = DEPENDENCY_LIMITS, included = INCLUDE_LIMITS } = limits;
  await rm(folder, { recursive: true, force: true });
  const [entries, status] = await Promise.all([
    readBaseEntries({ gitDir: join(workspace, '.git'), workTree: workspace }),
    readCheckout(repository),
  ]);
  const place = { repository, base, workspace, ...(signal && { signal }) };
  const packages = await provideDependencies({ ...place, limits: dependencies, canBind }, entries, status);
  const snapshotFolder = join(folder, 'included');
  const files = await provideIncluded({ ...place, folder: snapshotFolder, limits: included }, packages.taken);
  const staging = join(folder, 'staging');
  const contents = await provideContents({ repository, checkout: workspace, base, entries, staging });
  const { objectDirectories, ...told } = contents;
  const report: ReadyReport = {
    uncommitted: {
      changed: status.changed,
      untracked: status.untracked.filter((path) => !isAtOrBelow(path, packages.folders)),
    },
    ...files.report,
    environments: packages.environments.filter((path) => !files.report.included.includes(path)),
    ...packages.report,
    ...told,
  };
  await excludeProvided(workspace, providedPaths(report));
  const binds = report.dependenciesBound.map((path) => ({
    source: join(repository.checkout, path),
    target: join(workspace, path),
  }));
  const { snapshot } = files;
  return { report, notices: reportLines(report), binds, objectDirectories, snapshot, folder };
}

/** What is the user's own and never the worker's work, whatever the worker does to it. */
export function providedPaths(report: ReadyReport): string[] {
  return [...report.included, ...report.dependencies.map(({ path }) => path), ...report.dependenciesBound];
}
