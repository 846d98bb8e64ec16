/** The signal of one request: aborted by the run's own signal, or when nothing came for too long. */
export interface Watch {
  readonly signal: AbortSignal;
  /** Something came: the time starts anew. */
  beat(): void;
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
  const timer = setTimeout(() => {
    silent = true;
    controller.abort();
  }, idleMs);
  const abort = (): void => controller.abort();
  if (parent.aborted) abort();
  parent.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    beat: () => void timer.refresh(),
    idle: () => silent,
    end: () => {
      clearTimeout(timer);
      parent.removeEventListener('abort', abort);
      controller.abort();
    },
  };
}
