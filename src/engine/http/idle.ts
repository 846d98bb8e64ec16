/** The signal of one request: aborted by the run's own signal, or when nothing came for too long. */
export interface Watch {
  readonly signal: AbortSignal;
  /** Something came: the time starts anew. */
  beat(): void;
  /** The other side may be silent for now, since nobody listens to it: no time runs until the next beat. */
  rest(): void;
  /** Was it given up for silence? */
  idle(): boolean;
  /** Ends the watch, and the request if it is still under way. */
  end(): void;
}

/**
 * Watches one request. A controller of its own for each, because listeners on the signal of a long run would
 * pile up; a timer of ours, because the library's starts only with the first chunk.
 */
export function watchRequest(parent: AbortSignal, idleMs: number): Watch {
  const controller = new AbortController();
  let silent = false;
  const arm = (): NodeJS.Timeout =>
    setTimeout(() => {
      silent = true;
      controller.abort();
    }, idleMs);
  let timer: NodeJS.Timeout | null = arm();
  const abort = (): void => controller.abort();
  if (parent.aborted) abort();
  parent.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    beat: () => {
      timer = timer?.refresh() ?? arm();
    },
    rest: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
    idle: () => silent,
    end: () => {
      if (timer !== null) clearTimeout(timer);
      parent.removeEventListener('abort', abort);
      controller.abort();
    },
  };
}
