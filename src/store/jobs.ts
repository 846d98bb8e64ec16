import { closeSync, openSync, rmSync, unlinkSync } from 'node:fs';
import type { JobId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { isActive } from '../job/states.ts';
import { UserError } from '../job/user-error.ts';
import { createExclusive, writeAtomic } from './atomic-file.ts';
import { ensureStoreFolder } from './folders.ts';
import { ensureStore, type Store } from './open.ts';
import { activeMarker, commFolder, revisionPath, runPaths, snapshotPath } from './paths.ts';
import { revisionExists } from './read-job.ts';
import { serializeRecord } from './record-schema.ts';
import { storageError } from './storage-error.ts';

/**
 * Creates a job at revision 1. Of many creators of one id exactly one gets `created`.
 *
 * The order is marker, revision, snapshot. A crash after the first step leaves a marker without a job, which
 * no reader counts; after the second there is a job, and every reader finds it by its marker.
 * Throws UserError `storage`; a record that is not revision 1 is a bug.
 */
export function createJob(store: Store, record: JobRecord): 'created' | 'taken' {
  if (record.rev !== 1) throw new Error(`a new job is revision 1, not ${record.rev}`);
  const text = serializeRecord(record);
  ensureJobFolders(store, record);
  if (createExclusive(revisionPath(store, record.id, 1), text) === 'exists') return 'taken';
  // Once more: a sweeper may have taken the marker while it had no job.
  ensureMarker(store, record);
  writeSnapshot(store, record, text);
  return 'created';
}

/**
 * Publishes the next revision of a job. `fenced`: somebody else has published this revision, so the caller is
 * not the writer any more and must stop; nothing was changed. From the moment the revision is linked it
 * counts for every reader. Throws UserError `storage`, and then it was not published.
 */
export function publish(store: Store, next: JobRecord): 'published' | 'fenced' {
  const text = serializeRecord(next);
  ensureJobFolders(store, next);
  if (createExclusive(revisionPath(store, next.id, next.rev), text) === 'exists') return 'fenced';
  writeSnapshot(store, next, text);
  if (!isActive(next.state)) removeMarker(store, next.id);
  return 'published';
}

/**
 * Saves what changed between two transitions: same revision, by rename, without waiting for the disk.
 * `fenced` when a later revision exists. Throws UserError `storage`; the old snapshot is kept then.
 */
export function saveProgress(store: Store, record: JobRecord): 'saved' | 'fenced' {
  const text = serializeRecord(record);
  ensureJobFolders(store, record);
  if (revisionExists(store, record.id, record.rev + 1)) return 'fenced';
  writeAtomic(snapshotPath(store, record.id), text, { durable: false });
  return 'saved';
}

/** Brings snapshot and marker of an ended job in line, where its writer died before it could. */
export function settle(store: Store, record: JobRecord): void {
  writeSnapshot(store, record, serializeRecord(record));
  if (!isActive(record.state)) removeMarker(store, record.id);
}

/** Removes all that the store has of a job, its snapshot last, so that a crash leaves it listed. */
export function removeJob(store: Store, id: JobId): void {
  removeMarker(store, id);
  for (const path of [runPaths(store, id).folder, commFolder(store, id), snapshotPath(store, id)]) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      throw storageError('write', path, error);
    }
  }
}

function writeSnapshot(store: Store, record: JobRecord, text: string): void {
  try {
    writeAtomic(snapshotPath(store, record.id), text, { durable: true });
  } catch (error) {
    // The revision counts already. Readers look for a revision above the snapshot, and the next write renews it.
    if (!(error instanceof UserError)) throw error;
  }
}

function ensureJobFolders(store: Store, record: JobRecord): void {
  ensureStore(store);
  ensureStoreFolder(runPaths(store, record.id).revisions);
  if (isActive(record.state)) ensureMarker(store, record);
}

function ensureMarker(store: Store, record: JobRecord): void {
  const path = activeMarker(store, record.id);
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw storageError('write', path, error);
  }
}

function removeMarker(store: Store, id: JobId): void {
  try {
    unlinkSync(activeMarker(store, id));
  } catch {
    // A marker of an ended job is ignored by every reader and taken by the sweeper.
  }
}
