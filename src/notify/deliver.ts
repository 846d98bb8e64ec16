import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { ring } from './bell.ts';
import {
  forgetActive,
  isNotedActive,
  isPosted,
  markKnown,
  noteActive,
  post,
  withdraw,
} from './deliveries.ts';
import { hasJobsOf, heirsFrom, pointAlong } from './heirs.ts';
import { budgetNoticeOf, noticeOf, whatOf } from './notice.ts';
import { isTerminalOwner, ownerFolder, ownerOf } from './places.ts';
import { removeIfEmpty } from './quietly.ts';

/**
 * Brings the notices of a job in line with its record: what it asks now, or how it ended, each once; a question that
 * is no longer open is taken back. Rings the bell of the session they are for, if anything is new. Safe to call with
 * the same record again; never throws: to be heard is not worth a job.
 */
export function deliver(userDir: string, record: JobRecord): void {
  try {
    if (bringInLine(userDir, record)) wake(userDir, ownerOf(record));
  } catch (error) {
    // A full disk, a home that is read-only: `status` and `result` say the same, and so does the next SessionStart.
    process.stderr.write(`no notice of ${record.id}: ${String(error)}\n`);
  }
}

/** True when there is something new to be told. */
function bringInLine(userDir: string, record: JobRecord): boolean {
  const owner = ownerOf(record);
  const notice = noticeOf(record);
  const budget = budgetNoticeOf(record);
  const now = [notice, budget].flatMap((one) => (one === null ? [] : [whatOf(one)]));
  withdraw(userDir, owner, record.id, (what) => !now.includes(what));
  const isBudgetNew = budget !== null && post(userDir, owner, budget);
  // That half is spent can wait for the session's next turn.
  const isUrgent = isBudgetNew && budget.percent === 80;
  if (notice === null) return isUrgent;
  if (!isTerminal(record.state)) return post(userDir, owner, notice) || isUrgent;
  // Told of before, or looked at: an ended job is saved again when its work was salvaged or applied.
  if (!isNotedActive(userDir, record)) return false;
  const isNew = post(userDir, owner, notice);
  forgetActive(userDir, owner, record.id);
  return isNew;
}

function wake(userDir: string, owner: string): void {
  if (isTerminalOwner(owner)) return;
  const chain = heirsFrom(userDir, owner);
  pointAlong(userDir, chain);
  ring(userDir, chain);
}

/** Notes a job that begins, so that its end will be told. Never throws. */
export function expectEnd(userDir: string, record: JobRecord): void {
  try {
    noteActive(userDir, record);
    const owner = ownerOf(record);
    if (!isTerminalOwner(owner)) pointAlong(userDir, heirsFrom(userDir, owner));
  } catch (error) {
    // The job is worth more than to be heard of.
    process.stderr.write(`the end of ${record.id} will not be told: ${String(error)}\n`);
  }
}

/**
 * Somebody has seen this job as it is in `record`. `session` is the session that looked, null for a terminal. What
 * was told is done with then; what was not told yet only if it is the job's own session that looked. Never throws.
 */
export function lookedAt(userDir: string, record: JobRecord, session: string | null): void {
  const owner = ownerOf(record);
  const notice = noticeOf(record);
  if (notice === null) return;
  const isOwn = isOwnJob(userDir, owner, session);
  // The runner may be about to post what was just seen: it is not to be told then.
  if (isOwn && (!isTerminal(record.state) || isNotedActive(userDir, record)))
    markKnown(userDir, owner, notice);
  if (!isTerminal(record.state)) return;
  if (isOwn) forgetActive(userDir, owner, record.id);
  withdraw(userDir, owner, record.id, (_, isTold) => isOwn || isTold);
  removeIfEmpty(ownerFolder(userDir, owner));
}

/**
 * Somebody was told that there is news of this job, and has not looked at them: `wait` says that it has ended, not what
 * came of it. The job's own session is not told a second time then; the notice stays until it looks. Never throws.
 */
export function heardOf(userDir: string, record: JobRecord, session: string | null): void {
  const owner = ownerOf(record);
  const notice = noticeOf(record);
  if (notice === null || !isOwnJob(userDir, owner, session)) return;
  // In this order: its runner posts first, and forgets then. What was looked at before leaves no mark.
  const isOpen = !isTerminal(record.state) || isNotedActive(userDir, record);
  if (isOpen || isPosted(userDir, owner, notice)) markKnown(userDir, owner, notice);
}

function isOwnJob(userDir: string, owner: string, session: string | null): boolean {
  return isTerminalOwner(owner) || hasJobsOf(userDir, session, owner);
}

/** The job is gone: nobody is to hear of it any more. Never throws. */
export function forget(userDir: string, record: JobRecord): void {
  const owner = ownerOf(record);
  forgetActive(userDir, owner, record.id);
  withdraw(userDir, owner, record.id, () => true);
  removeIfEmpty(ownerFolder(userDir, owner));
}
