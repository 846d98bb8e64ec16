import type { JobId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { announce } from '../notify/announce.ts';
import { isNotedActive } from '../notify/deliveries.ts';
import { launchRunner } from '../runner/launch.ts';
import type { Store } from '../store/open.ts';
import { runPaths, stateDirectory, userDirectory } from '../store/paths.ts';
import { reconcile } from '../store/reconcile.ts';
import { salvagerLives } from '../store/salvager.ts';
import type { VerbContext } from './verb.ts';

/**
 * The record as it truly is: if its runner has died, that is published. Whoever reads while the work waits
 * to be salvaged, and nobody is at it, starts a salvager; of several that start, one goes on.
 */
export async function upToDate(context: VerbContext, store: Store, record: JobRecord): Promise<JobRecord> {
  const { record: now } = reconcile(store, record, Date.now());
  const userDir = userDirectory(context.env);
  // Its end was published, and whoever did that may have died before anybody was told.
  if (isTerminal(now.state) && isNotedActive(userDir, now)) announce(userDir, now);
  if (now.result?.salvaged === 'pending' && !salvagerLives(store, now.id)) {
    await startSalvager(context, store, now.id);
  }
  return now;
}

async function startSalvager(context: VerbContext, store: Store, id: JobId): Promise<void> {
  try {
    await launchRunner({
      mode: 'salvage',
      repo: store.repo,
      id,
      program: context.program,
      stateDirectory: stateDirectory(context.env),
      runnerLog: runPaths(store, id).runnerLog,
      env: context.env,
      secrets: { models: [], grader: [], roles: {}, small: null, passEnv: {} },
    });
  } catch (error) {
    // Reading must work all the same; the work stays where it is, and the next reader tries again.
    context.stderr(`cc-delegate: the work of ${id} is not salvaged yet: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
