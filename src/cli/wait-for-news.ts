import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { Bell } from '../store/bell.ts';
import { readJob } from '../store/read-job.ts';
import { type FoundRecord, looked } from './find-job.ts';
import { upToDate } from './up-to-date.ts';
import type { VerbContext } from './verb.ts';

// A dead runner writes nothing, so its death is looked for; a live one wakes us by its writing.
const LIVENESS_EVERY_MS = 1000;

/** Is there something for the supervisor to do: a question, or an end? */
export function isNews(record: JobRecord): boolean {
  return record.state === 'needs_input' || isTerminal(record.state);
}

/** Waits until a job asks or has ended, at most `seconds`; returns the record as it is then. */
export function waitForNews(context: VerbContext, found: FoundRecord, seconds: number): Promise<JobRecord> {
  return waitUntil(context, found, seconds, isNews);
}

/** Waits as `waitQuietly` does, for a caller that shows the job at once: nobody has to be told of its news any more. */
export async function waitUntil(
  context: VerbContext,
  found: FoundRecord,
  seconds: number,
  holds: (record: JobRecord) => boolean,
): Promise<JobRecord> {
  const record = await waitQuietly(context, found, seconds, holds);
  return isNews(record) ? looked(context, { ...found, record }).record : record;
}

/**
 * Waits until `holds`, at most `seconds` (Infinity: without end). Woken by the store's folder; looks by
 * itself once a second, since a runner that was killed writes nothing. Ends early, with the job as it is, when `signal`
 * is aborted.
 */
export async function waitQuietly(
  context: VerbContext,
  { store, record }: FoundRecord,
  seconds: number,
  holds: (record: JobRecord) => boolean,
  signal?: AbortSignal,
): Promise<JobRecord> {
  const deadline = performance.now() + seconds * 1000;
  const bell = new Bell(store.jobs);
  signal?.addEventListener('abort', () => bell.ring(), { once: true });
  try {
    let now = record;
    for (;;) {
      const read = readJob(store, record.id);
      if (read.kind !== 'ok') return now;
      now = await upToDate(context, store, read.record);
      const left = deadline - performance.now();
      if (holds(now) || left <= 0 || signal?.aborted) return now;
      await bell.rung(Math.min(LIVENESS_EVERY_MS, left));
    }
  } finally {
    bell.close();
  }
}
