import { isAbsolute } from 'node:path';
import { isJobId, type JobId } from '../job/ids.ts';
import { RECORD_SCHEMA, type RunnerIdentity } from '../job/record.ts';
import { JOB_STATES, type JobState } from '../job/states.ts';
import { revisionPath, type StorePaths, snapshotPath } from './paths.ts';
import { readSmallFile } from './small-file.ts';

/** As much of a record as a hook has use for. */
export interface Glance {
  readonly id: JobId;
  readonly rev: number;
  readonly state: JobState;
  readonly title: string;
  readonly repo: string;
  readonly sessionId: string | null;
  readonly runner: RunnerIdentity | null;
  readonly createdAt: string;
  readonly step: number;
  readonly costUsd: number | null;
}

export type GlanceRead =
  | { readonly kind: 'ok'; readonly glance: Glance }
  | { readonly kind: 'newer' | 'unreadable' | 'absent' };

/** The same bound as the full reader's. */
const READ_BYTES = 64 * 1024;

/**
 * Reads a job as `readJob` does, without the library that checks every field: what starts a hundred times an hour must
 * not load it. Where the full reader finds a record this one finds the same; a snapshot that cannot be read is not
 * made good here. Writes nothing, never throws.
 */
export function glanceAt(store: StorePaths, id: JobId): GlanceRead {
  let found = glanceFile(snapshotPath(store, id), id, null);
  while (found.kind === 'ok') {
    const next = glanceFile(revisionPath(store, id, found.glance.rev + 1), id, found.glance.rev + 1);
    if (next.kind === 'newer') return next;
    if (next.kind !== 'ok') break;
    found = next;
  }
  return found;
}

function glanceFile(path: string, id: JobId, rev: number | null): GlanceRead {
  const file = readSmallFile(path, READ_BYTES);
  if (file.kind !== 'ok') return { kind: file.kind };
  const read = glanceText(file.text, id);
  return read.kind === 'ok' && rev !== null && read.glance.rev !== rev ? UNREADABLE : read;
}

const UNREADABLE: GlanceRead = { kind: 'unreadable' };

/** Reads a glance from text that anybody may have written. Never throws. */
export function glanceText(text: string, id: JobId): GlanceRead {
  const value = parse(text);
  if (!isObject(value) || value.id !== id || !isJobId(id)) return UNREADABLE;
  const { schema, rev, state, title, repo, supervisor, runner, createdAt, progress, costUsd } = value;
  if (typeof schema === 'number' && Number.isSafeInteger(schema) && schema > RECORD_SCHEMA)
    return { kind: 'newer' };
  const known = JOB_STATES.find((one) => one === state);
  if (schema !== RECORD_SCHEMA || known === undefined || !isCounter(rev) || rev < 1) return UNREADABLE;
  if (typeof title !== 'string' || typeof createdAt !== 'string') return UNREADABLE;
  if (typeof repo !== 'string' || !isAbsolute(repo) || repo.includes('\0')) return UNREADABLE;
  const sessionId = isObject(supervisor) ? supervisor.sessionId : undefined;
  if (sessionId !== null && typeof sessionId !== 'string') return UNREADABLE;
  const identity = runner === null ? null : identityOf(runner);
  const step = isObject(progress) ? progress.step : undefined;
  if (identity === undefined || !isCounter(step)) return UNREADABLE;
  if (costUsd !== null && !(typeof costUsd === 'number' && costUsd >= 0 && Number.isFinite(costUsd)))
    return UNREADABLE;
  return {
    kind: 'ok',
    glance: { id, rev, state: known, title, repo, sessionId, runner: identity, createdAt, step, costUsd },
  };
}

function identityOf(value: unknown): RunnerIdentity | undefined {
  if (!isObject(value)) return undefined;
  const { pid, startTime, bootId, pidNamespace } = value;
  if (!isCounter(pid) || pid < 2) return undefined;
  if (typeof startTime !== 'string' || typeof bootId !== 'string' || typeof pidNamespace !== 'string')
    return undefined;
  return { pid, startTime, bootId, pidNamespace };
}

function isCounter(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // undefined is no JSON value.
    return undefined;
  }
}
