import { lstatSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isJobId } from '../job/ids.ts';
import { isActive } from '../job/states.ts';
import { temporaryOwner } from './atomic-file.ts';
import { namesIn } from './folders.ts';
import { commPaths, runPaths, type StorePaths } from './paths.ts';
import { readJob } from './read-job.ts';
import { errorCode, storageError } from './storage-error.ts';

const MINUTE_MS = 60_000;
/** The age at which Maildir gives up a temporary file whatever its owner does. */
const ABANDONED_MS = 36 * 60 * MINUTE_MS;

/**
 * Removes what killed processes left: temporary files whose writer is dead, or that are older than 36 h, and
 * markers of jobs that ended or were never made. What is younger than a minute stays, since a process in
 * another container looks dead from here. Returns the number of files removed. Throws UserError `storage`.
 */
export function sweep(store: StorePaths, nowMs: number): number {
  return sweepTemporaries(store, nowMs) + sweepMarkers(store, nowMs);
}

function sweepTemporaries(store: StorePaths, nowMs: number): number {
  let removed = 0;
  for (const folder of temporaryFolders(store)) {
    for (const name of namesIn(folder)) {
      const owner = temporaryOwner(name);
      if (owner === null) continue;
      const age = ageOf(join(folder, name), nowMs);
      if (age > ABANDONED_MS || (age > MINUTE_MS && !runs(owner))) removed += remove(join(folder, name));
    }
  }
  return removed;
}

function temporaryFolders(store: StorePaths): string[] {
  const runFolders = namesIn(store.runs)
    .filter((id) => isJobId(id))
    .flatMap((id) => [runPaths(store, id).folder, runPaths(store, id).revisions]);
  const mailFolders = namesIn(store.comm)
    .filter((id) => isJobId(id))
    .flatMap((id) => Object.values(commPaths(store, id)).map((box) => join(box, 'tmp')));
  return [store.root, store.jobs, store.active, store.removed, store.lines, ...runFolders, ...mailFolders];
}

function sweepMarkers(store: StorePaths, nowMs: number): number {
  let removed = 0;
  for (const id of namesIn(store.active).filter((name) => isJobId(name))) {
    const path = join(store.active, id);
    if (ageOf(path, nowMs) <= MINUTE_MS) continue;
    const job = readJob(store, id);
    const stale = job.kind === 'absent' || (job.kind === 'ok' && !isActive(job.record.state));
    if (stale) removed += remove(path);
  }
  return removed;
}

/** Milliseconds since the last change; 0 when it is gone already. */
function ageOf(path: string, nowMs: number): number {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status === undefined ? 0 : nowMs - status.mtimeMs;
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return errorCode(error) === 'EPERM';
  }
}

function remove(path: string): number {
  try {
    unlinkSync(path);
    return 1;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw storageError('write', path, error);
  }
}
