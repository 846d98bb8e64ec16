import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../job/user-error.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import { ensureFolder } from '../store/folders.ts';
import { readJsonFile } from '../store/json-file.ts';

/** Whose patience is asked for: an account at an endpoint. */
export interface Account {
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly login?: { readonly owner: string } | undefined;
  readonly cloud?: unknown;
}

/** Nobody is kept waiting by another job for longer. */
const LONGEST_MS = 10 * 60_000;
const MAX_BYTES = 1000;

/** Milliseconds since 1970. */
const schema = z.object({ until: z.number(), at: z.number() });

/**
 * For how many milliseconds the jobs of one account were told to leave it alone; 0: they were not. A file that is
 * broken, or says more than is ever written, says nothing.
 */
export function pauseLeft(userDir: string, account: Account, nowMs: number): number {
  const file = readJsonFile(pathOf(userDir, account), schema, MAX_BYTES);
  if (file.kind !== 'ok') return 0;
  const { until, at } = file.value;
  // Written in the future, or for too long: a clock was set, or somebody else wrote it.
  if (at > nowMs || until - at > LONGEST_MS) return 0;
  return Math.max(0, until - nowMs);
}

/**
 * Has the other jobs of this account wait as well, ten minutes at the most. A longer pause that is known already
 * stays. Returns null, or in words why it could not be written: then each job finds out by itself.
 */
export function askPause(userDir: string, account: Account, ms: number, nowMs: number): string | null {
  const pause = Math.min(Math.ceil(ms), LONGEST_MS);
  if (pause <= pauseLeft(userDir, account, nowMs)) return null;
  try {
    ensureFolder(backoffFolder(userDir));
    const text = JSON.stringify({ until: nowMs + pause, at: nowMs });
    writeAtomic(pathOf(userDir, account), `${text}\n`, { durable: false });
    return null;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message;
  }
}

export function backoffFolder(userDir: string): string {
  return join(userDir, 'backoff');
}

/** Two accounts at one provider do not share a pause; nothing of a key can be read from the name. */
function pathOf(userDir: string, account: Account): string {
  const { provider, baseUrl, apiKey, login, cloud } = account;
  const who = JSON.stringify([provider, hostOf(baseUrl), apiKey, login?.owner ?? null, cloud ?? null]);
  const digest = createHash('sha256').update(who).digest('hex').slice(0, 16);
  const name = provider
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .slice(0, 40);
  return join(backoffFolder(userDir), `${name}-${digest}.json`);
}

/** Two profiles may name one endpoint with different paths. */
function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}
