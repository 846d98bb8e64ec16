import { join } from 'node:path';
import type { Repository } from '../repository.ts';
import { readBaseEntries } from './base-entries.ts';
import { provideContents } from './contents.ts';
import { copyDependencies, readDependencies } from './dependencies.ts';
import { excludeProvided } from './exclude-rules.ts';
import { type NotProvided, placeSnapshot } from './include-snapshot.ts';
import { DEPENDENCY_LIMITS } from './plan-dependencies.ts';
import { providedPaths, type Ready } from './ready.ts';

/** What the gate has otherwise than the workspace had it. */
export interface GateReady {
  readonly notProvided: readonly NotProvided[];
  /** Dependency folders that changed in the user's checkout since the job started: the gate has them as they are now. */
  readonly changedSince: readonly string[];
  readonly binds: Ready['binds'];
}

/**
 * Puts into a clean checkout of the result what the workspace got, afresh: local files from the snapshot
 * of the start, dependencies from the user's checkout, submodules and Git LFS from local objects. Nothing
 * the worker did to its own copies has a part in it. Nothing may run in the checkout meanwhile.
 */
export async function makeGateReady(wanted: {
  readonly ready: Ready;
  readonly repository: Repository;
  /** The commit the job started from. */
  readonly base: string;
  readonly checkout: string;
  readonly signal?: AbortSignal;
}): Promise<GateReady> {
  const { ready, repository, base, checkout, signal } = wanted;
  const { report } = ready;
  const entries = await readBaseEntries({ gitDir: join(checkout, '.git'), workTree: checkout });
  const before = new Map(report.dependencies.map((folder) => [folder.path, folder]));
  const plan = await readDependencies({
    checkout: repository.checkout,
    folders: [...before.keys()],
    destination: checkout,
    limits: DEPENDENCY_LIMITS,
    canBind: false,
  });
  const packages = await copyDependencies({
    ...{ from: repository.checkout, to: checkout, plan },
    ...(signal && { signal }),
  });
  const files = await placeSnapshot(ready.snapshot, checkout);
  const staging = join(ready.folder, 'staging');
  const contents = await provideContents({ repository, checkout, base, entries, staging });
  await excludeProvided(checkout, providedPaths(report));
  const known = new Set(report.notIncluded.map(({ path }) => path));
  return {
    notProvided: [
      ...plan.flatMap((step) => (step.kind === 'skip' ? [{ path: step.path, why: step.why }] : [])),
      ...packages.failed,
      ...files.refused.filter(({ path }) => !known.has(path)),
      ...newlyMissing(report.submodulesMissing, contents.submodulesMissing),
      ...newlyMissing(report.lfsMissing, contents.lfsMissing),
    ],
    changedSince: packages.copied
      .filter(({ path, files, bytes }) => {
        const then = before.get(path);
        return then?.files !== files || then.bytes !== bytes;
      })
      .map(({ path }) => path),
    binds: report.dependenciesBound.map((path) => ({
      source: join(repository.checkout, path),
      target: join(checkout, path),
    })),
  };
}

function newlyMissing(before: readonly NotProvided[], now: readonly NotProvided[]): NotProvided[] {
  return now.filter(({ path }) => !before.some((known) => known.path === path));
}
