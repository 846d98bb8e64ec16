import type { EngineEvent } from '../engine/engine.ts';
import { marksPassed, type Standing } from '../job/budget.ts';
import { addSpend, NO_SPEND, type Spend } from '../job/cost.ts';
import { trimLine } from '../job/format.ts';
import type { JobRecord } from '../job/record.ts';
import { appendSpend } from '../store/spend-file.ts';
import { SpendTotals } from '../store/spend-totals.ts';
import type { JobLog } from './job-log.ts';

type SpendEvent = EngineEvent & { readonly t: 'spend' };

export interface AccountOptions {
  /** Where the record of calls is: the user's own folder. */
  readonly userDir: string;
  readonly record: () => Pick<JobRecord, 'id' | 'kind' | 'repo' | 'profile' | 'limits'>;
  readonly log: Pick<JobLog, 'event' | 'complain' | 'clean'>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const NAME_CHARACTERS = 200;

/** One job's money: everything its models were paid for, whoever asked them, and what other jobs have spent beside it. */
export class Account {
  readonly #options: AccountOptions;
  readonly #now: () => number;
  readonly #totals: SpendTotals;
  #spend: Spend = NO_SPEND;
  /** What this job has spent that could not be written down, in US dollars. */
  #unwritten = 0;
  #hasComplained = false;

  constructor(options: AccountOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#totals = new SpendTotals(options.userDir, options.record().repo, this.#now);
  }

  /** What this job has spent. */
  get spend(): Spend {
    return this.#spend;
  }

  /** One call was billed: it is written down at once. A record that cannot be written does not stop the job. */
  add(event: SpendEvent): void {
    const before = this.#spend;
    this.#spend = addSpend(before, event.spend);
    this.#write(event);
    const { budgetUsd } = this.#options.record().limits;
    for (const percent of marksPassed(before.usd, this.#spend.usd, budgetUsd)) {
      this.#options.log.event('budget', { percent, spentUsd: this.#spend.usd, budgetUsd });
    }
  }

  /** What counts against which cap now; the shared sums are read only for caps that are set. */
  standing(wanted: { readonly today: boolean; readonly repository: boolean }): Standing {
    return {
      job: this.#spend,
      today: wanted.today ? this.#read(() => this.#totals.today()) : 0,
      repository: wanted.repository ? this.#read(() => this.#totals.repository()) : 0,
    };
  }

  #read(total: () => number): number {
    try {
      return total() + this.#unwritten;
    } catch (error) {
      // What others have spent is not to be known; this job's own is.
      this.#complain(error);
      return this.#spend.usd ?? 0;
    }
  }

  #write(event: SpendEvent): void {
    const { id, kind, repo, profile } = this.#options.record();
    const { role, provider, model, answered, prices, estimated } = event;
    const { usage, usd, basis } = event.spend;
    try {
      appendSpend(this.#options.userDir, {
        schema: 1,
        at: new Date(this.#now()).toISOString(),
        job: id,
        kind,
        repo,
        role,
        provider,
        asked: this.#name(model),
        model: this.#name(answered),
        usage,
        prices,
        usd,
        basis,
        estimated,
        profile,
      });
    } catch (error) {
      // The job's own events have it, and its record the sum.
      this.#unwritten += usd ?? 0;
      this.#complain(error);
    }
  }

  /** An endpoint says what its model is called. */
  #name(text: string): string {
    return trimLine(this.#options.log.clean(text), NAME_CHARACTERS);
  }

  #complain(error: unknown): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.#options.log.complain(error);
  }
}
