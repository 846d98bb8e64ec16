import type { PlannedCall } from '../engine/engine.ts';
import {
  budgetQuestion,
  type CapHit,
  type Caps,
  capReached,
  overBudget,
  parseBudgetAnswer,
} from '../job/budget.ts';
import { type Stop, stepsUsedUp } from '../job/limits.ts';
import type { Task } from '../job/task.ts';
import type { Account } from './account.ts';
import { faultEnd } from './fault.ts';
import type { Questions } from './questions.ts';
import type { RunningJob } from './running-job.ts';

export interface MoneyOptions {
  readonly job: Pick<RunningJob, 'writer' | 'stop' | 'log'> & { readonly task: Pick<Task, 'passCaps'> };
  readonly account: Account;
  readonly questions: Pick<Questions, 'put'>;
  readonly caps: () => Promise<Caps>;
  /** Model steps the job has made. */
  readonly steps: () => number;
}

/** Takes in what there is of the work, before a person is asked whether it is to go on. */
export type Keep = () => Promise<unknown>;

/**
 * Whether a model may be called. One for a job: at a cap whoever calls waits for the same answer, and an end is the same
 * end for all.
 */
export class Money {
  readonly #options: MoneyOptions;
  #passUpTo: number;
  #asking: Promise<Stop | null> | null = null;
  #end: Stop | null = null;

  constructor(options: MoneyOptions) {
    this.#options = options;
    const { limits } = options.job.writer.record;
    this.#passUpTo = options.job.task.passCaps ? limits.budgetUsd : 0;
  }

  /**
   * The answer to an engine's question before each request. `keep` takes the work in before anybody is asked. Never
   * rejects: where a question or a raise cannot be written down, the job ends by that.
   */
  async mayCall(call: PlannedCall, keep: Keep | null): Promise<Stop | null> {
    try {
      return await this.#judge(call, keep);
    } catch (error) {
      const { log, writer } = this.#options.job;
      log.complain(error);
      const { reason, detail } = faultEnd({ writer }, error);
      return { kind: 'failed', reason, detail };
    }
  }

  async #judge(call: PlannedCall, keep: Keep | null): Promise<Stop | null> {
    for (;;) {
      const { job, steps } = this.#options;
      const { limits } = job.writer.record;
      const stop = job.stop.reason ?? this.#end ?? this.#stepsUsedUp(call, steps());
      if (stop !== null) return stop;
      const hit = await this.#capReached(call);
      if (hit === null) return job.stop.reason;
      if (limits.askTimeout === 0 || !canBeRaised(hit)) return overBudget(hit, null);
      this.#asking ??= this.#ask(hit, keep).finally(() => {
        this.#asking = null;
      });
      const refused = await this.#asking;
      if (refused !== null) return refused;
    }
  }

  /** A request that is made again is no new step; a grader makes none, nor does who sums up a history. */
  #stepsUsedUp({ role, attempt }: PlannedCall, steps: number): Stop | null {
    if (attempt > 1 || role === 'grader' || role === 'compactor') return null;
    return stepsUsedUp(this.#options.job.writer.record.limits, steps);
  }

  async #capReached({ input, maxOutput, model }: PlannedCall): Promise<CapHit | null> {
    const caps = await this.#options.caps();
    const { perDay, perRepository } = caps;
    const standing = this.#options.account.standing({
      today: perDay !== null,
      repository: perRepository !== null,
    });
    const { limits } = this.#options.job.writer.record;
    const isSubscription = model.priceBasis === 'subscription';
    const call = { input, maxOutput, prices: model.prices, isSubscription };
    return capReached({ limits, caps, passUpTo: this.#passUpTo, standing }, call);
  }

  /** null: the person raised it. */
  async #ask(hit: CapHit, keep: Keep | null): Promise<Stop | null> {
    const { job, questions, account } = this.#options;
    const { log, stop, writer } = job;
    log.event('cap_reached', { ...hit });
    await keep?.().catch((error: unknown) => log.complain(`the work was not taken in: ${String(error)}`));
    const message = budgetQuestion(writer.record.id, hit, account.spend);
    const ask = { kind: 'budget', message, context: null, attempts: null } as const;
    let answer: string | null;
    try {
      answer = await questions.put(ask, stop.signal);
    } catch (error) {
      if (stop.reason !== null) return stop.reason;
      throw error;
    }
    if (answer === null) return this.#endWith(hit, 'nobody raised it in time');
    const said = parseBudgetAnswer(answer);
    if (said.kind !== 'raise') return this.#endWith(hit, 'it was not raised');
    this.#raise(said.usd);
    return null;
  }

  #endWith(hit: CapHit, why: string): Stop {
    this.#end = overBudget(hit, why);
    return this.#end;
  }

  /** Never lowers the budget; up to the sum the person named no other cap holds. */
  #raise(usd: number): void {
    const { writer, log } = this.#options.job;
    const { limits } = writer.record;
    this.#passUpTo = Math.max(this.#passUpTo, usd);
    const budgetUsd = Math.max(limits.budgetUsd, usd);
    writer.amend({ limits: { ...limits, budgetUsd } });
    log.event('budget_raised', { budgetUsd, byUser: usd });
  }
}

/** Tokens of a model without a price are no sum of money; and who gives a job nothing has said what they want. */
function canBeRaised({ cap, most }: CapHit): boolean {
  return cap !== 'tokens' && !(cap === 'job' && most === 0);
}
