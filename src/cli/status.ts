import { isTerminal } from '../job/states.ts';
import { statusOf } from '../job/summary.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { listJobs } from '../store/read-job.ts';
import type { Output } from './command.ts';
import { findJob, noRepository } from './find-job.ts';
import { parseVerb, seconds } from './parse.ts';
import { type JobLine, jobTable, unreadableLine } from './render/job-table.ts';
import { storeAround } from './store-around.ts';
import { upToDate } from './up-to-date.ts';
import type { Verb, VerbContext } from './verb.ts';
import { waitForNews } from './wait-for-news.ts';

const SHOWN = 20;

export const verb: Verb = {
  help: `cc-delegate status [ID] [--brief] [--wait S]

One job's state, or a table of this repository's jobs: the active ones and the
newest others.

  --brief     for a prompt: short, and always exit 0
  --wait S    wait up to S seconds for the job to end or to ask`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, {
      brief: { type: 'boolean' },
      wait: { type: 'string' },
    });
    try {
      const [id] = positionals;
      return id === undefined ? await table(context) : await one(context, id, seconds('wait', values.wait));
    } catch (error) {
      // A prompt must get an answer whatever the state is; every other caller gets the error.
      if (values.brief !== true || !(error instanceof UserError)) throw error;
      return { json: { jobs: [], note: error.message }, text: error.message, exit: EXIT.done };
    }
  },
};

async function one(context: VerbContext, typed: string, wait: number | undefined): Promise<Output> {
  const found = await findJob(context, typed);
  const record = wait === undefined ? found.record : await waitForNews(context, found, wait);
  const table = jobTable([record], Date.now());
  const text = record.network === 'full' ? `${table}\nits commands have the network (--network full)` : table;
  return { json: statusOf(record, Date.now()), text, exit: EXIT.done };
}

async function table(context: VerbContext): Promise<Output> {
  const store = await storeAround(context);
  if (store === null) throw noRepository(context.cwd);
  const lines: JobLine[] = [];
  const broken: string[] = [];
  for (const job of listJobs(store, { limit: SHOWN })) {
    if (job.kind === 'ok') lines.push(await upToDate(context, store, job.record));
    else broken.push(unreadableLine(job));
  }
  const now = Date.now();
  const counts = {
    running: lines.filter(({ state }) => !isTerminal(state) && state !== 'needs_input').length,
    needsInput: lines.filter(({ state }) => state === 'needs_input').length,
    finished: lines.filter(({ state }) => isTerminal(state)).length,
  };
  const text =
    lines.length + broken.length === 0
      ? 'no jobs in this repository yet; cc-delegate start "…"'
      : [jobTable(lines, now), ...broken].join('\n');
  const json = { jobs: lines.map((record) => statusOf(record, now)), counts, unreadable: broken };
  return { json, text, exit: EXIT.done };
}
