import type { Stop } from '../../job/limits.ts';
import type { EngineEvent, ErrorKind, ModelRef } from '../engine.ts';
import { Attempts, type AttemptsOptions, type DistributiveOmit } from '../http/attempts.ts';
import type { RequestError } from '../http/errors.ts';
import { spendOf } from '../http/spend.ts';
import { type Billing, estimateTokens } from '../http/usage.ts';
import { estimateHistory, withoutSignedThoughts } from './messages.ts';
import { type OpenedModel, openModel } from './models.ts';
import { type Answer, type Question, runStep } from './step.ts';

/** What became of a question, after all retries and fallbacks. `tokens` is what the request was charged with. */
export type Reply =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly billing: Billing }
  | { readonly kind: 'stop'; readonly stop: Stop }
  | { readonly kind: 'aborted' }
  /** The context is too long for this model; the caller may shorten it and ask again. */
  | { readonly kind: 'overflow'; readonly error: RequestError }
  | { readonly kind: 'failed'; readonly error: ErrorKind; readonly message: string };

export interface RequesterOptions extends AttemptsOptions {
  readonly idleMs: number;
}

/** Asks models: repeats what may work later, moves on to the next model when one fails, and stays there. */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #attempts: Attempts;
  readonly #opened = new Map<ModelRef, OpenedModel>();

  constructor(options: RequesterOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options);
  }

  /** The model that is asked next. */
  get model(): ModelRef {
    return this.#attempts.model;
  }

  /** How many models have been given up; a history from before another value is not all theirs. */
  get fallbacks(): number {
    return this.#attempts.fallbacks;
  }

  /**
   * Asks, and asks again. `silent`: the answer's text is nobody's message, such as a summary. `allowed`: the host
   * was asked already about the first request. Never throws for what an endpoint does.
   */
  async ask(question: Question, how: { silent?: boolean; allowed?: boolean } = {}): Promise<Reply> {
    const { signal } = this.#options;
    const first = this.fallbacks;
    for (let attempt = 1, asked = 1; ; attempt += 1, asked += 1) {
      if (signal.aborted) return { kind: 'aborted' };
      const isAllowed = asked === 1 && how.allowed === true;
      const stop = isAllowed ? null : await this.mayCall(question, asked);
      if (stop) return { kind: 'stop', stop };
      if (signal.aborted) return { kind: 'aborted' };
      const messages =
        this.fallbacks === first ? question.messages : withoutSignedThoughts(question.messages);
      const result = await this.#request({ ...question, messages }, how.silent ?? false);
      if (result.kind === 'answer' || result.kind === 'aborted') return result;
      const next = await this.#attempts.afterFailure(result.error, attempt);
      if (next.kind === 'next model') attempt = 0;
      else if (next.kind !== 'again') return next;
    }
  }

  /** The host's word on this question's next request, after the pause that other jobs were asked for. */
  mayCall({ role, system, messages, maxOutput }: Question, attempt: number): Promise<Stop | null> {
    const input = estimateTokens(system) + estimateHistory(messages);
    return this.#attempts.mayCall(
      (model) => ({ role, input, maxOutput: maxOutput ?? model.maxOutput ?? ASSUMED_MAX_OUTPUT }),
      attempt,
    );
  }

  /** Goes on to the next model; false when there is none. */
  fallBack(kind: ErrorKind): boolean {
    return this.#attempts.fallBack(kind);
  }

  /** The failure in words, with the model's name and without its key. */
  failed(error: ErrorKind, message: string): Reply & { kind: 'failed' } {
    return this.#attempts.failed(error, message);
  }

  async #request(question: Question, silent: boolean) {
    const { signal, idleMs, clock } = this.#options;
    const { model } = this;
    const opened = this.#opened.get(model) ?? (await openModel(model));
    this.#opened.set(model, opened);
    const result = await runStep(opened, question, {
      signal,
      idleMs,
      nowMs: clock.now(),
      onDelta: (t, delta) => {
        if (!silent) this.#emit({ t, delta });
      },
    });
    if (result.billing !== null) {
      const { role } = question;
      const { estimated } = result.billing;
      const answered = result.answered ?? model.model;
      this.#emit({
        t: 'spend',
        role,
        provider: model.provider,
        model: model.model,
        answered,
        ...(await spendOf(result.billing, model, answered)),
        estimated,
      });
    }
    return result;
  }

  #emit(event: DistributiveOmit<EngineEvent, 'agent'>): void {
    this.#options.host.emit({ agent: this.#options.agent, ...event });
  }
}

/** Where nobody says how long an answer may get. */
const ASSUMED_MAX_OUTPUT = 16_384;
