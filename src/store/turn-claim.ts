import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isJobId, type JobId } from '../job/ids.ts';
import { createExclusive } from './atomic-file.ts';
import { runPaths, type StorePaths } from './paths.ts';
import { readJob } from './read-job.ts';
import { readSmallFile } from './small-file.ts';

/** How long a caller may take from its claim to its job. */
const CREATE_MS = 60_000;

/**
 * Takes the place after the newest turn of a conversation: of many callers exactly one gets `claimed`. A claim whose
 * job was never made does not bar the way for longer than a minute. Throws UserError `storage`.
 */
export function claimNextTurn(
  store: StorePaths,
  newest: JobId,
  claim: { readonly id: JobId; readonly nowMs: number },
): 'claimed' | 'taken' {
  // A stale claim stays where it is, so that nobody can take a fresh one away with it.
  for (let number = 1; ; number += 1) {
    const path = join(runPaths(store, newest).folder, `next.${number}`);
    if (createExclusive(path, `${claim.id}\n`) === 'created') return 'claimed';
    if (!isStale(store, path, claim.nowMs)) return 'taken';
  }
}

/** Nobody will ever come by this claim: its job is not there, or was removed since. */
function isStale(store: StorePaths, path: string, nowMs: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  const file = readSmallFile(path, 100);
  const id = file.kind === 'ok' ? file.text.trim() : '';
  if (isJobId(id) && readJob(store, id).kind !== 'absent') return false;
  return nowMs - stat.mtimeMs > CREATE_MS;
}
