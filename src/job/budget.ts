import { type Prices, priceUsage, type Spend, totalTokens } from './cost.ts';
import { exactMoney } from './format.ts';
import { type JobId, shortId } from './ids.ts';
import type { Limits, Stop } from './limits.ts';

/** The user's caps over all jobs, in US dollars; null: none. */
export interface Caps {
  /** From midnight to midnight where the user is. */
  readonly perDay: number | null;
  /** All that was ever spent for one repository. */
  readonly perRepository: number | null;
}

export const NO_CAPS: Caps = { perDay: null, perRepository: null };

/** What has been spent so far: by this job, by all jobs today, and for this repository by all jobs ever. */
export interface Standing {
  readonly job: Spend;
  /** US dollars; calls of unknown price are not in it. */
  readonly today: number;
  readonly repository: number;
}

/** What a call may cost: its tokens at the most, and at which price. */
export interface CallCost {
  readonly input: number;
  readonly maxOutput: number;
  /** null: nobody knows. */
  readonly prices: Prices | null;
  /** Nothing is billed for a call of a subscription. */
  readonly isSubscription: boolean;
}

/** A cap that forbids the next call. US dollars, but for `tokens`. */
export interface CapHit {
  readonly cap: 'job' | 'day' | 'repository' | 'tokens';
  readonly most: number;
  readonly spent: number;
  /** What the next call may cost; 0 where it was not asked. */
  readonly reserve: number;
}

/** All that a call is judged by. */
export interface Purse {
  readonly limits: Pick<Limits, 'budgetUsd' | 'maxTokens'>;
  readonly caps: Caps;
  /** The caps of day and repository do not hold before the job itself has spent so much: a person said so. */
  readonly passUpTo: number;
  readonly standing: Standing;
}

/**
 * Asked before every model call: which cap forbids it? A job's first call is allowed under any budget above 0, since
 * what it costs is known only afterwards; the caps of day and repository put the call's most by. Without a price the
 * job's tokens are capped, and a cap of day or repository that is used up holds as well.
 */
export function capReached(purse: Purse, call: CallCost): CapHit | null {
  return jobCapReached(purse) ?? sharedCapReached(purse, call);
}

function jobCapReached({ limits, standing: { job } }: Purse): CapHit | null {
  const { budgetUsd, maxTokens } = limits;
  if (job.usd !== null && job.usd >= budgetUsd) {
    return { cap: 'job', most: budgetUsd, spent: job.usd, reserve: 0 };
  }
  const tokens = totalTokens(job.usage);
  if (countsTokens(job) && tokens >= maxTokens)
    return { cap: 'tokens', most: maxTokens, spent: tokens, reserve: 0 };
  return null;
}

/** Do tokens bound this job, since money does not: some call has no price, or nothing was paid? */
export function countsTokens({ usd, basis }: Pick<Spend, 'usd' | 'basis'>): boolean {
  return usd === null || basis === 'partial' || usd === 0;
}

function sharedCapReached({ caps, passUpTo, standing }: Purse, call: CallCost): CapHit | null {
  const reserve = reserveOf(call);
  if (reserve === 0 || (standing.job.usd ?? 0) < passUpTo) return null;
  const shared = [
    ['day', caps.perDay, standing.today],
    ['repository', caps.perRepository, standing.repository],
  ] as const;
  for (const [cap, most, spent] of shared) {
    if (most === null) continue;
    const isReached = reserve === null ? spent >= most : spent + reserve > most;
    if (isReached) return { cap, most, spent, reserve: reserve ?? 0 };
  }
  return null;
}

/** The most a call can cost, in US dollars; null: nobody knows. */
function reserveOf({ input, maxOutput, prices, isSubscription }: CallCost): number | null {
  if (isSubscription) return 0;
  return prices && priceUsage({ input, output: maxOutput, cacheRead: 0, cacheWrite: 0 }, prices);
}

/** The cap in words. */
export function capWords({ cap, most, spent, reserve }: CapHit): string {
  switch (cap) {
    case 'job':
      return `${exactMoney(spent)} of ${exactMoney(most)} spent`;
    case 'tokens':
      return `${spent} of ${most} tokens used, price unknown`;
    case 'day':
    case 'repository': {
      const whose = cap === 'day' ? 'today' : 'for this repository';
      const next = reserve === 0 ? '' : `, and the next call may cost ${exactMoney(reserve)}`;
      return `${exactMoney(spent)} of ${exactMoney(most)} spent ${whose} by all jobs${next}`;
    }
  }
}

/** What ends a job at a cap; `more` says why nobody raised it. */
export function overBudget(hit: CapHit, more: string | null): Stop {
  const detail = more === null ? capWords(hit) : `${capWords(hit)}; ${more}`;
  return { kind: 'failed', reason: 'over_budget', detail };
}

/** The question a job asks at a cap: what is used up, and the two answers. */
export function budgetQuestion(id: JobId, hit: CapHit, job: Spend): string {
  const own = hit.cap === 'job' ? '' : ` (${exactMoney(job.usd, job.basis)} by this job)`;
  const answer = `answer ${shortId(id)}`;
  return `${capWords(hit)}${own}. May it spend more? cc-delegate ${answer} --raise-budget USD (in all); or, and its work is kept: ${answer} stop`;
}

/** What an answer to such a question says. */
export type BudgetAnswer =
  | { readonly kind: 'raise'; readonly usd: number }
  | { readonly kind: 'stop' }
  | { readonly kind: 'unclear' };

/** Reads `8`, `$8.50`, `raise to 8`, `stop`, `no`, `0`. */
export function parseBudgetAnswer(text: string): BudgetAnswer {
  const said = text.trim().toLowerCase();
  if (/^(?:stop|no|end)[.!]?$/.test(said)) return { kind: 'stop' };
  const amount = /^(?:raise(?: (?:it )?to)? )?\$? ?(\d+(?:\.\d+)?) ?(?:\$|usd)?$/.exec(said)?.[1];
  if (amount === undefined) return { kind: 'unclear' };
  const usd = Number(amount);
  return usd === 0 ? { kind: 'stop' } : { kind: 'raise', usd };
}

/** Shares of a budget that are told when they are reached, in per cent. */
export const BUDGET_MARKS = [50, 80] as const;
export type BudgetMark = (typeof BUDGET_MARKS)[number];

/** The highest mark that this much has reached; null: none, or nobody knows. */
export function markReached(usd: number | null, budgetUsd: number): BudgetMark | null {
  if (usd === null || budgetUsd <= 0) return null;
  return BUDGET_MARKS.findLast((mark) => usd * 100 >= budgetUsd * mark) ?? null;
}

/** The marks one call has brought. */
export function marksPassed(before: number | null, after: number | null, budgetUsd: number): BudgetMark[] {
  const [from, to] = [markReached(before, budgetUsd) ?? 0, markReached(after, budgetUsd) ?? 0];
  return BUDGET_MARKS.filter((mark) => mark > from && mark <= to);
}
