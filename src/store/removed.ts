import { copyFileSync } from 'node:fs';
import * as z from 'zod';
import type { JobId } from '../job/ids.ts';
import { isJobId } from '../job/ids.ts';
import { JOB_STATES } from '../job/states.ts';
import { writeAtomic } from './atomic-file.ts';
import { ensureFolder, namesIn } from './folders.ts';
import { ensureStore, type Store } from './open.ts';
import { removedPaths, runPaths } from './paths.ts';
import { readSmallFile } from './small-file.ts';
import { errorCode, storageError } from './storage-error.ts';

const tombstone = z.object({
  schema: z.literal(1),
  id: z.custom<JobId>((value) => typeof value === 'string' && isJobId(value)),
  title: z.string(),
  /** null when the record could not be read. */
  state: z.enum(JOB_STATES).nullable(),
  reason: z.string().nullable(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  /** The kept patch; null when there was none. */
  patchPath: z.string().nullable(),
  removedAt: z.iso.datetime(),
});
export type Tombstone = z.output<typeof tombstone>;

/**
 * Keeps what cleanup leaves of a job: its patch, if there is one, and a small tombstone that names it.
 * To do it twice does no harm. Throws UserError `storage`.
 */
export function bury(store: Store, grave: Omit<Tombstone, 'schema' | 'patchPath'>): Tombstone {
  ensureStore(store);
  ensureFolder(store.removed);
  const paths = removedPaths(store, grave.id);
  const kept = keepPatch(runPaths(store, grave.id).patch, paths.patch);
  const patchPath = kept ? paths.patch : (readTombstone(store, grave.id)?.patchPath ?? null);
  const stone: Tombstone = { schema: 1, ...grave, patchPath };
  writeAtomic(paths.tombstone, `${JSON.stringify(stone)}\n`, { durable: true });
  return stone;
}

/** null when the job was never cleaned up, or its tombstone cannot be read. */
export function readTombstone(store: Store, id: JobId): Tombstone | null {
  const file = readSmallFile(removedPaths(store, id).tombstone, 64 * 1024);
  if (file.kind !== 'ok') return null;
  try {
    const stone = tombstone.parse(JSON.parse(file.text));
    return stone.id === id ? stone : null;
  } catch {
    // Broken: then all that is left is the patch beside it.
    return null;
  }
}

/** A copy, since the original goes only afterwards. `false` when there is none. */
function keepPatch(from: string, to: string): boolean {
  try {
    copyFileSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw storageError('write', to, error);
  }
}

/** The ids of the jobs that were cleaned up. */
export function buriedIds(store: Store): JobId[] {
  return namesIn(store.removed)
    .map((name) => (name.endsWith('.json') ? name.slice(0, -5) : ''))
    .filter((name) => isJobId(name));
}
