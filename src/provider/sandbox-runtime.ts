import type { JobRecord } from '../job/record.ts';
import type { PathEnvironment } from '../store/paths.ts';
import { effectiveConfig } from './effective-config.ts';

/**
 * The sandbox runtime a job was started with, by the user's own settings; null when it was started without one.
 * Never a path that stands in a record: whoever can write that could name a program.
 */
export function runtimeOf(record: Pick<JobRecord, 'sandboxBackend'>, env: PathEnvironment): string | null {
  if (record.sandboxBackend !== 'sandbox-runtime') return null;
  return effectiveConfig({ env, projectRoot: null }).settings.sandbox.runtime;
}
