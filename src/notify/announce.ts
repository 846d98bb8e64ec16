import type { JobRecord } from '../job/record.ts';
import { deliver } from './deliver.ts';
import { bakeLine } from './line/bake.ts';

/**
 * Tells the world around a job what its record says now: the status line, and a notice for the session that owns
 * it. Called after every save, by whoever saved; safe to call again with the same record. Never throws: to be
 * heard is not worth a job.
 */
export function announce(userDir: string, record: JobRecord): void {
  bakeLine(record);
  deliver(userDir, record);
}
