import { isAtOrBelow } from '../raw-path.ts';
import type { Repository } from '../repository.ts';
import { type BaseEntries, foldersOf } from './base-entries.ts';
import type { CheckoutStatus } from './checkout-status.ts';
import { changedLockFiles, copyDependencies, readDependencies } from './dependencies.ts';
import { isVirtualEnvironment, sortFolders } from './dependency-kinds.ts';
import { readIncludeList } from './include-list.ts';
import { type IncludeLimits, type IncludeSnapshot, placeSnapshot, takeSnapshot } from './include-snapshot.ts';
import type { SizeLimits } from './measure.ts';
import type { ReadyReport } from './report.ts';

/** What both parts need to know. */
export interface ProvidePlace {
  readonly repository: Repository;
  readonly base: string;
  readonly workspace: string;
  readonly signal?: AbortSignal;
}

/** What became of the checkout's dependency folders. */
export interface ProvidedDependencies {
  /** All that were found, relative to the checkout. */
  readonly folders: readonly string[];
  /** Those that are in the workspace, or are to be shown there. */
  readonly taken: readonly string[];
  readonly environments: readonly string[];
  readonly report: Pick<
    ReadyReport,
    | 'dependencies'
    | 'dependenciesBound'
    | 'dependenciesSkipped'
    | 'neverReused'
    | 'escapes'
    | 'changedLockFiles'
  >;
}

/** Finds, measures and copies the dependency folders of the user's checkout. */
export async function provideDependencies(
  place: ProvidePlace & { readonly limits: SizeLimits; readonly canBind: boolean },
  entries: BaseEntries,
  status: CheckoutStatus,
): Promise<ProvidedDependencies> {
  const { repository, workspace, limits, canBind, signal } = place;
  const { checkout } = repository;
  const sorted = sortFolders(status, foldersOf(entries.paths), isVirtualEnvironment(checkout));
  const folders = sorted.dependencies;
  const plan = await readDependencies({ checkout, folders, destination: workspace, limits, canBind });
  const { copied, failed } = await copyDependencies({
    ...{ from: checkout, to: workspace, plan },
    ...(signal && { signal }),
  });
  const bound = plan.filter(({ kind }) => kind === 'bind').map(({ path }) => path);
  const taken = [...copied.map(({ path }) => path), ...bound];
  return {
    folders,
    taken,
    environments: sorted.environments,
    report: {
      dependencies: copied.map(({ path, files, bytes }) => ({ path, files, bytes })),
      dependenciesBound: bound,
      dependenciesSkipped: [
        ...plan.flatMap((step) => (step.kind === 'skip' ? [{ path: step.path, why: step.why }] : [])),
        ...failed,
      ],
      neverReused: sorted.never,
      escapes: copied.flatMap(({ leaveOut }) => leaveOut),
      changedLockFiles: await changedLockFiles(repository, place.base, taken),
    },
  };
}

/** Local files that `.worktreeinclude` names, in the workspace and in a snapshot for the gate. */
export interface ProvidedFiles {
  readonly snapshot: IncludeSnapshot;
  readonly report: Pick<ReadyReport, 'included' | 'notIncluded' | 'includeMisses'>;
}

/** Copies them. What lies in a folder that is provided already is not looked at. */
export async function provideIncluded(
  place: ProvidePlace & { readonly folder: string; readonly limits: IncludeLimits },
  elsewhere: readonly string[],
): Promise<ProvidedFiles> {
  const list = await readIncludeList(place.repository);
  const snapshot = await takeSnapshot({
    checkout: place.repository.checkout,
    paths: list.paths.filter((path) => !isAtOrBelow(path, elsewhere)),
    folder: place.folder,
    limits: place.limits,
  });
  const { placed, refused } = await placeSnapshot(snapshot, place.workspace);
  return {
    snapshot,
    report: {
      included: placed,
      notIncluded: [...snapshot.refused, ...refused],
      includeMisses: list.misses,
    },
  };
}
