import { lstatSync } from 'node:fs';
import { isJobId, isOlder, type JobId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { isActive, type JobState } from '../job/states.ts';
import { UserError } from '../job/user-error.ts';
import { namesIn } from './folders.ts';
import { revisionPath, runPaths, type StorePaths, snapshotPath } from './paths.ts';
import { parseRecord, RECORD_READ_BYTES, type RecordRead } from './record-schema.ts';
import { readSmallFile } from './small-file.ts';
import { errorCode } from './storage-error.ts';

/** A job that is there, though perhaps not to be understood. */
export type FoundJob =
  | { readonly kind: 'ok'; readonly id: JobId; readonly record: JobRecord }
  | {
      readonly kind: 'newer';
      readonly id: JobId;
      readonly path: string;
      readonly schema: number;
      readonly raw: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'unreadable'; readonly id: JobId; readonly path: string; readonly why: string };

export type JobRead = FoundJob | { readonly kind: 'absent'; readonly id: JobId };

/**
 * Reads a job without any lock: the snapshot, or a revision that is ahead of it. A torn or missing snapshot
 * is made good by the highest revision that can be read. Writes nothing.
 */
export function readJob(store: StorePaths, id: JobId): JobRead {
  if (!isJobId(id)) throw new Error('no job id');
  const path = snapshotPath(store, id);
  const snapshot = readRecord(path, id, null);
  switch (snapshot.kind) {
    case 'ok':
      return climb(store, snapshot.record);
    case 'newer':
      return { ...snapshot, id, path };
    case 'absent':
      return highestRevision(store, id) ?? { kind: 'absent', id };
    case 'unreadable':
      return highestRevision(store, id) ?? { kind: 'unreadable', id, path, why: snapshot.why };
  }
}

/**
 * All jobs, newest first; `limit` reads no more than the newest. A job that cannot be read is listed as such.
 * Throws UserError `storage` when the store itself cannot be read.
 */
export function listJobs(store: StorePaths, options: { readonly limit?: number } = {}): FoundJob[] {
  const ids = jobIds(store);
  return readFound(store, ids, options.limit ?? ids.length);
}

/** The jobs that have not ended, newest first. What it costs does not depend on how many have. */
export function activeJobs(store: StorePaths): FoundJob[] {
  const ids = namesIn(store.active).filter((name) => isJobId(name));
  return readFound(store, ids.sort(newestFirst), ids.length).filter(
    (job) => job.kind !== 'ok' || isActive(job.record.state),
  );
}

/** The ids of all jobs, newest first, without reading any; for matching what was typed. */
export function jobIds(store: StorePaths): JobId[] {
  const snapshots = namesIn(store.jobs).map((name) => (name.endsWith('.json') ? name.slice(0, -5) : ''));
  const ids = new Set([...snapshots, ...namesIn(store.active)].filter((name) => isJobId(name)));
  return [...ids].sort(newestFirst);
}

/** Has this revision been published? */
export function revisionExists(store: StorePaths, id: JobId, rev: number): boolean {
  try {
    lstatSync(revisionPath(store, id, rev));
    return true;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return false;
  }
}

/** The states a job went through, oldest first, each with its time; as far as its revisions can be read. */
export function stateHistory(
  store: StorePaths,
  id: JobId,
): { readonly state: JobState; readonly at: string }[] {
  const history: { state: JobState; at: string }[] = [];
  for (const rev of revisionNumbers(runPaths(store, id).revisions).reverse()) {
    const read = readRecord(revisionPath(store, id, rev), id, rev);
    if (read.kind !== 'ok' || read.record.state === history.at(-1)?.state) continue;
    history.push({ state: read.record.state, at: read.record.updatedAt });
  }
  return history;
}

function readFound(store: StorePaths, ids: readonly JobId[], limit: number): FoundJob[] {
  const found: FoundJob[] = [];
  for (const id of ids) {
    if (found.length >= limit) break;
    const job = readJob(store, id);
    // A marker whose creator died before its job was made, or a job removed meanwhile.
    if (job.kind !== 'absent') found.push(job);
  }
  return found;
}

function newestFirst(a: JobId, b: JobId): number {
  return isOlder(a, b) ? 1 : -1;
}

/** Revisions have no gap, so that one look for the next one tells whether the snapshot is behind. */
function climb(store: StorePaths, from: JobRecord): JobRead {
  let record = from;
  for (;;) {
    const path = revisionPath(store, record.id, record.rev + 1);
    const next = readRecord(path, record.id, record.rev + 1);
    if (next.kind === 'newer') return { ...next, id: record.id, path };
    if (next.kind !== 'ok') return { kind: 'ok', id: record.id, record };
    record = next.record;
  }
}

function highestRevision(store: StorePaths, id: JobId): FoundJob | null {
  for (const rev of revisionNumbers(runPaths(store, id).revisions)) {
    const path = revisionPath(store, id, rev);
    const read = readRecord(path, id, rev);
    if (read.kind === 'ok') return { kind: 'ok', id, record: read.record };
    if (read.kind === 'newer') return { ...read, id, path };
  }
  return null;
}

/** Highest first. */
function revisionNumbers(folder: string): number[] {
  try {
    return namesIn(folder)
      .map((name) => Number(/^([1-9][0-9]{0,9})\.json$/.exec(name)?.[1] ?? 0))
      .filter((rev) => rev > 0)
      .sort((a, b) => b - a);
  } catch (error) {
    // One job whose folder is closed to us is unreadable; it must not hide the others.
    if (error instanceof UserError) return [];
    throw error;
  }
}

function readRecord(path: string, id: JobId, rev: number | null): RecordRead | { readonly kind: 'absent' } {
  const file = readSmallFile(path, RECORD_READ_BYTES);
  return file.kind === 'ok' ? parseRecord(file.text, { id, rev }) : file;
}
