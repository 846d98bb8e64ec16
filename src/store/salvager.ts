import type { JobId } from '../job/ids.ts';
import type { RunnerIdentity } from '../job/record.ts';
import { createExclusive } from './atomic-file.ts';
import { namesIn } from './folders.ts';
import { readJsonFile } from './json-file.ts';
import { liveness } from './liveness.ts';
import { runPaths, type StorePaths, salvagerClaim } from './paths.ts';
import { runnerIdentity } from './record-fields.ts';

const CLAIM_MAX_BYTES = 4096;

/**
 * Claims the salvage of a job for this process: of many exactly one gets true, and another one only when
 * that one is dead. Claims are numbered and never taken away, so that nobody can remove a living one by
 * mistake. Throws UserError `storage`.
 */
export function claimSalvage(store: StorePaths, id: JobId, self: RunnerIdentity): boolean {
  const last = lastClaim(store, id);
  if (last.lives) return false;
  return createExclusive(salvagerClaim(store, id, last.number + 1), JSON.stringify(self)) === 'created';
}

/** Does a process that claimed the salvage still live, as far as can be told? Throws UserError `storage`. */
export function salvagerLives(store: StorePaths, id: JobId): boolean {
  return lastClaim(store, id).lives;
}

function lastClaim(store: StorePaths, id: JobId): { readonly number: number; readonly lives: boolean } {
  const numbers = namesIn(runPaths(store, id).folder).map((name) => Number(CLAIM.exec(name)?.[1] ?? 0));
  const number = Math.max(0, ...numbers);
  if (number === 0) return { number, lives: false };
  const claim = readJsonFile(salvagerClaim(store, id, number), runnerIdentity, CLAIM_MAX_BYTES);
  return { number, lives: claim.kind === 'ok' && liveness(claim.value) !== 'dead' };
}

const CLAIM = /^salvager\.([1-9][0-9]{0,8})\.json$/;
