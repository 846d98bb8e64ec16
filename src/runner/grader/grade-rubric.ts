import { randomBytes } from 'node:crypto';
import type {
  Engine,
  EngineEvent,
  EngineHost,
  ModelRef,
  RunOutcome,
  ToolDefinition,
} from '../../engine/engine.ts';
import type { Stop } from '../../job/limits.ts';
import type { Redactor } from '../../job/redaction/redactor.ts';
import type { GivenVerdict, Place } from '../../job/rubric.ts';
import { GRADER } from '../activity.ts';
import { type Brief, graderMessage, graderSystem, NO_VERDICT } from './prompt.ts';
import { StopClock } from './stop-clock.ts';
import { verdictTool } from './verdict-tool.ts';

/** What one grading may take of one model; a grader that hangs is not the job's wall limit. */
export interface GraderLimits {
  readonly seconds: number;
  readonly requests: number;
  /** How often a verdict may be wrong before the next model is asked. */
  readonly wrong: number;
  /** No chunk for so long: the request is made again. */
  readonly idleSeconds: number;
}

export const GRADER_LIMITS: GraderLimits = { seconds: 300, requests: 40, wrong: 2, idleSeconds: 90 };

export interface GradingOptions {
  readonly engine: Engine;
  readonly models: readonly ModelRef[];
  readonly brief: Brief;
  /** What it may look at the work with. */
  readonly tools: readonly ToolDefinition[];
  readonly exists: (place: Place) => Promise<boolean>;
  readonly mayCall: EngineHost['mayCall'];
  readonly pauses?: Pick<EngineHost, 'pauseBefore' | 'pauseAsked'>;
  readonly emit: (event: EngineEvent) => void;
  /** A file for the conversation with the n-th model of this grading, from 1. */
  readonly transcript: (attempt: number) => string;
  readonly redactor: Pick<Redactor, 'text' | 'known'>;
  readonly signal: AbortSignal;
  readonly limits?: GraderLimits;
}

export type Grading =
  | { readonly kind: 'verdict'; readonly verdict: GivenVerdict }
  /** A limit of the job, its budget for one. */
  | { readonly kind: 'stopped'; readonly stop: Stop }
  | { readonly kind: 'aborted' }
  /** No model gave a verdict that could be taken. */
  | { readonly kind: 'error'; readonly message: string };

/**
 * Has the work judged once: model after model until one of them gives a verdict whose form is right. Each has a fresh
 * conversation. Never throws for what an endpoint or a model does.
 */
export async function gradeRubric(options: GradingOptions): Promise<Grading> {
  const problems: string[] = [];
  let models = options.models;
  for (let attempt = 1; ; attempt += 1) {
    const [first, ...rest] = models;
    if (first === undefined) return { kind: 'error', message: problems.join('; ') };
    const asked = await new Attempt(options, [first, ...rest], attempt).run();
    if (asked.kind !== 'next') return asked;
    problems.push(asked.why);
    models = models.slice(asked.used);
  }
}

type Asked =
  | Exclude<Grading, { kind: 'error' }>
  | { readonly kind: 'next'; readonly why: string; readonly used: number };

/** One conversation with a grader: until it gives a verdict, or no more is to be had of it. */
class Attempt {
  readonly #options: GradingOptions;
  readonly #models: readonly [ModelRef, ...ModelRef[]];
  readonly #file: string;
  readonly #limits: GraderLimits;
  readonly #clock: StopClock;
  readonly #nonce = randomBytes(9).toString('hex');
  readonly #tools: readonly ToolDefinition[];
  #verdict: GivenVerdict | null = null;
  #stop: Stop | null = null;
  #requests = 0;
  #wrong = 0;
  #lastProblem = '';
  /** How many of the models are behind us. */
  #used = 0;

  constructor(options: GradingOptions, models: readonly [ModelRef, ...ModelRef[]], attempt: number) {
    this.#options = options;
    this.#models = models;
    this.#file = options.transcript(attempt);
    this.#limits = options.limits ?? GRADER_LIMITS;
    this.#clock = new StopClock(this.#limits.seconds * 1000);
    const { brief, exists, tools } = options;
    const accept = (verdict: GivenVerdict): void => {
      this.#verdict ??= verdict;
    };
    const verdict = verdictTool({ criteria: brief.criteria, exists, tested: brief.tests !== null, accept });
    this.#tools = [...tools, verdict];
  }

