import { dirname, join } from 'node:path';
import * as z from 'zod';
import { isJobId, type JobId } from '../job/ids.ts';
import { DEFAULT_CONCURRENCY, type QueueTerms } from '../job/queue.ts';
import { writeAtomic } from './atomic-file.ts';
import { ensureFolder } from './folders.ts';
import { readJsonFile } from './json-file.ts';
import type { RunPaths } from './paths.ts';

const MAX_BYTES = 4096;
const jobId = z.custom<JobId>((value) => typeof value === 'string' && isJobId(value), 'no job id');
const whole = z.number().int().positive();

const schema: z.ZodType<QueueTerms> = z.object({
  total: whole,
  perProvider: whole,
  queueTimeout: z.number().nonnegative(),
  after: jobId.nullable(),
});

/** Writes what a job waits for beside its task. Durable: the runner starts from it. Throws UserError `storage`. */
export function writeQueueTerms(paths: RunPaths, terms: QueueTerms): void {
  ensureFolder(dirname(pathOf(paths)));
  writeAtomic(pathOf(paths), `${JSON.stringify(terms)}\n`, { durable: true });
}

/** What a job waits for; the defaults where nothing was written. Throws an Error for a file that is not of our form. */
export function readQueueTerms(paths: RunPaths): QueueTerms {
  const file = readJsonFile(pathOf(paths), schema, MAX_BYTES);
  if (file.kind === 'ok') return file.value;
  if (file.kind === 'absent') return { ...DEFAULT_CONCURRENCY, after: null };
  // A job that must wait for another one must not begin because a file is broken.
  throw new Error(`what the job waits for cannot be read: ${file.why}`);
}

function pathOf({ folder }: RunPaths): string {
  return join(folder, 'queue.json');
}
