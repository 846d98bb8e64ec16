import { afterPredecessor } from '../job/dependency.ts';
import type { JobId } from '../job/ids.ts';
import type { QueueTerms } from '../job/queue.ts';
import type { JobRecord } from '../job/record.ts';
import { UserError } from '../job/user-error.ts';
import { announce } from '../notify/announce.ts';
import { Bell } from '../store/bell.ts';
import { identify } from '../store/liveness.ts';
import { userDirectory } from '../store/paths.ts';
import { readJob } from '../store/read-job.ts';
import { reconcile } from '../store/reconcile.ts';
import { Slots, slotsFolder } from '../store/slots.ts';
import { checkpoint } from './checkpoint.ts';
import { type End, failed, type RunningJob, stopEnd } from './running-job.ts';

/** A killed job writes nothing that would wake us. */
const LOOK_EVERY_MS = 1000;
const BEAT_EVERY_MS = 60_000;

/** It is this job's turn, until `leave` is called; or it ends without ever having begun. */
export type Admission =
  | { readonly kind: 'go'; readonly leave: () => void }
  | { readonly kind: 'end'; readonly end: End };

/**
 * Waits until the job this one goes on from has succeeded, then for a slot. The job stays `queued` meanwhile; its
 * note says what it waits for. The queue's limit counts from when nothing but a slot is missing.
 */
export async function admit(job: RunningJob, terms: QueueTerms): Promise<Admission> {
  const end = terms.after === null ? null : await waitForPredecessor(job, terms.after);
  if (end !== null) return { kind: 'end', end };
  try {
    return await waitForSlot(job, terms);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // A home that cannot be written keeps nobody from working; it only keeps jobs from seeing each other.
    job.log.complain(`this job runs without a slot: ${error.message}`);
    return { kind: 'go', leave: () => undefined };
  }
}

async function waitForPredecessor(job: RunningJob, id: JobId): Promise<End | null> {
  const bell = new Bell(job.store.jobs);
  try {
    return await waiting(job, bell, Number.POSITIVE_INFINITY, () => {
      const after = afterPredecessor(id, currentRecord(job, id));
      switch (after.kind) {
        case 'wait':
          return { kind: 'wait', why: after.why };
        case 'stop':
          return { kind: 'over', value: failed('dependency_failed', after.why) };
        case 'go':
          if (after.base !== null) job.writer.amend({ base: after.base });
          return { kind: 'over', value: null };
      }
    });
  } finally {
    bell.close();
  }
}

/** As it truly is: nobody else may be there to notice that its runner died. Its work is salvaged by the next reader. */
function currentRecord({ store }: RunningJob, id: JobId): JobRecord | null {
  const read = readJob(store, id);
  if (read.kind !== 'ok') return null;
  const { record } = reconcile(store, read.record, Date.now());
  if (record.rev !== read.record.rev) announce(userDirectory(process.env), record);
  return record;
}

async function waitForSlot(job: RunningJob, terms: QueueTerms): Promise<Admission> {
  const { id } = job.writer.record;
  const self = { job: id, provider: job.models[0].provider, runner: identify() };
  const slots = new Slots(slotsFolder(userDirectory(process.env)), self, terms);
  const bell = new Bell(slots.folder);
  const beat = setInterval(() => slots.beat(), BEAT_EVERY_MS);
  beat.unref();
  const leave = (): void => {
    clearInterval(beat);
    leaveQuietly(job, slots);
  };
  try {
    const deadline = performance.now() + terms.queueTimeout * 1000;
    const end = await waiting<End | null>(job, bell, deadline, () => {
      const turn = slots.tryTake();
      if (turn.kind === 'yes') return { kind: 'over', value: null };
      slots.standInLine();
      return turn;
    });
    checkpoint('queue:left');
    if (end === null) return { kind: 'go', leave };
    leave();
    return { kind: 'end', end };
  } catch (error) {
    leave();
    throw error;
  } finally {
    bell.close();
  }
}

function leaveQuietly(job: RunningJob, slots: Slots): void {
  try {
    slots.leave();
  } catch (error) {
    // Our end gives the slot back as well: whoever looks next sees that we are dead.
    job.log.complain(`the slot could not be given back: ${String(error)}`);
  }
}

type Look<T> = { readonly kind: 'wait'; readonly why: string } | { readonly kind: 'over'; readonly value: T };

/** Looks whenever the bell rings and once a second, until it is over, the job is stopped, or `deadline` has passed. */
async function waiting<T>(
  job: RunningJob,
  bell: Bell,
  deadline: number,
  look: () => Look<T>,
): Promise<T | End> {
  const wake = (): void => bell.ring();
  job.stop.signal.addEventListener('abort', wake);
  try {
    for (;;) {
      const stopped = stopEnd(job.stop);
      if (stopped !== null) return endInQueue(stopped);
      const seen = look();
      if (seen.kind === 'over') return seen.value;
      say(job, seen.why);
      const left = deadline - performance.now();
      if (left <= 0) return { to: 'timeout', reason: 'queue', detail: seen.why };
      await bell.rung(Math.min(LOOK_EVERY_MS, left));
    }
  } finally {
    job.stop.signal.removeEventListener('abort', wake);
  }
}

/** The first word is published at once: whoever started the job waits to hear whether it has begun. */
function say({ writer, log }: RunningJob, note: string): void {
  const { progress } = writer.record;
  if (progress.note === note) return;
  const next = { progress: { ...progress, note } };
  if (progress.note === '') writer.amend(next);
  else writer.progress(next);
  log.event('queued', { why: note });
}

/** A job that never began cannot fail by what happens to jobs that run, a full disk say. */
function endInQueue(end: End): End {
  return end.to === 'failed' ? failed('launch_failed', end.detail ?? '') : end;
}
