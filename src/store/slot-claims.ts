import { lstatSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { isJobId, type JobId } from '../job/ids.ts';
import type { RunnerIdentity } from '../job/record.ts';
import { createExclusive } from './atomic-file.ts';
import { namesIn } from './folders.ts';
import { readJsonFile } from './json-file.ts';
import { liveness } from './liveness.ts';
import { runnerIdentity } from './record-fields.ts';
import { errorCode } from './storage-error.ts';

/** Who holds a slot, or waits for one. */
export interface Holder {
  readonly job: JobId;
  readonly provider: string;
  readonly runner: RunnerIdentity;
}

/** The newest claim on one numbered slot of a pool. */
export interface Claim {
  readonly pool: string;
  readonly number: number;
  readonly generation: number;
  /** null: given back, or its holder is dead. */
  readonly holder: Holder | null;
}

const holder = z.object({
  job: z.custom<JobId>((value) => typeof value === 'string' && isJobId(value), 'no job id'),
  provider: z.string(),
  runner: runnerIdentity,
});
const content: z.ZodType<Holder | { readonly free: true }> = z.union([
  z.object({ free: z.literal(true) }),
  holder,
]);
const FREE = JSON.stringify({ free: true });

const NAME = /^([a-z0-9-]{1,64})\.([1-9][0-9]{0,3})\.([1-9][0-9]{0,9})\.json$/;
const MAX_BYTES = 4096;
/** Of each slot so many older claims stay, so that who is slow still meets a newer one than theirs. */
const KEPT = 8;
/** A process that cannot be seen from here, in another container say, shows at least so often that it lives. */
const BEAT_LOST_MS = 10 * 60_000;

/**
 * The newest claims of all slots. A slot is never freed by taking its newest claim away: it is given back, or taken
 * over, by the next generation, which of many exactly one can make. Throws UserError `storage`.
 */
export function readClaims(folder: string, nowMs: number): Claim[] {
  const newest = new Map<string, { pool: string; number: number; generation: number }>();
  for (const found of claimNames(folder)) {
    const slot = `${found.pool}.${found.number}`;
    if ((newest.get(slot)?.generation ?? 0) < found.generation) newest.set(slot, found);
  }
  return [...newest.values()].map((claim) => ({
    ...claim,
    holder: livingHolder(claimPath(folder, claim), nowMs),
  }));
}

/**
 * Takes a slot whose newest claim was `generation` (0: there was none). Of many who try one gets the number of its
 * own claim, the others null. Throws UserError `storage`.
 */
export function takeSlot(
  folder: string,
  slot: Omit<Claim, 'holder'>,
  self: Holder,
  nowMs: number,
): number | null {
  const mine = { ...slot, generation: slot.generation + 1 };
  if (createExclusive(claimPath(folder, mine), JSON.stringify(self)) === 'exists') return null;
  const all = claimNames(folder).filter(({ pool, number }) => pool === slot.pool && number === slot.number);
  // We looked so long ago that ours is one of the old ones, which had been cleared away.
  if (all.some(({ generation }) => generation > mine.generation)) {
    removeFile(claimPath(folder, mine));
    return null;
  }
  for (const old of all) {
    const isOld = old.generation <= mine.generation - KEPT;
    if (isOld) removeFile(claimPath(folder, old));
  }
  clearLitter(folder, nowMs);
  return mine.generation;
}

/** Gives back a slot that is ours. Throws UserError `storage`: then our death will. */
export function giveBackSlot(folder: string, slot: Omit<Claim, 'holder'>): void {
  createExclusive(claimPath(folder, { ...slot, generation: slot.generation + 1 }), FREE);
}

/** The path of a claim: `<pool>.<number>.<generation>.json`. */
export function claimPath(folder: string, { pool, number, generation }: Omit<Claim, 'holder'>): string {
  return join(folder, `${pool}.${number}.${generation}.json`);
}

/** Who made this file, while they may still live; null when they are dead or have given it back. */
export function livingHolder(path: string, nowMs: number): Holder | null {
  const file = readJsonFile(path, content, MAX_BYTES);
  if (file.kind === 'absent') return null;
  if (file.kind === 'ok') {
    if ('free' in file.value) return null;
    const state = liveness(file.value.runner);
    if (state === 'dead') return null;
    if (state !== 'unknown') return file.value;
  }
  const found = file.kind === 'ok' && !('free' in file.value) ? file.value : UNKNOWN_HOLDER;
  return ageOf(path, nowMs) > BEAT_LOST_MS ? null : found;
}

/** Of a claim that cannot be read, of another user or a newer program: it counts until it is old. */
const UNKNOWN_HOLDER: Holder = {
  job: 't_000000_000000' as JobId,
  provider: '',
  runner: { pid: 2, startTime: '', bootId: '', pidNamespace: '' },
};

function claimNames(folder: string): Omit<Claim, 'holder'>[] {
  return namesIn(folder).flatMap((name) => {
    const [, pool = '', number, generation] = NAME.exec(name) ?? [];
    return pool === '' ? [] : [{ pool, number: Number(number), generation: Number(generation) }];
  });
}

/** Temporary files of killed processes. */
function clearLitter(folder: string, nowMs: number): void {
  for (const name of namesIn(folder).filter((each) => each.endsWith('.tmp'))) {
    const path = join(folder, name);
    if (ageOf(path, nowMs) > BEAT_LOST_MS) removeFile(path);
  }
}

/** Milliseconds since the last change; 0 when it is not there. */
function ageOf(path: string, nowMs: number): number {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status === undefined ? 0 : nowMs - status.mtimeMs;
}

/** Removes a file that others may have removed as well. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // Gone already, or not ours to remove: an old file more changes nothing.
    if (errorCode(error) === null) throw error;
  }
}
