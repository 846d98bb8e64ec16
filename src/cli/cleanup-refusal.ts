import { existsSync } from 'node:fs';
import { shortId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { runtimeOf } from '../provider/sandbox-runtime.ts';
import { readLeftovers } from '../store/leftovers-file.ts';
import type { Store } from '../store/open.ts';
import { runPaths, stateDirectory, workspacePaths } from '../store/paths.ts';
import { findLaterWork, type LaterWork } from '../workspace/later-work.ts';
import { NO_LEFTOVERS } from '../workspace/leftovers.ts';
import { jobRef } from '../workspace/refs.ts';
import { findRepository } from '../workspace/repository.ts';
import { openSandbox } from '../workspace/sandbox/open.ts';
import type { VerbContext } from './verb.ts';

/** Why a job must stay; null when it may go. Work nobody has used or given up is not ours to destroy. */
export async function refuseToRemove(
  context: VerbContext,
  store: Store,
  record: JobRecord,
  force: boolean,
): Promise<UserError | null> {
  const early = refusalByRecord(record, force);
  if (early !== null || force) return early;
  const id = shortId(record.id);
  const later = await laterWork(context, store, record).catch((error: Error) => error);
  if (later instanceof Error) {
    return refused(
      `its workspace could not be compared with its result: ${later.message}`,
      record,
      `put that right, or: cc-delegate cleanup ${id} --force`,
    );
  }
  if (later !== 'some') return null;
  return refused(
    'its workspace was changed after the result was taken',
    record,
    `look there (cc-delegate open ${id}) and keep what you need; then: cc-delegate cleanup ${id} --force`,
  );
}

/** Pure: what the record alone says. */
export function refusalByRecord(record: JobRecord, force: boolean): UserError | null {
  const id = shortId(record.id);
  if (!isTerminal(record.state)) {
    return refused(`this job is ${record.state}`, record, `first: cc-delegate cancel ${id}`);
  }
  if (record.result?.salvaged === 'pending') {
    return refused('its work is just being salvaged', record, 'try again in a moment');
  }
  if (force || record.disposition === 'discarded') return null;
  if (isUnused(record)) {
    return refused(
      'its work is neither applied nor discarded',
      record,
      `cc-delegate apply ${id}, or discard ${id}, or cleanup ${id} --force`,
    );
  }
  if (record.result?.flags.includes('commits_not_in_tree') !== true) return null;
  return refused(
    'commits of the worker hold files that are not in its result',
    record,
    `keep them: git branch NAME ${jobRef(record.id, 'extra/1')}; or: cc-delegate cleanup ${id} --force`,
  );
}

/** Is there work in it that nobody has taken or given up? */
export function isUnused(record: JobRecord): boolean {
  return (record.result?.files ?? 0) > 0 && record.disposition === 'none';
}

async function laterWork(context: VerbContext, store: Store, record: JobRecord): Promise<LaterWork> {
  const leftovers = readLeftovers(runPaths(store, record.id).leftovers);
  // Written before the worker begins: without it there was never work in there.
  if (leftovers.kind === 'absent') return 'none';
  const places = workspacePaths(stateDirectory(context.env), store.repo, record.id);
  // Before the sandbox, which would make folders where all is gone.
  if (!existsSync(places.work)) return 'lost';
  const repository = await findRepository(record.checkout);
  const sandbox = await openSandbox({
    jobId: record.id,
    workspace: places.work,
    home: places.home,
    temp: places.temp,
    passEnv: {},
    levelWanted: record.sandbox,
    runtime: runtimeOf(record, context.env),
    readable: repository.objectDirectories,
  });
  try {
    return await findLaterWork({
      repository,
      sandbox,
      workspace: places.work,
      collector: places.collector,
      base: record.base,
      tree: record.result?.tree ?? null,
      leftovers: leftovers.kind === 'ok' ? new Map(leftovers.value) : NO_LEFTOVERS,
    });
  } finally {
    await sandbox.dispose();
  }
}

function refused(what: string, record: JobRecord, remedy: string): UserError {
  return new UserError({ code: 'not_removed', what, value: record.id, remedy, exit: EXIT.wrongState });
}
