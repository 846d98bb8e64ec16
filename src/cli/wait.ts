import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { statusOf } from '../job/summary.ts';
import { EXIT, type ExitCode } from '../job/user-error.ts';
import { activeJobs } from '../store/read-job.ts';
import { type FoundRecord, heard, locateJob, noRepository, ofThisSession } from './find-job.ts';
import { parseVerb, seconds } from './parse.ts';
import { jobTable } from './render/job-table.ts';
import { storeAround } from './store-around.ts';
import type { Verb, VerbContext } from './verb.ts';
import { isNews, waitQuietly } from './wait-for-news.ts';

export const verb: Verb = {
  help: `cc-delegate wait [ID…] [--any] [--timeout S]

Waits until the jobs are done or one asks; without an id, for the active jobs of
this session, else of this repository. Costs nothing while it waits.

  --any         until the first of them
  --timeout S   seconds, or 30m; exit 124 when it is over

Exit: 0 succeeded, 1 not, 10 a question, 124 waited in vain.`,

  async run(context) {
    const options = { any: { type: 'boolean' }, timeout: { type: 'string' } } as const;
    const { values, positionals } = parseVerb(context.args, options);
    const limit = seconds('timeout', values.timeout) ?? Number.POSITIVE_INFINITY;
    const jobs =
      positionals.length > 0
        ? await Promise.all(positionals.map((id) => locateJob(context, id)))
        : await activeHere(context);
    const enough = new AbortController();
    const waits = jobs.map(async (found) => ({
      ...found,
      record: await waitQuietly(context, found, limit, isNews, enough.signal),
    }));
    const found =
      values.any === true && waits.length > 0 ? [await Promise.race(waits)] : await Promise.all(waits);
    // With --any: who still waits would keep the process from its end.
    enough.abort();
    // Only now: what one of them brought is not shown before all have.
    const records = found.map((one) => (isNews(one.record) ? heard(context, one) : one).record);
    const now = Date.now();
    const json =
      positionals.length === 1 && records[0]
        ? statusOf(records[0], now)
        : { jobs: records.map((record) => statusOf(record, now)) };
    return {
      json,
      text: records.length === 0 ? 'nothing to wait for' : jobTable(records, now),
      exit: worst(records),
    };
  },
};

async function activeHere(context: VerbContext): Promise<FoundRecord[]> {
  const store = await storeAround(context);
  if (store === null) throw noRepository(context.cwd);
  const active = activeJobs(store).flatMap((job) => (job.kind === 'ok' ? [job.record] : []));
  const own = ofThisSession(context, active);
  return (own.length > 0 ? own : active).map((record) => ({ store, record }));
}

/** A question comes before bad news: it can still be answered. */
export function worst(records: readonly JobRecord[]): ExitCode {
  if (records.some((record) => record.state === 'needs_input')) return EXIT.question;
  if (records.some((record) => isTerminal(record.state) && record.state !== 'succeeded')) return EXIT.badNews;
  return records.every(isNews) ? EXIT.done : EXIT.timedOut;
}
