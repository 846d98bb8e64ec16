import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { EngineEvent, EngineHost, ModelRef, Role, RunSpec } from '../../engine.ts';
import { Attempts, type DistributiveOmit } from '../../http/attempts.ts';
import type { RequestError } from '../../http/errors.ts';
import type { Clock } from '../../http/retry.ts';
import { spendOf } from '../../http/spend.ts';
import { type ApiError, type GatewayVerdict, refusalOf, sendError, tooLong } from './api-error.ts';
import { Cuts } from './cuts.ts';
import { leave } from './exchange.ts';
import type { Meter } from './meter.ts';
import type { RequestBody } from './request-body.ts';
import type { Thoughts } from './thoughts.ts';
import { type Sent, sendOn } from './upstream.ts';

/** A name the client may ask for, whose calls these are, and the models that answer, in order. */
export interface Slot {
  readonly name: string;
  readonly role: Role;
  readonly agent: string;
  readonly models: readonly [ModelRef, ...ModelRef[]];
}

export interface CallsOptions {
  readonly host: Omit<EngineHost, 'tools'>;
  readonly retry: RunSpec['retry'];
  readonly idleMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly clean: (text: string) => string;
  readonly thoughts: Thoughts;
  /** Why nothing is let through any more; null: go on. */
  readonly verdict: () => GatewayVerdict | null;
  readonly give: (verdict: GatewayVerdict) => void;
}

/** Where a request of the client's is answered. */
export interface Call {
  readonly body: RequestBody;
  /** Of the whole request, estimated. */
  readonly tokens: number;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
}

const ASSUMED_MAX_OUTPUT = 16_384;
const ABORTED: ApiError = { status: 503, type: 'api_error', message: 'the run is over', final: true };

/** All requests for the models of one slot: each is a step, and is asked for until there is an answer, or a verdict. */
export class Calls {
  readonly #slot: Slot;
  readonly #options: CallsOptions;
  readonly #attempts: Attempts;
  readonly #cuts = new Cuts();
  #steps = 0;

  constructor(slot: Slot, options: CallsOptions) {
    this.#slot = slot;
    this.#options = options;
    const { host, retry, signal, clock } = options;
    this.#attempts = new Attempts({ host, retry, signal, clock, models: slot.models, agent: slot.agent });
  }

