import type { Stop } from '../../job/limits.ts';
import type { EngineEvent, EngineHost, ErrorKind, ModelRef } from '../engine.ts';
import type { RequestError } from '../http/errors.ts';
import { type Clock, giveUpMessage, retryWait } from '../http/retry.ts';
import { spendOf } from '../http/spend.ts';
import type { Billing } from '../http/usage.ts';
import { estimateHistory, estimateTokens, withoutSignedThoughts } from './messages.ts';
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

export interface RequesterOptions {
  readonly models: readonly [ModelRef, ...ModelRef[]];
  readonly retry: { readonly attempts: number; readonly capMs: number };
  readonly idleMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly agent: string;
  /** Asked before every request, repeated ones too. */
  readonly host: Omit<EngineHost, 'tools'>;
}

/** Asks models: repeats what may work later, moves on to the next model when one fails, and stays there. */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #opened = new Map<ModelRef, OpenedModel>();
  #position = 0;

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  /** The model that is asked next. */
  get model(): ModelRef {
    return this.#options.models[this.#position] ?? this.#options.models[0];
  }

  /** How many models have been given up; a history from before another value is not all theirs. */
  get fallbacks(): number {
    return this.#position;
  }

  /**
   * Asks, and asks again. `silent`: the answer's text is nobody's message, such as a summary. `allowed`: the host
   * was asked already about the first request. Never throws for what an endpoint does.
   */
  async ask(question: Question, how: { silent?: boolean; allowed?: boolean } = {}): Promise<Reply> {
    const { signal } = this.#options;
    const first = this.#position;
    for (let attempt = 1, asked = 1; ; attempt += 1, asked += 1) {
      if (signal.aborted) return { kind: 'aborted' };
      const isAllowed = asked === 1 && how.allowed === true;
      const stop = isAllowed ? null : await this.mayCall(question, asked);
      if (stop) return { kind: 'stop', stop };
      if (signal.aborted) return { kind: 'aborted' };
      const messages =
        this.#position === first ? question.messages : withoutSignedThoughts(question.messages);
      const result = await this.#request({ ...question, messages }, how.silent ?? false);
      if (result.kind === 'answer' || result.kind === 'aborted') return result;
      const next = await this.#afterFailure(result.error, attempt);
      if (next === 'next model') attempt = 0;
      else if (next !== 'again') return next;
    }
  }

  /** The host's word on this question's next request, after the pause that other jobs were asked for. */
  async mayCall({ role, system, messages, maxOutput }: Question, attempt: number): Promise<Stop | null> {
    if (!(await this.#keepPause(attempt))) return null;
    const { model } = this;
    const input = estimateTokens(system) + estimateHistory(messages);
    const planned = { role, model, input, maxOutput: maxOutput ?? model.maxOutput ?? ASSUMED_MAX_OUTPUT };
    return this.#options.host.mayCall({ ...planned, attempt });
  }

  /** False: aborted meanwhile. Nobody waits longer than the cap: another model is taken, or the endpoint is asked. */
  async #keepPause(attempt: number): Promise<boolean> {
    const { host, signal, clock, retry } = this.#options;
    for (;;) {
      const pause = host.pauseBefore?.(this.model) ?? 0;
      if (pause <= 0) return true;
      if (pause > retry.capMs && this.fallBack('rate_limit')) continue;
      const waitMs = Math.min(pause, retry.capMs);
      this.#emit({ t: 'retry', kind: 'rate_limit', waitMs, attempt });
      return clock.sleep(waitMs, signal);
    }
  }

  /** Waits and has the request repeated, moves on to the next model, or gives up. */
  async #afterFailure(error: RequestError, attempt: number): Promise<Reply | 'again' | 'next model'> {
    const { signal, clock, retry } = this.#options;
    if (error.kind === 'overflow') return { kind: 'overflow', error };
    const waitMs = retryWait(error, attempt, retry, clock.random());
    const pause = error.retryAfterMs ?? waitMs;
    if (error.busy === true && pause !== null) this.#options.host.pauseAsked?.(this.model, pause);
    if (waitMs !== null) {
      this.#emit({ t: 'retry', kind: error.kind, waitMs, attempt });
      return (await clock.sleep(waitMs, signal)) ? 'again' : { kind: 'aborted' };
    }
    const message = giveUpMessage(error, attempt, retry.capMs);
    if (error.fallback && this.fallBack(error.kind)) return 'next model';
    return this.failed(error.kind, message);
  }

  /** Goes on to the next model; false when there is none. */
  fallBack(kind: ErrorKind): boolean {
    const from = this.model;
    const to = this.#options.models[this.#position + 1];
    if (!to) return false;
    this.#position += 1;
    this.#emit({ t: 'fallback', from: nameOf(from), to: nameOf(to), kind });
    return true;
  }

  /** The failure in words, with the model's name and without its key. */
  failed(error: ErrorKind, message: string): Reply & { kind: 'failed' } {
    const { model } = this;
    const key = model.apiKey;
    const safe = key !== null && key.length >= 6 ? message.replaceAll(key, '***') : message;
    return { kind: 'failed', error, message: `${nameOf(model)}: ${safe}` };
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

/** An event without the name of who it is about. */
export type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function nameOf(model: ModelRef): string {
  return `${model.provider}/${model.model}`;
}
