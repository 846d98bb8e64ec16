import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../../store/atomic-file.ts';
import { ensureFolder } from '../../store/folders.ts';
import { repositoryHash } from '../../store/paths.ts';
import type { Bounds } from './bounds.ts';
import { callWords } from './call-words.ts';

/** Who gets what the worker reads: a provider, and the host its requests go to. */
export interface Destination {
  readonly provider: string;
  readonly host: string;
}

/** What a person has been told of a destination. `asked` false: nobody has said yes to it yet. */
export interface Sent extends Destination {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly asked: boolean;
}

/**
 * Where the work in a repository has gone so far. `repo` is the folder whose store its jobs are in. Nothing, where nothing
 * of ours can be read there: then it is asked once more.
 */
export function sentFrom(userDir: string, repo: string): readonly Sent[] {
  try {
    const { providers } = JSON.parse(readFileSync(sentFile(userDir, repo), 'utf8'));
    return Array.isArray(providers) ? providers.filter(isSent) : [];
  } catch {
    // Never written, or cut short: nothing is known.
    return [];
  }
}

/** Those of these destinations that nobody has said yes to. */
export function unagreed(sent: readonly Sent[], wanted: readonly Destination[]): readonly Destination[] {
  return wanted.filter((one) => !sent.some((each) => each.asked && isSame(each, one)));
}

/** Remembers these destinations beside the others. `now` is milliseconds since 1970. Throws UserError `storage`. */
export function rememberSent(
  userDir: string,
  repo: string,
  news: { readonly destinations: readonly Destination[]; readonly asked: boolean; readonly now: number },
): void {
  const at = new Date(news.now).toISOString();
  const others = sentFrom(userDir, repo).filter(
    (each) => !news.destinations.some((one) => isSame(each, one)),
  );
  const added = news.destinations.map(({ provider, host }) => ({ provider, host, at, asked: news.asked }));
  ensureFolder(sentFolder(userDir));
  const text = `${JSON.stringify({ repo, providers: [...others, ...added] })}\n`;
  writeAtomic(sentFile(userDir, repo), text, { durable: false });
}

/**
 * Where a call would send to, by its words and what the program knew of the settings: the default's, or those of what it
 * names. Nothing, where that cannot be told. Pure.
 */
export function destinationsIn(
  argv: readonly string[],
  { sendsTo, named }: Pick<Bounds, 'sendsTo' | 'named'>,
): readonly Destination[] {
  const { values } = callWords(argv);
  const of = (known: Readonly<Record<string, readonly Destination[]>> | undefined, name: string) =>
    known !== undefined && Object.hasOwn(known, name) ? known[name] : undefined;
  const [profile] = values('--profile');
  if (profile !== undefined) return of(named?.profiles, profile) ?? [];
  const [model] = values('--model');
  if (model === undefined) return sendsTo;
  const prefix = /^([^:/]+):/.exec(model)?.[1] ?? model;
  return of(named?.providers, prefix) ?? of(named?.profiles, prefix) ?? [];
}

/** `openrouter (openrouter.ai) and deepseek (api.deepseek.com)`. */
export function destinationsText(destinations: readonly Destination[]): string {
  const names = destinations.map(({ provider, host }) => `${provider} (${host})`);
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

function sentFolder(userDir: string): string {
  return join(userDir, 'sent');
}

function sentFile(userDir: string, repo: string): string {
  return join(sentFolder(userDir), `${repositoryHash(repo)}.json`);
}

function isSame(one: Destination, other: Destination): boolean {
  return one.provider === other.provider && one.host === other.host;
}

function isSent(value: unknown): value is Sent {
  if (!isDestination(value)) return false;
  const { at, asked } = value as Partial<Record<string, unknown>> & Destination;
  return typeof at === 'string' && typeof asked === 'boolean';
}

/** What a file of ours holds, as a destination. */
export function isDestination(value: unknown): value is Destination {
  if (typeof value !== 'object' || value === null) return false;
  const { provider, host } = value as Record<string, unknown>;
  return typeof provider === 'string' && typeof host === 'string';
}
