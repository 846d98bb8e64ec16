import { NO_ROUNDS, noteRound } from '../../job/loop.ts';
import { circleWords, nowhereWords, type RoundVerdict } from '../../job/loop-words.ts';
import type { CallPrint } from '../../job/stagnation.ts';
import type { EngineHost } from '../engine.ts';

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
    const circle = circleWords(verdict);
    if (circle.kind === 'stop') return circle;
    const nowhere = nowhereWords((await this.#host.afterRound?.(prints)) ?? GO);
    return nowhere.kind === 'go' ? circle : nowhere;
  }
}

const GO = { kind: 'go' } as const;
