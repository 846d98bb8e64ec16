import type { Limits } from '../job/limits.ts';
import type { StopSwitch } from './stop.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Two clocks over a job: the wall limit, and how long the worker may be silent. */
export class Watchdogs {
  readonly #stop: StopSwitch;
  readonly #stallMs: number;
  readonly #wallMs: number;
  #wall: NodeJS.Timeout | null = null;
  #stall: NodeJS.Timeout | null = null;
  #lastActivity = performance.now();
  #holds = 0;

  constructor(limits: Pick<Limits, 'timeout' | 'stallTimeout'>, stop: StopSwitch) {
    this.#stop = stop;
    this.#stallMs = limits.stallTimeout * 1000;
    this.#wallMs = Math.min(limits.timeout * 1000, LONGEST_TIMER_MS);
  }

  /** From now on the wall limit counts: a job that waits for its turn has not begun. */
  watchWall(): void {
    this.#wall ??= setTimeout(() => this.#stop.request({ kind: 'timeout', reason: 'wall' }), this.#wallMs);
  }

  /** From now on silence counts. */
  watchSilence(): void {
    this.active();
    this.#stall ??= setTimeout(() => this.#check(), this.#stallMs);
  }

  /** The worker's model or a tool has said something. */
  active(): void {
    this.#lastActivity = performance.now();
  }

  /**
   * Silence does not count until the returned function is called: while a tool runs (it has a limit of
   * its own), a provider asked us to wait, or a question waits for its answer.
   */
  hold(): () => void {
    this.#holds += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      this.active();
    };
  }

  close(): void {
    if (this.#wall) clearTimeout(this.#wall);
    if (this.#stall) clearTimeout(this.#stall);
  }

  #check(): void {
    const silentMs = this.#holds > 0 ? 0 : performance.now() - this.#lastActivity;
    if (silentMs >= this.#stallMs) this.#stop.request({ kind: 'timeout', reason: 'stall' });
    else this.#stall = setTimeout(() => this.#check(), Math.max(10, this.#stallMs - silentMs));
  }
}
