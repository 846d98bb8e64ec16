import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isJobId, type JobId } from '../../job/ids.ts';
import type { JobRecord } from '../../job/record.ts';
import { isActive } from '../../job/states.ts';
import { UserError } from '../../job/user-error.ts';
import { namesIn } from '../../store/folders.ts';
import { openStore, type Store } from '../../store/open.ts';
import { repositoryHash, stateDirectory, userDirectory } from '../../store/paths.ts';
import { listJobs } from '../../store/read-job.ts';
import { type KnownRepository, knownRepositories, missingRepositories } from '../../store/repositories.ts';
import { type JobRefs, listJobRefs } from '../../workspace/job-refs.ts';
import { findRepository, type Repository } from '../../workspace/repository.ts';
import { isUnused } from '../cleanup-refusal.ts';
import { storeAround } from '../store-around.ts';
import { upToDate } from '../up-to-date.ts';
import type { VerbContext } from '../verb.ts';

/** What the product has in and for one repository. */
export interface RepositoryState {
  readonly path: string;
  readonly stateDir: string;
  /** Is there a `.cc-delegate` folder, with records and patches? */
  readonly hasStore: boolean;
  /** null: no git can be used there any more, so its refs are gone as well. */
  readonly repository: Repository | null;
  /** Jobs with a folder in the state directory. */
  readonly workspaces: readonly JobId[];
  readonly refs: JobRefs;
  readonly active: readonly JobRecord[];
  /** Work that was neither applied nor discarded, in records or on branches that were moved since. */
  readonly unapplied: readonly { readonly id: JobId; readonly what: string }[];
}

export interface Survey {
  readonly repositories: readonly RepositoryState[];
  /** Known ones that cannot be looked at: path, and why. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/** Looks at every repository that is known, and at the one around. Changes nothing but what every reader may. */
export async function survey(context: VerbContext): Promise<Survey> {
  const userDir = userDirectory(context.env);
  const repositories: RepositoryState[] = [];
  const skipped = missingRepositories(userDir).map(({ path }) => ({ path, why: 'it is not there any more' }));
  for (const known of await knownHere(context, userDir)) {
    try {
      repositories.push(await look(context, known));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      skipped.push({ path: known.path, why: error.explanation.what });
    }
  }
  return { repositories, skipped };
}

async function knownHere(context: VerbContext, userDir: string): Promise<KnownRepository[]> {
  const known = knownRepositories(userDir);
  const here = await storeAround(context).catch((error: unknown) => {
    // A repository that cannot be used has no jobs either.
    if (error instanceof UserError) return null;
    throw error;
  });
  if (here === null || known.some(({ path }) => path === here.repo)) return known;
  return [...known, { path: here.repo, stateDir: stateDirectory(context.env) }];
}

async function look(context: VerbContext, known: KnownRepository): Promise<RepositoryState> {
  const store = openStore(known.path, { create: false });
  const records: JobRecord[] = [];
  for (const job of listJobs(store)) {
    if (job.kind === 'ok') records.push(await upToDate(context, store, job.record));
  }
  const repository = await repositoryOf(store, records);
  const refs = repository === null ? NO_REFS : await listJobRefs(repository);
  const folder = join(known.stateDir, repositoryHash(store.repo));
  return {
    path: store.repo,
    stateDir: known.stateDir,
    hasStore: existsSync(store.root),
    repository,
    workspaces: namesIn(folder).filter((name) => isJobId(name)),
    refs,
    active: records.filter(({ state }) => isActive(state)),
    unapplied: [...unappliedRecords(records), ...movedBranches(refs, records)],
  };
}

const NO_REFS: JobRefs = { branches: [], pinned: [] };

/** A bare repository's store is no working tree: then its jobs know where they came from. */
async function repositoryOf(store: Store, records: readonly JobRecord[]): Promise<Repository | null> {
  for (const place of [store.repo, ...new Set(records.map(({ checkout }) => checkout))]) {
    try {
      return await findRepository(place);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  }
  return null;
}

function unappliedRecords(records: readonly JobRecord[]): RepositoryState['unapplied'] {
  return records.filter(isUnused).map(({ id, title }) => ({ id, what: title }));
}

/** Somebody went on working there, or kept the branch when the job was cleaned up. */
function movedBranches({ branches }: JobRefs, records: readonly JobRecord[]): RepositoryState['unapplied'] {
  return branches.flatMap(({ branch, id, at }) => {
    const record = records.find((each) => each.id === id);
    const isOurs = record !== undefined && at === (record.result?.commit ?? record.base);
    return isOurs ? [] : [{ id, what: `the branch ${branch}, which is not as a job left it` }];
  });
}
