import { type LoopVerdict, NO_ROUNDS, noteRound } from '../../job/loop.ts';
import type { CallPrint } from '../../job/stagnation.ts';
import type { EngineHost } from '../engine.ts';

/** What follows from a round of calls: go on, say something to the worker, or end. */
export type RoundVerdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'warn'; readonly event: string; readonly say: string }
  | { readonly kind: 'stop'; readonly message: string };

interface OpenCall {
  readonly call: string;
  result: string | null;
}

/** The calls of the main agent, message by message: does the worker go round in circles, or get nowhere? */
export class Rounds {
  readonly #host: Pick<EngineHost, 'afterRound'>;
  #message: string | null = null;
  #calls = new Map<string, OpenCall>();
  #memory = NO_ROUNDS;
  #whole: (() => void)[] = [];
  /** Rounds are judged one after another, however long the host takes for one. */
  #judged: Promise<unknown> = Promise.resolve();

  constructor(host: Pick<EngineHost, 'afterRound'>) {
    this.#host = host;
  }

  /** A call the model made in this message of its. Another message than before: the round before is over. */
  called(message: string, id: string, name: string, input: unknown): Promise<RoundVerdict> {
    const over = message === this.#message ? [] : this.#take();
    this.#message = message;
    this.#calls.set(id, { call: JSON.stringify([name, input]), result: null });
    return this.#judge(over);
  }

  answered(id: string, result: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    call.result = result;
    if (!this.#complete()) return;
    for (const done of this.#whole.splice(0)) done();
  }

  /** The worker heard something new: what it does again may be right now. */
  forget(): void {
    this.#memory = NO_ROUNDS;
  }

  /**
   * The model is asked again, so all results are in. They come another way than the question, and may be a moment
   * later: they are waited for, for so many milliseconds.
   */
  async next(patienceMs: number): Promise<RoundVerdict> {
    if (!this.#complete()) await this.#becomesWhole(patienceMs);
    return this.#judge(this.#complete() ? this.#take() : []);
  }

  #becomesWhole(patienceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.#whole.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #complete(): boolean {
    return [...this.#calls.values()].every(({ result }) => result !== null);
  }

  #take(): CallPrint[] {
    const calls = [...this.#calls.values()];
    this.#calls = new Map();
    return calls.map(({ call, result }) => ({ call, result: result ?? '' }));
  }

  #judge(prints: readonly CallPrint[]): Promise<RoundVerdict> {
    const verdict = this.#judged.then(() => (prints.length === 0 ? GO : this.#verdictOn(prints)));
    this.#judged = verdict;
    return verdict;
  }

  async #verdictOn(prints: readonly CallPrint[]): Promise<RoundVerdict> {
    const { memory, verdict } = noteRound(this.#memory, {
      calls: JSON.stringify(prints.map(({ call }) => call)),
      results: JSON.stringify(prints.map(({ result }) => result)),
    });
    this.#memory = memory;
    const circle = circleVerdict(verdict);
    if (circle.kind === 'stop') return circle;
    const nowhere = nowhereVerdict((await this.#host.afterRound?.(prints)) ?? GO);
    return nowhere.kind === 'go' ? circle : nowhere;
  }
}

const GO = { kind: 'go' } as const;

function circleVerdict(verdict: LoopVerdict): RoundVerdict {
  if (verdict.kind === 'go') return GO;
  const { text } = verdict;
  if (verdict.kind === 'stop') return { kind: 'stop', message: `the worker goes round in circles: ${text}` };
  return {
    kind: 'warn',
    event: `going round in circles: ${text}`,
    say: `You have done ${text}. Repeating it will not help, and the run is stopped if you go on: do something else, or ask for help.`,
  };
}

function nowhereVerdict(verdict: LoopVerdict): RoundVerdict {
  if (verdict.kind === 'go') return GO;
  const { text } = verdict;
  if (verdict.kind === 'stop') return { kind: 'stop', message: `the worker gets nowhere: ${text}` };
  return {
    kind: 'warn',
    event: `getting nowhere: ${text}`,
    say: `So far: ${text}. If the task is done, say so and stop; if not, change something, or ask for help. The run is stopped if this goes on.`,
  };
}
