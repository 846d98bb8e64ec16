import type { Stop } from '../job/limits.ts';

/** One per job. The first reason to stop wins; what comes later cannot overwrite it. */
export class StopSwitch {
  #reason: Stop | null = null;
  readonly #controller = new AbortController();

  get reason(): Stop | null {
    return this.#reason;
  }

  /** Aborted as soon as a reason exists: every wait, tool and request of the job listens to it. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  request(reason: Stop): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#controller.abort();
  }
}