  /** Answers the client, whatever comes. */
  async answer(call: Call): Promise<void> {
    const gone = goneSignal(call.response, this.#options.signal);
    const before = this.#cuts.of(call.body);
    const step = before?.step ?? this.#steps + 1;
    this.#steps = Math.max(this.#steps, step);
    let isStarted = before !== null;
    for (let attempt = 1, asked = (before?.count ?? 0) + 1; ; attempt += 1, asked += 1) {
      const refusal = await this.#refusal(call, asked);
      if (refusal !== null) return sendError(call.response, refusal);
      if (gone.aborted) return sendError(call.response, ABORTED);
      if (!isStarted) this.#emit({ t: 'step_start', step, model: this.#attempts.model.model });
      isStarted = true;
      const ref = this.#attempts.model;
      const sent = await this.#send(call, ref, gone);
      await this.#bill(sent.meter, ref, call);
      switch (sent.kind) {
        case 'whole':
          this.#cuts.forget(call.body);
          return this.#emit({ t: 'step_end', step, finish: finishOf(sent.meter) });
        case 'gone':
          // By the run's end: the client is still there, and has to be told.
          sendError(call.response, ABORTED);
          return leave(call.response);
        case 'cut':
          return this.#cut(call, step, sent.error, ref);
        case 'failed': {
          const next = await this.#afterFailure(sent.error, attempt, ref);
          if (next === 'again') continue;
          if (next === 'next model') attempt = 0;
          else return sendError(call.response, next);
        }
      }
    }
  }

  /** Nothing is sent before the host has said that it may be. */
  async #refusal({ body, tokens }: Call, asked: number): Promise<ApiError | null> {
    const { verdict, give, signal } = this.#options;
    const before = verdict();
    if (before !== null) return refusalOf(before);
    const stop = await this.#attempts.mayCall(
      (model) => ({
        role: this.#slot.role,
        input: tokens,
        maxOutput: body.max_tokens ?? model.maxOutput ?? ASSUMED_MAX_OUTPUT,
      }),
      asked,
    );
    if (stop !== null) give({ status: 'stopped', stop });
    const after = verdict();
    if (after !== null) return refusalOf(after);
    return signal.aborted ? ABORTED : null;
  }

  #send({ body, headers, response }: Call, ref: ModelRef, gone: AbortSignal): Promise<Sent> {
    const { clean, thoughts, idleMs, clock } = this.#options;
    return sendOn({
      ref,
      role: this.#slot.role,
      body: { ...body, messages: thoughts.own(body.messages, ref) },
      headers: {
        'anthropic-version': one(headers['anthropic-version']),
        'anthropic-beta': one(headers['anthropic-beta']),
      },
      clean,
      response,
      signal: gone,
      idleMs,
      nowMs: clock.now(),
      onDelta: (t, delta) => this.#emit({ t, delta }),
    });
  }

  async #afterFailure(
    error: RequestError,
    attempt: number,
    ref: ModelRef,
  ): Promise<'again' | 'next model' | ApiError> {
    const next = await this.#attempts.afterFailure(error, attempt, ref);
    switch (next.kind) {
      case 'again':
      case 'next model':
        return next.kind;
      case 'aborted':
        return ABORTED;
      case 'overflow':
        // No verdict: the client may sum up what came before, and go on.
        if (this.#attempts.fallBack('overflow', ref)) return 'next model';
        return tooLong(this.#attempts.failed('overflow', error.message, ref).message);
      case 'failed': {
        const verdict: GatewayVerdict = { status: 'failed', kind: next.error, message: next.message };
        this.#options.give(verdict);
        return refusalOf(verdict);
      }
    }
  }

  /** What was half said cannot be said again: the connection is broken, and the client asks anew, a few times. */
  async #cut({ body, response }: Call, step: number, error: RequestError, ref: ModelRef): Promise<void> {
    const count = this.#cuts.add(body, step);
    const { attempts } = this.#options.retry;
    if (count < attempts) {
      this.#emit({ t: 'retry', kind: error.kind, waitMs: 0, attempt: count });
    } else {
      const next = await this.#attempts.afterFailure(error, attempts, ref);
      if (next.kind === 'next model') this.#cuts.startAnew(body);
      if (next.kind === 'failed')
        this.#options.give({ status: 'failed', kind: next.error, message: next.message });
    }
    leave(response);
  }

  async #bill(meter: Meter, ref: ModelRef, { tokens }: Call): Promise<void> {
    this.#options.thoughts.note(ref, meter.proofs);
    const billing = meter.billing(tokens);
    if (billing === null) return;
    const answered = meter.answered ?? ref.model;
    const { role } = this.#slot;
    const { provider, model } = ref;
    const charge = await spendOf(billing, ref, answered);
    this.#emit({ t: 'spend', role, provider, model, answered, ...charge, estimated: billing.estimated });
  }

  #emit(event: DistributiveOmit<EngineEvent, 'agent'>): void {
    this.#options.host.emit({ agent: this.#slot.agent, ...event });
  }
}

const FINISHES: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  refusal: 'content-filter',
};

/** The end of an answer in the words both engines use. */
function finishOf({ stopReason }: Meter): string {
  return stopReason === null ? 'stop' : (FINISHES[stopReason] ?? stopReason);
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

/** Aborted with the run, or when the client leaves before it has its answer. */
function goneSignal(response: ServerResponse, signal: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const abort = (): void => gone.abort();
  if (signal.aborted || response.destroyed) abort();
  signal.addEventListener('abort', abort, { once: true });
  response.once('close', () => {
    signal.removeEventListener('abort', abort);
    if (!response.writableFinished) abort();
  });
  return gone.signal;
}
