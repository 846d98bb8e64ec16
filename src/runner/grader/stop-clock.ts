/** A time limit that can be held: only the time it ran counts. */
export class StopClock {
  readonly #controller = new AbortController();
  #leftMs: number;
  #running: { readonly since: number; readonly timer: NodeJS.Timeout } | null = null;

  constructor(limitMs: number) {
    this.#leftMs = limitMs;
  }

  /** Aborted when the time is used up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(): void {
    if (this.#running !== null) return;
    const timer = setTimeout(() => this.#controller.abort(), Math.max(0, this.#leftMs));
    this.#running = { since: performance.now(), timer };
  }

  stop(): void {
    if (this.#running === null) return;
    clearTimeout(this.#running.timer);
    this.#leftMs -= performance.now() - this.#running.since;
    this.#running = null;
  }
}
