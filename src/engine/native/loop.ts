import { totalTokens } from '../../job/cost.ts';
import { NO_ROUNDS, noteRound } from '../../job/loop.ts';
import { circleWords, nowhereWords, type RoundVerdict } from '../../job/loop-words.ts';
import type { EngineEvent, EngineHost, ErrorKind, RunOutcome, RunSpec } from '../engine.ts';
import type { DistributiveOmit } from '../http/attempts.ts';
import { compact } from './compact.ts';
import { keepAfterOverflow, keepBeforeFull } from './compaction.ts';
import type { Conversation } from './conversation.ts';
import { afterRound, decide, type Next, NO_STREAKS } from './decide.ts';
import { resultPart, withoutSignedThoughts } from './messages.ts';
import type { Reply, Requester } from './request.ts';
import type { Answer, Question, RawCall } from './step.ts';
import { checkCall, runCalls } from './tool-calls.ts';

export interface SteerMessage {
  readonly id: string;
  readonly text: string;
}

export interface LoopParts {
  readonly spec: RunSpec;
  readonly host: EngineHost;
  readonly conversation: Conversation;
  readonly requester: Requester;
  readonly signal: AbortSignal;
  /** Filled by the host at any time, emptied before each request. */
  readonly steers: SteerMessage[];
}

/** One run of a worker: asks the model, runs its calls, until it is done or may not go on. */
export class Loop {
  readonly #parts: LoopParts;
  #step = 0;
  #streaks = NO_STREAKS;
  #rounds = NO_ROUNDS;
  #overflows = 0;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  /** Rejects on a bug, or when the transcript cannot be written. */
  async run(): Promise<RunOutcome> {
    for (;;) {
      const outcome = (await this.#shortenIfFull()) ?? (await this.#oneStep());
      if (outcome) return outcome;
    }
  }

  async #oneStep(): Promise<RunOutcome | null> {
    const { host, spec, conversation, requester, signal } = this.#parts;
    if (signal.aborted) return { status: 'aborted' };
    const question = (): Question => {
      const { role = 'worker', system } = spec;
      return { role, system, messages: conversation.messages, tools: host.tools };
    };
    const fallbacks = requester.fallbacks;
    const forNewModel = (): void => {
      if (requester.fallbacks !== fallbacks) conversation.rewrite(withoutSignedThoughts);
    };
    const stop = await requester.mayCall(question(), 1);
    if (stop) return { status: 'stopped', stop };
    // It may have waited long for a slot or for money; a step that was never made is not counted.
    if (signal.aborted) return { status: 'aborted' };
    forNewModel();
    this.#deliverSteers();
    this.#step += 1;
    const step = this.#step;
    this.#emit({ t: 'step_start', step, model: requester.model.model });
    const reply = await requester.ask(question(), { allowed: true });
    forNewModel();
    if (reply.kind !== 'answer') {
      this.#emit({ t: 'step_end', step, finish: reply.kind });
      return reply.kind === 'overflow' ? this.#shortenAfterOverflow(reply) : ended(reply);
    }
    this.#overflows = 0;
    const outcome = await this.#act(reply.answer, totalTokens(reply.billing.usage));
    this.#emit({ t: 'step_end', step, finish: reply.answer.finish });
    return outcome;
  }

  async #act(answer: Answer, tokens: number): Promise<RunOutcome | null> {
    const { conversation, steers } = this.#parts;
    const { next, streaks } = decide(answer, this.#streaks);
    this.#streaks = streaks;
    this.#keep(answer, next);
    conversation.measure(tokens);
    switch (next.kind) {
      case 'run':
        return this.#round(next.calls);
      case 'nudge':
        if (next.say !== null) conversation.append({ role: 'user', content: next.say });
        return next.keep === 'text' ? this.#noteCircle({ calls: '', results: answer.text }) : null;
      case 'fail':
        return failure(next.error, next.message);
      case 'done':
        // A message that came while it finished is still delivered: the worker goes on.
        return steers.length === 0 ? { status: 'done', finalText: next.text } : null;
    }
  }

