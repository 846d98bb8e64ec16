import type { CostBasis, Prices, Spend, Usage } from './cost.ts';
import type { JobKind } from './transition.ts';

/** One model call that was billed, as it stands in `spend.ndjson`. Times are ISO 8601 UTC, money US dollars. */
export interface SpendRecord {
  readonly schema: 1;
  readonly at: string;
  readonly job: string;
  readonly kind: JobKind;
  /** The main working tree of the job's repository. */
  readonly repo: string;
  /** Who the call was made for: `worker`, `grader`, `compactor`, or a sub-agent's role. */
  readonly role: string;
  readonly provider: string;
  /** The model that was asked, and the one that answered. */
  readonly asked: string;
  readonly model: string;
  readonly usage: Usage;
  /** What the amount was worked out with; null where it was not: reported, or unknown. */
  readonly prices: Prices | null;
  /** null: nobody knows. Never 0 for that. */
  readonly usd: number | null;
  readonly basis: CostBasis;
  /** The tokens are counted from the text: the endpoint reported none. */
  readonly estimated: boolean;
  readonly profile: string | null;
}

/** The record's part that is added up. */
export function spendOfRecord({ usage, usd, basis }: SpendRecord): Spend {
  return { usage, usd, basis };
}

/** The day a time falls on where the user is, e.g. `2026-11-29`. */
export function localDay(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
