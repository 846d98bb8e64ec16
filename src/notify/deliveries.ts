import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isJobId, type JobId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { createExclusive, writeAtomic } from '../store/atomic-file.ts';
import { ensureFolder } from '../store/folders.ts';
import { storePaths } from '../store/paths.ts';
import { readSmallFile } from '../store/small-file.ts';
import { errorCode } from '../store/storage-error.ts';
import { ownersFor } from './heirs.ts';
import { type Notice, parseNotice, whatOf } from './notice.ts';
import { activeFile, entryOf, noticeFile, ownerFolder, ownerOf, toldFile } from './places.ts';
import { madeEmpty, namesOf, removed, removeIfEmpty } from './quietly.ts';

const NOTICE_READ_BYTES = 16 * 1024;

/** A notice on the disk, and whether it was told already. */
export interface Kept {
  readonly owner: string;
  readonly what: string;
  readonly notice: Notice;
  readonly isTold: boolean;
}

/** A job that had not ended when its owner's folder was written to last. */
export interface ActiveJob {
  readonly owner: string;
  readonly job: JobId;
  readonly repo: string;
}

/** Notes that a job of this record's session runs, before it does. Throws UserError `storage`. */
export function noteActive(userDir: string, record: Pick<JobRecord, 'id' | 'repo' | 'supervisor'>): void {
  const folder = ownerFolder(userDir, ownerOf(record));
  again(folder, () => writeAtomic(activeFile(folder, record.id), record.repo, { durable: false }));
}

export function isNotedActive(
  userDir: string,
  record: Pick<JobRecord, 'id' | 'repo' | 'supervisor'>,
): boolean {
  return existsSync(activeFile(ownerFolder(userDir, ownerOf(record)), record.id));
}

/** Puts a notice on the disk, once: true when it was not there yet. Throws UserError `storage`. */
export function post(userDir: string, owner: string, notice: Notice): boolean {
  const folder = ownerFolder(userDir, owner);
  const path = noticeFile(folder, notice.job, whatOf(notice));
  if (existsSync(path)) return false;
  return again(folder, () => createExclusive(path, `${JSON.stringify(notice)}\n`)) === 'created';
}

export function isPosted(userDir: string, owner: string, notice: Notice): boolean {
  return existsSync(noticeFile(ownerFolder(userDir, owner), notice.job, whatOf(notice)));
}

/** Somebody may find the folder empty, and take it away, between our two steps. */
function again<T>(folder: string, write: () => T): T {
  for (let tries = 0; ; tries += 1) {
    ensureFolder(folder);
    try {
      return write();
    } catch (error) {
      const cause = error instanceof Error ? error.cause : null;
      if (tries === 3 || errorCode(cause) !== 'ENOENT') throw error;
    }
  }
}

/** The notices for these owners, oldest first. What is torn or foreign is left out. */
export function keptFor(userDir: string, owners: readonly string[]): Kept[] {
  const kept = owners.flatMap((owner) => {
    const folder = ownerFolder(userDir, owner);
    const names = namesOf(folder);
    return names.flatMap((name): Kept[] => {
      const entry = entryOf(name);
      if (entry?.kind !== 'notice') return [];
      const file = readSmallFile(join(folder, name), NOTICE_READ_BYTES);
      const notice = file.kind === 'ok' ? parseNotice(file.text) : null;
      // Under another job's or another news' name it would be told once more.
      if (notice === null || notice.job !== entry.job || whatOf(notice) !== entry.what) return [];
      return [{ owner, what: entry.what, notice, isTold: names.includes(`${entry.job}.${entry.what}.told`) }];
    });
  });
  return kept.sort((a, b) => (a.notice.at < b.notice.at ? -1 : 1));
}

/** The jobs of these owners that have not ended, as far as was noted. */
export function activeFor(userDir: string, owners: readonly string[]): ActiveJob[] {
  return owners.flatMap((owner) => {
    const folder = ownerFolder(userDir, owner);
    return namesOf(folder).flatMap((name): ActiveJob[] => {
      const entry = entryOf(name);
      if (entry?.kind !== 'active' || !isJobId(entry.job)) return [];
      const file = readSmallFile(join(folder, name), NOTICE_READ_BYTES);
      return file.kind === 'ok' ? [{ owner, job: entry.job, repo: file.text }] : [];
    });
  });
}

/** Claims a notice for whoever is about to tell it: of many exactly one gets true, and nobody ever again. */
export function claim(userDir: string, { owner, notice, what }: Kept): boolean {
  return madeEmpty(toldFile(ownerFolder(userDir, owner), notice.job, what));
}

/** Sees to it that a notice is not told, whether it is on the disk already or about to be. */
export function markKnown(userDir: string, owner: string, notice: Notice): void {
  const folder = ownerFolder(userDir, owner);
  if (existsSync(folder)) madeEmpty(toldFile(folder, notice.job, whatOf(notice)));
}

/** Takes the notices of a job away that `isStale` says true of, and their marks with them. */
export function withdraw(
  userDir: string,
  owner: string,
  job: JobId,
  isStale: (what: string, isTold: boolean) => boolean,
): void {
  const folder = ownerFolder(userDir, owner);
  const names = namesOf(folder);
  for (const name of names) {
    const entry = entryOf(name);
    if (entry?.kind !== 'notice' || entry.job !== job) continue;
    if (!isStale(entry.what, names.includes(`${job}.${entry.what}.told`))) continue;
    removed(noticeFile(folder, job, entry.what));
    removed(toldFile(folder, job, entry.what));
  }
}

export function forgetActive(userDir: string, owner: string, job: JobId): void {
  removed(activeFile(ownerFolder(userDir, owner), job));
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;

/** Tidies the folders a session gets its notices from. */
export function tidy(userDir: string, session: string, nowMs: number): void {
  for (const owner of ownersFor(userDir, session).reverse()) tidyOwner(userDir, owner, nowMs);
}

/**
 * Takes away what stands for nothing any more: marks without a notice, pointers to folders that are gone, jobs whose
 * store is, empty folders. Marks younger than a minute stay, since their notice may be on its way; and so does a job
 * younger than a day, since a live runner makes its store anew, and a disk may be away for a while.
 */
export function tidyOwner(userDir: string, owner: string, nowMs: number): void {
  const folder = ownerFolder(userDir, owner);
  const names = namesOf(folder);
  for (const name of names) {
    const path = join(folder, name);
    const entry = entryOf(name);
    const isStray = entry?.kind === 'told' && !names.includes(`${entry.job}.${entry.what}.json`);
    if (isStray && ageOf(path, nowMs) > MINUTE_MS) removed(path);
    if (entry?.kind === 'adopted' && !existsSync(ownerFolder(userDir, entry.from))) removed(path);
    if (entry?.kind === 'active' && ageOf(path, nowMs) > DAY_MS && isStoreGone(path)) removed(path);
  }
  removeIfEmpty(folder);
}

/** Is there no store any more where the job of this note was? */
function isStoreGone(note: string): boolean {
  const file = readSmallFile(note, NOTICE_READ_BYTES);
  return file.kind === 'ok' && !existsSync(storePaths(file.text).jobs);
}

/** Milliseconds since it was written last; 0 for what is not there. */
export function ageOf(path: string, nowMs: number): number {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status === undefined ? 0 : nowMs - status.mtimeMs;
}
