import { couldBeJobId, type JobId, matchIds } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { heardOf, lookedAt } from '../notify/deliver.ts';
import { hasJobsOf } from '../notify/heirs.ts';
import { openStore, type Store } from '../store/open.ts';
import { userDirectory } from '../store/paths.ts';
import { activeJobs, jobIds, listJobs, readJob } from '../store/read-job.ts';
import { knownRepositories } from '../store/repositories.ts';
import { usage } from './parse.ts';
import { storeAround } from './store-around.ts';
import { upToDate } from './up-to-date.ts';
import type { VerbContext } from './verb.ts';

/** A job the user named, with its true state: a dead runner has been noticed. */
export interface FoundRecord {
  readonly store: Store;
  readonly record: JobRecord;
}

/** The job with this id, or ending with these characters: here first, then in every known repository. */
export async function findJob(context: VerbContext, typed: string): Promise<FoundRecord> {
  return looked(context, await locateJob(context, typed));
}

/** The same for a verb that shows nothing of what the job came to: whoever calls it has not looked at the job. */
export async function locateJob(context: VerbContext, typed: string): Promise<FoundRecord> {
  const { store, id } = await findId(context, typed);
  const read = readJob(store, id);
  if (read.kind === 'absent') throw noSuchJob(typed);
  if (read.kind !== 'ok')
    throw unreadable(read.path, read.kind === 'newer' ? `schema ${read.schema}` : read.why);
  return { store, record: await upToDate(context, store, read.record) };
}

/** Whoever asks for a job by its name is shown it: nobody has to tell them of it any more. */
export function looked(context: VerbContext, found: FoundRecord): FoundRecord {
  lookedAt(userDirectory(context.env), found.record, context.env.CLAUDE_CODE_SESSION_ID ?? null);
  return found;
}

/** Who hears of an end or a question here is not told of it a second time; the job has still to be looked at. */
export function heard(context: VerbContext, found: FoundRecord): FoundRecord {
  heardOf(userDirectory(context.env), found.record, context.env.CLAUDE_CODE_SESSION_ID ?? null);
  return found;
}

/** Those of these jobs that are this session's: it started them, or took over the session that did. */
export function ofThisSession(context: VerbContext, records: readonly JobRecord[]): JobRecord[] {
  const userDir = userDirectory(context.env);
  const session = context.env.CLAUDE_CODE_SESSION_ID ?? null;
  return records.filter(({ supervisor }) => hasJobsOf(userDir, session, supervisor.sessionId));
}

/** Where the job with this id is, without reading its record. */
export async function findId(context: VerbContext, typed: string): Promise<{ store: Store; id: JobId }> {
  if (!couldBeJobId(typed)) {
    throw usage(
      'that is not a job id',
      typed,
      'use the id that start printed, or its last six characters or more',
    );
  }
  const here = await storeAround(context);
  const stores = here === null ? elsewhere(context) : [here, ...elsewhere(context, here)];
  const matches: { store: Store; id: JobId }[] = [];
  for (const store of stores) {
    matches.push(...matchIds(jobIds(store), typed).map((id) => ({ store, id })));
    if (store === here && matches.length > 0) break;
  }
  const [only, ...others] = matches;
  if (!only) throw noSuchJob(typed);
  if (others.length > 0)
    throw ambiguous(
      typed,
      matches.map(({ id }) => id),
    );
  return only;
}

/**
 * The job meant by a verb without an id: the only active one of this session, else of this repository;
 * with none active, and only for verbs that read, the newest. Two of them are never guessed between.
 */
export async function findOnlyJob(context: VerbContext, wanted: 'active' | 'any'): Promise<FoundRecord> {
  const store = await storeAround(context);
  if (store === null) throw noRepository(context.cwd);
  const isSession = context.env.CLAUDE_CODE_SESSION_ID !== undefined;
  const mine = (records: JobRecord[]): JobRecord[] => (isSession ? ofThisSession(context, records) : records);
  const active = mine(await records(context, store, activeJobs(store)));
  const candidates =
    active.length > 0 || wanted === 'active'
      ? active
      : mine(await records(context, store, listJobs(store, { limit: 50 }))).slice(0, 1);
  const [only, ...others] = candidates;
  if (!only) {
    throw new UserError({
      code: 'no_such_job',
      what: wanted === 'active' ? 'no job is active here' : 'no job was started here',
      value: store.repo,
      remedy: 'name a job, or see: cc-delegate list',
      exit: EXIT.noSuchJob,
    });
  }
  if (others.length > 0)
    throw ambiguous(
      '',
      candidates.map(({ id }) => id),
    );
  return looked(context, { store, record: only });
}

async function records(
  context: VerbContext,
  store: Store,
  found: ReturnType<typeof listJobs>,
): Promise<JobRecord[]> {
  const readable = found.flatMap((job) => (job.kind === 'ok' ? [job.record] : []));
  return Promise.all(readable.map((record) => upToDate(context, store, record)));
}

/** The job the verb is about: the one that was typed, or the only one it can mean. */
export function findNamedJob(
  context: VerbContext,
  typed: string | undefined,
  wanted: 'active' | 'any',
): Promise<FoundRecord> {
  return typed === undefined ? findOnlyJob(context, wanted) : findJob(context, typed);
}

function elsewhere(context: VerbContext, here?: Store): Store[] {
  const known = knownRepositories(userDirectory(context.env)).filter(({ path }) => path !== here?.repo);
  return known.map(({ path }) => openStore(path, { create: false }));
}

function noSuchJob(typed: string): UserError {
  return new UserError({
    code: 'no_such_job',
    what: 'no such job',
    value: typed,
    remedy: 'see: cc-delegate list --all',
    exit: EXIT.noSuchJob,
  });
}

function ambiguous(typed: string, ids: readonly string[]): UserError {
  return new UserError({
    code: 'ambiguous',
    what: typed === '' ? 'more than one job could be meant' : 'more than one job ends with that',
    value: typed === '' ? ids.join(', ') : `${typed} (${ids.join(', ')})`,
    remedy: 'name one of them',
    exit: EXIT.usage,
  });
}

function unreadable(path: string, why: string): UserError {
  return new UserError({
    code: 'unreadable',
    what: `the record of this job cannot be read: ${why}`,
    value: path,
    remedy: 'its other files are untouched beside it; cc-delegate list shows the rest',
    exit: EXIT.environment,
  });
}

export function noRepository(cwd: string): UserError {
  return new UserError({
    code: 'no_repository',
    what: 'this is not a git repository with jobs',
    value: cwd,
    remedy: 'go into one, or name it with --repo DIR',
    exit: EXIT.environment,
  });
}
