import type { Stop } from '../../job/limits.ts';
import type { EngineEvent, EngineHost, ErrorKind, ModelRef, PlannedCall } from '../engine.ts';
import type { RequestError } from './errors.ts';
import { type Clock, giveUpMessage, retryWait } from './retry.ts';

export interface AttemptsOptions {
  readonly models: readonly [ModelRef, ...ModelRef[]];
  readonly retry: { readonly attempts: number; readonly capMs: number };
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly agent: string;
  /** Asked before every request, repeated ones too. */
  readonly host: Omit<EngineHost, 'tools'>;
}

/** What comes after a request that failed. */
export type AfterFailure =
  | { readonly kind: 'again' }
  | { readonly kind: 'next model' }
  | { readonly kind: 'aborted' }
  /** The context is too long for this model; the caller may shorten it, or take the next one. */
  | { readonly kind: 'overflow'; readonly error: RequestError }
  | { readonly kind: 'failed'; readonly error: ErrorKind; readonly message: string };

/** An event without the name of who it is about. */
export type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/**
 * A chain of models, of which one is asked until it fails for good: then the next, and from there on that one. Knows
 * when a request may be made, and what comes after one that failed; makes none itself.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  #position = 0;

  constructor(options: AttemptsOptions) {
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

  /** The host's word on the next request, after the pause that other jobs were asked for. */
  async mayCall(
    plan: (model: ModelRef) => Omit<PlannedCall, 'model' | 'attempt'>,
    attempt: number,
  ): Promise<Stop | null> {
    if (!(await this.#keepPause(attempt))) return null;
    const { model } = this;
    return this.#options.host.mayCall({ ...plan(model), model, attempt });
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

  /** Waits before the request to this model is repeated, moves on to the next one, or gives up. */
  async afterFailure(error: RequestError, attempt: number, asked = this.model): Promise<AfterFailure> {
    const { signal, clock, retry } = this.#options;
    if (error.kind === 'overflow') return { kind: 'overflow', error };
    const waitMs = retryWait(error, attempt, retry, clock.random());
    const pause = error.retryAfterMs ?? waitMs;
    if (error.busy === true && pause !== null) this.#options.host.pauseAsked?.(asked, pause);
    if (waitMs !== null) {
      this.#emit({ t: 'retry', kind: error.kind, waitMs, attempt });
      return { kind: (await clock.sleep(waitMs, signal)) ? 'again' : 'aborted' };
    }
    const message = giveUpMessage(error, attempt, retry.capMs);
    if (error.fallback && this.fallBack(error.kind, asked)) return { kind: 'next model' };
    return this.failed(error.kind, message, asked);
  }

  /** Goes on to the next model, unless another request has done so already; false when there is none. */
  fallBack(kind: ErrorKind, asked = this.model): boolean {
    const from = this.model;
    if (asked !== from) return true;
    const to = this.#options.models[this.#position + 1];
    if (!to) return false;
    this.#position += 1;
    this.#emit({ t: 'fallback', from: nameOf(from), to: nameOf(to), kind });
    return true;
  }

  /** The failure in words, with the name of the model that was asked and without its key. */
  failed(error: ErrorKind, message: string, asked = this.model): AfterFailure & { kind: 'failed' } {
    const key = asked.apiKey;
    const safe = key !== null && key.length >= 6 ? message.replaceAll(key, '***') : message;
    return { kind: 'failed', error, message: `${nameOf(asked)}: ${safe}` };
  }

  #emit(event: DistributiveOmit<EngineEvent, 'agent'>): void {
    this.#options.host.emit({ agent: this.#options.agent, ...event });
  }
}

function nameOf(model: ModelRef): string {
  return `${model.provider}/${model.model}`;
}
