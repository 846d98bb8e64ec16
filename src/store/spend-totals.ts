import { addSpend, NO_SPEND, type Spend } from '../job/cost.ts';
import { localDay, spendOfRecord } from '../job/spend-record.ts';
import { offsetBefore, scanSpend } from './spend-file.ts';

/**
 * What all jobs have spent today, and for one repository ever, in US dollars; calls of unknown price are in neither.
 * Each look reads only what was appended since the last one. Its methods throw UserError `storage`.
 */
export class SpendTotals {
  readonly #userDir: string;
  readonly #repo: string;
  readonly #now: () => number;
  readonly #days = new Map<string, number>();
  #daysNext: number | null = null;
  #repository = 0;
  #repositoryNext = 0;

  /** `now` is milliseconds since 1970. */
  constructor(userDir: string, repo: string, now: () => number = Date.now) {
    this.#userDir = userDir;
    this.#repo = repo;
    this.#now = now;
  }

  /** Since midnight where the user is. */
  today(): number {
    const now = new Date(this.#now());
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
    this.#daysNext ??= offsetBefore(this.#userDir, midnight);
    const { next } = scanSpend(this.#userDir, this.#daysNext, ({ at, usd }) => {
      const day = localDay(new Date(at));
      this.#days.set(day, (this.#days.get(day) ?? 0) + (usd ?? 0));
    });
    this.#daysNext = next;
    return this.#days.get(localDay(now)) ?? 0;
  }

  /** Ever; the first look reads the whole file. */
  repository(): number {
    const { next } = scanSpend(this.#userDir, this.#repositoryNext, ({ repo, usd }) => {
      if (repo === this.#repo) this.#repository += usd ?? 0;
    });
    this.#repositoryNext = next;
    return this.#repository;
  }
}

/** What one job has spent by the record of calls, and how many calls that were. Throws UserError `storage`. */
export function spendOfJob(
  userDir: string,
  job: { readonly id: string; readonly createdAt: string },
): { readonly calls: number; readonly spend: Spend } {
  let calls = 0;
  let spend = NO_SPEND;
  scanSpend(userDir, offsetBefore(userDir, Date.parse(job.createdAt)), (record) => {
    if (record.job !== job.id) return;
    calls += 1;
    spend = addSpend(spend, spendOfRecord(record));
  });
  return { calls, spend };
}
