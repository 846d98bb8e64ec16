import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../job/user-error.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import { ensureFolder } from '../store/folders.ts';
import { readJsonFile } from '../store/json-file.ts';
import { type PathEnvironment, userDirectory } from '../store/paths.ts';
import {
  type CatalogueModel,
  fromWire,
  type StoredCatalogue,
  shippedCatalogue,
  storedCatalogueSchema,
} from './catalogue.ts';
import { getJson } from './get-json.ts';
import { findProvider } from './providers.ts';

const FRESH_MS = 24 * 3600 * 1000;
const CACHE_MAX_BYTES = 16 * 1024 * 1024;

export interface CatalogueQuestion {
  readonly provider: string;
  /** Asked below here: `<base>/models`. */
  readonly baseUrl: string;
  readonly env: PathEnvironment;
  /** Ask even if what was heard last is fresh. */
  readonly refresh: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The models of a provider, and where they come from. */
export interface HeardCatalogue {
  readonly provider: string;
  readonly models: readonly CatalogueModel[];
  readonly source: 'live' | 'cache' | 'shipped';
  /** When the list was taken, ISO 8601 UTC. */
  readonly at: string;
  /** Why it is not newer, for the user; null: it is as new as can be. */
  readonly note: string | null;
}

const cacheSchema = storedCatalogueSchema.extend({ baseUrl: z.string() });

/**
 * What was heard in the last 24 hours; else what the provider says now; else what was heard before, however old; else
 * what is shipped. No key is sent: the list is public.
 */
export async function liveCatalogue(question: CatalogueQuestion): Promise<HeardCatalogue> {
  const { provider, baseUrl, now } = question;
  const cached = readCache(question);
  if (cached !== null && !question.refresh && isFresh(cached.at, now)) {
    return { provider, models: cached.models, source: 'cache', at: cached.at, note: null };
  }
  const answer = await getJson(`${baseUrl}/models`, {}, question.env);
  const models = answer.kind === 'ok' ? fromWire(provider, answer.value) : null;
  if (models !== null && models.length > 0) {
    const at = new Date(now).toISOString();
    const note = writeCache(question, { schema: 1, at, models });
    return { provider, models, source: 'live', at, note };
  }
  const why = answer.kind === 'ok' ? 'its answer is no list of models' : answer.why;
  const note = `${provider} could not be asked: ${why}`;
  if (cached !== null) return { provider, models: cached.models, source: 'cache', at: cached.at, note };
  return { ...(await shippedFor(provider)), note };
}

/** The shipped models of one provider. */
export async function shippedFor(provider: string): Promise<HeardCatalogue> {
  const { models, at } = await shippedCatalogue();
  const own = models.filter((model) => model.provider === provider);
  return { provider, models: own, source: 'shipped', at, note: null };
}

/** Whose list is public, prices among it, and may be asked for without a key. */
export const LISTED_PROVIDER = 'openrouter';

/**
 * What was last heard of a provider, however old; null: nothing, or from another endpoint than `baseUrl`. Reads a file,
 * asks nobody.
 */
export function heardPrices(
  provider: string,
  env: PathEnvironment,
  baseUrl: string | undefined,
): StoredCatalogue | null {
  const own = findProvider(provider)?.endpoints[0]?.baseUrl;
  const place = baseUrl ?? own;
  return typeof place === 'string' ? readCache({ provider, env, baseUrl: place }) : null;
}

/**
 * Asks a provider for its list when nothing of use was heard before: never, or before this
 * program's own list was made. Only at the provider's own endpoint; what cannot be had is no failure.
 */
export async function hearOnce(of: Place, now: number): Promise<void> {
  const isOwn = findProvider(of.provider)?.endpoints.some(({ baseUrl }) => baseUrl === of.baseUrl) ?? false;
  if (of.provider !== LISTED_PROVIDER || !isOwn) return;
  const heard = readCache(of);
  if (heard !== null && heard.at >= (await shippedCatalogue()).at) return;
  await liveCatalogue({ ...of, now, refresh: true });
}

type Place = Pick<CatalogueQuestion, 'provider' | 'baseUrl' | 'env'>;

function cachePath({ env, provider }: Place): string {
  return join(userDirectory(env), 'catalogue', `${provider}.json`);
}

/** null: nothing was heard, or from another place. */
function readCache(question: Place): StoredCatalogue | null {
  const read = readJsonFile(cachePath(question), cacheSchema, CACHE_MAX_BYTES);
  return read.kind === 'ok' && read.value.baseUrl === question.baseUrl ? read.value : null;
}

/** Returns what went wrong; a list that cannot be kept can still be shown. */
function writeCache(question: CatalogueQuestion, catalogue: StoredCatalogue): string | null {
  try {
    ensureFolder(join(userDirectory(question.env), 'catalogue'));
    const text = JSON.stringify({ ...catalogue, baseUrl: question.baseUrl });
    writeAtomic(cachePath(question), `${text}\n`, { durable: false });
    return null;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return 'the list could not be kept for later';
  }
}

/** A time in the future is a clock that was set back: then nobody knows. */
function isFresh(at: string, now: number): boolean {
  const age = now - Date.parse(at);
  return age >= 0 && age < FRESH_MS;
}