  async run(): Promise<Asked> {
    this.#clock.start();
    try {
      return await this.#converse(AbortSignal.any([this.#options.signal, this.#clock.signal]));
    } finally {
      this.#clock.stop();
    }
  }

  async #converse(signal: AbortSignal): Promise<Asked> {
    let message = graderMessage(this.#options.brief, this.#nonce);
    for (let turn = 1; ; turn += 1) {
      const outcome = await this.#oneRun(message, turn > 1, signal);
      if (this.#verdict !== null) return { kind: 'verdict', verdict: this.#verdict };
      if (this.#options.signal.aborted) return { kind: 'aborted' };
      if (this.#stop !== null) return { kind: 'stopped', stop: this.#stop };
      const why = this.#whyNoMore(outcome, signal);
      if (why !== null) return this.#next(why);
      message = NO_VERDICT;
    }
  }

  /** null: it may be told once more what it has to do. */
  #whyNoMore(outcome: RunOutcome, signal: AbortSignal): string | null {
    if (signal.aborted) return `gave no verdict within ${this.#limits.seconds} s`;
    if (outcome.status === 'failed') return outcome.message;
    if (this.#requests >= this.#limits.requests) return `gave no verdict in ${this.#requests} requests`;
    if (outcome.status === 'done') {
      this.#wrong += 1;
      this.#lastProblem ||= 'it answered without the tool verdict';
    }
    return this.#wrong > this.#limits.wrong ? this.#wrongWords() : null;
  }

  #wrongWords(): string {
    return `gave ${this.#wrong} verdicts that could not be taken: ${this.#lastProblem}`;
  }

  #next(why: string): Asked {
    const model = this.#models[Math.min(this.#used, this.#models.length - 1)] ?? this.#models[0];
    const named = why.startsWith(model.provider) ? why : `${model.provider}/${model.model} ${why}`;
    return { kind: 'next', why: named, used: this.#used + 1 };
  }

  async #oneRun(prompt: string, resume: boolean, signal: AbortSignal): Promise<RunOutcome> {
    const { engine, redactor, tools } = this.#options;
    if (signal.aborted) return { status: 'aborted' };
    // A resumed run begins with the model that spoke last.
    const [first = this.#models[0], ...rest] = this.#models.slice(this.#used);
    const run = engine.start(
      {
        role: 'grader',
        agent: GRADER,
        system: graderSystem(tools.length > 0),
        prompt,
        models: [first, ...rest],
        conversation: { file: this.#file, resume, redactor },
        retry: { attempts: 3, capMs: 30_000 },
        idleMs: this.#limits.idleSeconds * 1000,
      },
      {
        tools: this.#tools,
        ...this.#options.pauses,
        mayCall: (call) => this.#mayCall(call),
        emit: (event) => this.#emit(event),
      },
    );
    const abort = (): void => run.abort();
    signal.addEventListener('abort', abort, { once: true });
    const outcome = await run.done;
    signal.removeEventListener('abort', abort);
    return outcome;
  }

  /** After a verdict, or too many wrong ones, there is nothing more to ask; beyond that the job has the word. */
  async #mayCall(call: Parameters<EngineHost['mayCall']>[0]): Promise<Stop | null> {
    const { wrong, requests } = this.#limits;
    if (this.#verdict !== null || this.#wrong > wrong || this.#requests >= requests) return ENOUGH;
    // A person may be asked for money: their time is not the grader's.
    this.#clock.stop();
    this.#stop = await this.#options.mayCall(call);
    this.#clock.start();
    if (this.#stop === null) this.#requests += 1;
    return this.#stop;
  }

  #emit(event: EngineEvent): void {
    if (event.t === 'fallback') this.#used += 1;
    if (event.t === 'tool_end' && event.tool === 'verdict' && !event.ok) {
      this.#wrong += 1;
      this.#lastProblem = event.summary;
    }
    this.#options.emit(event);
  }
}

/** Ends a run of the engine; the reason is our own and goes nowhere. */
const ENOUGH: Stop = { kind: 'cancelled' };
