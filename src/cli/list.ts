import { totalTokens } from '../job/cost.ts';
import { count, formatMoney, trimLine } from '../job/format.ts';
import type { JobRecord } from '../job/record.ts';
import { JOB_STATES, type JobState } from '../job/states.ts';
import { statusOf } from '../job/summary.ts';
import { EXIT } from '../job/user-error.ts';
import { openStore, type Store } from '../store/open.ts';
import { userDirectory } from '../store/paths.ts';
import { listJobs } from '../store/read-job.ts';
import { knownRepositories } from '../store/repositories.ts';
import { noRepository } from './find-job.ts';
import { number, parseVerb, usage } from './parse.ts';
import { jobTable, unreadableLine } from './render/job-table.ts';
import { storeAround } from './store-around.ts';
import { upToDate } from './up-to-date.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate list [--all] [--state STATE] [--limit 20]

Jobs, newest first, grouped by conversation, with what they cost in all.

  --all           every repository that has jobs
  --state STATE   ${JOB_STATES.slice(0, 6).join(' ')}
                  ${JOB_STATES.slice(6).join(' ')}
  --limit N       how many jobs at the most (20)`,

  async run(context) {
    const options = {
      all: { type: 'boolean' },
      state: { type: 'string' },
      limit: { type: 'string' },
    } as const;
    const { values } = parseVerb(context.args, options);
    const limit = number('limit', values.limit, { least: 1, whole: true }) ?? 20;
    const state = stateOf(values.state);
    const jobs: JobRecord[] = [];
    const broken: string[] = [];
    for (const store of await stores(context, values.all === true)) {
      for (const job of listJobs(store, state === undefined ? { limit } : {})) {
        if (job.kind === 'ok') jobs.push(await upToDate(context, store, job.record));
        else broken.push(unreadableLine(job));
      }
    }
    const shown = jobs
      .filter((record) => state === undefined || record.state === state)
      .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      .slice(0, limit);
    return { json: { ...summary(shown), unreadable: broken }, text: text(shown, broken), exit: EXIT.done };
  },
};

function stateOf(text: string | undefined): JobState | undefined {
  if (text === undefined) return undefined;
  const state = JOB_STATES.find((known) => known === text);
  if (state === undefined) throw usage('no such state', text, `one of: ${JOB_STATES.join(' ')}`);
  return state;
}

async function stores(context: VerbContext, all: boolean): Promise<Store[]> {
  if (all) {
    return knownRepositories(userDirectory(context.env)).map(({ path }) =>
      openStore(path, { create: false }),
    );
  }
  const here = await storeAround(context);
  if (here === null) throw noRepository(context.cwd);
  return [here];
}

function summary(records: readonly JobRecord[]) {
  const conversations = new Map<string, JobRecord[]>();
  for (const record of records) {
    conversations.set(record.conversationId, [...(conversations.get(record.conversationId) ?? []), record]);
  }
  const now = Date.now();
  return {
    conversations: [...conversations].map(([conversationId, jobs]) => ({
      conversationId,
      title: jobs.at(-1)?.title ?? '',
      jobs: jobs.map((record) => ({ ...statusOf(record, now), title: record.title, repo: record.repo })),
    })),
    totalUsd: records.reduce((sum, record) => sum + (record.costUsd ?? 0), 0),
    // Before its first call a job has spent nothing, whatever its model costs.
    unpricedJobs: records.filter(({ costUsd, usage }) => costUsd === null && totalTokens(usage) > 0).length,
    partialJobs: records.filter(({ costBasis }) => costBasis === 'partial').length,
  };
}

function text(records: readonly JobRecord[], broken: readonly string[]): string {
  if (records.length === 0) return ['no jobs', ...broken].join('\n');
  const { totalUsd, unpricedJobs, partialJobs } = summary(records);
  const basis = unpricedJobs + partialJobs > 0 ? 'partial' : undefined;
  const unpriced = unpricedJobs === 0 ? '' : `, ${unpricedJobs} of unknown price`;
  const total = trimLine(`${count(records.length, 'job')}, ${formatMoney(totalUsd, basis)}${unpriced}`, 80);
  return [jobTable(records, Date.now()), ...broken, total].join('\n');
}