  #keep(answer: Answer, next: Next): void {
    const whole = next.kind === 'run' || next.kind === 'done';
    const textOnly = next.kind === 'nudge' && next.keep === 'text';
    const content = answer.parts.filter(
      (part) => whole || (textOnly && part.type === 'text' && part.text.trim() !== ''),
    );
    if (content.length > 0) this.#parts.conversation.append({ role: 'assistant', content });
  }

  async #round(calls: readonly RawCall[]): Promise<RunOutcome | null> {
    const { host, conversation, signal } = this.#parts;
    const checked = calls.map((call) => checkCall(call, host.tools));
    const results = new Map<RawCall, string>();
    try {
      await runCalls(checked, {
        signal,
        onStart: (call, args) => this.#emit({ t: 'tool_start', id: call.id, tool: call.name, args }),
        onEnd: (call, result, ms) => {
          const { ok, text, summary } = result;
          results.set(call, text);
          conversation.appendResult(resultPart(call, ok, text));
          this.#emit({ t: 'tool_end', id: call.id, tool: call.name, ok, ms, summary });
        },
      });
    } catch (error) {
      if (signal.aborted) return { status: 'aborted' };
      throw error;
    }
    conversation.closeRound();
    const { streaks, fail } = afterRound(this.#streaks, checked.filter(({ ok }) => ok).length);
    this.#streaks = streaks;
    if (fail?.kind === 'fail') return failure(fail.error, fail.message);
    const prints = calls.map((call) => ({
      call: JSON.stringify([call.name, call.input]),
      result: results.get(call) ?? '',
    }));
    const circle = this.#noteCircle({
      calls: JSON.stringify(calls.map(({ name, input }) => [name, input])),
      results: JSON.stringify(prints.map(({ result }) => result)),
    });
    return circle ?? this.#heed(nowhereWords((await host.afterRound?.(prints)) ?? { kind: 'go' }));
  }

  #noteCircle(round: { calls: string; results: string }): RunOutcome | null {
    const { memory, verdict } = noteRound(this.#rounds, round);
    this.#rounds = memory;
    return this.#heed(circleWords(verdict));
  }

  #heed(verdict: RoundVerdict): RunOutcome | null {
    if (verdict.kind === 'go') return null;
    if (verdict.kind === 'stop') return failure('loop', verdict.message);
    this.#emit({ t: 'warn', text: verdict.event });
    this.#parts.conversation.append({ role: 'user', content: verdict.say });
    return null;
  }

  #deliverSteers(): void {
    const { steers, conversation } = this.#parts;
    const messages = steers.splice(0);
    if (messages.length === 0) return;
    for (const { text } of messages) conversation.append({ role: 'user', content: text });
    this.#emit({ t: 'steer_delivered', ids: messages.map(({ id }) => id) });
    this.#rounds = NO_ROUNDS;
  }

  async #shortenIfFull(): Promise<RunOutcome | null> {
    const { conversation, requester } = this.#parts;
    const keep = keepBeforeFull(conversation.tokens(), requester.model.contextWindow);
    if (keep === null) return null;
    const result = await this.#compact(keep);
    return result.kind === 'ended' ? ended(result.reply) : null;
  }

  async #shortenAfterOverflow({ error }: Reply & { kind: 'overflow' }): Promise<RunOutcome | null> {
    const { conversation, requester } = this.#parts;
    this.#overflows += 1;
    const keep = keepAfterOverflow(conversation.tokens(), this.#overflows);
    const result = keep === null ? null : await this.#compact(keep);
    if (result?.kind === 'shorter') return null;
    if (result?.kind === 'ended') return ended(result.reply);
    if (!requester.fallBack('overflow')) return ended(requester.failed('overflow', error.message));
    this.#overflows = 0;
    conversation.rewrite(withoutSignedThoughts);
    return null;
  }

  #compact(keep: number) {
    const { spec, host, conversation, requester } = this.#parts;
    const { prompt, agent = 'main' } = spec;
    return compact({ conversation, requester, agent, prompt, emit: host.emit }, keep);
  }

  #emit(event: DistributiveOmit<EngineEvent, 'agent'>): void {
    this.#parts.host.emit({ agent: this.#parts.spec.agent ?? 'main', ...event });
  }
}

function ended(reply: Exclude<Reply, { kind: 'answer' | 'overflow' }> | Reply): RunOutcome {
  switch (reply.kind) {
    case 'stop':
      return { status: 'stopped', stop: reply.stop };
    case 'aborted':
      return { status: 'aborted' };
    case 'failed':
      return failure(reply.error, reply.message);
    case 'overflow':
      return failure('overflow', reply.error.message);
    case 'answer':
      return { status: 'done', finalText: reply.answer.text };
  }
}

function failure(kind: ErrorKind, message: string): RunOutcome {
  return { status: 'failed', kind, message };
}
