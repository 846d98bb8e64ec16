import type { JobRecord } from '../job/record.ts';
import { launchRunner } from '../runner/launch.ts';
import type { Store } from '../store/open.ts';
import { runPaths, stateDirectory } from '../store/paths.ts';
import { reconcile } from '../store/reconcile.ts';
import type { VerbContext } from './verb.ts';

/**
 * The record as it truly is: if its runner has died, that is published, and a salvager is started, by the
 * one reader who noticed first.
 */
export async function upToDate(context: VerbContext, store: Store, record: JobRecord): Promise<JobRecord> {
  const { record: now, salvage } = reconcile(store, record, Date.now());
  if (salvage) {
    await launchRunner({
      mode: 'salvage',
      repo: store.repo,
      id: record.id,
      program: context.program,
      stateDirectory: stateDirectory(context.env),
      runnerLog: runPaths(store, record.id).runnerLog,
      env: context.env,
      secrets: { models: [], passEnv: {} },
    });
  }
  return now;
}
