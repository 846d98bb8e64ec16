import { setTimeout as timer } from 'node:timers/promises';
import type { RequestError } from './errors.ts';

/** Time and chance, so that a test can bring its own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves with true after `ms`, with false as soon as the signal is aborted. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<boolean>;
  /** From 0 to below 1. */
  random(): number;
}

/** The clock on the wall. */
export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  random: Math.random,
  async sleep(ms, signal) {
    try {
      await timer(ms, undefined, { signal });
      return true;
    } catch {
      // The only way a timer rejects is that its signal was aborted.
      return false;
    }
  },
};

const FIRST_WAIT_MS = 1000;

/**
 * How long to wait before request number `attempt + 1`, or null when it is not to be made: nothing that waiting
 * would help, no attempts left, or the endpoint asks for more patience than the cap allows. Without a word from
 * the endpoint the wait doubles from one second, and is spread by up to a quarter.
 */
export function retryWait(
  error: RequestError,
  attempt: number,
  limits: { readonly attempts: number; readonly capMs: number },
  random: number,
): number | null {
  if (!error.retry || attempt >= limits.attempts) return null;
  if (error.retryAfterMs !== null) return error.retryAfterMs <= limits.capMs ? error.retryAfterMs : null;
  const doubled = FIRST_WAIT_MS * 2 ** (attempt - 1);
  return Math.min(limits.capMs, Math.round(doubled * (1 + random / 4)));
}

/** The error in words, with what was tried. */
export function giveUpMessage(error: RequestError, attempt: number, capMs: number): string {
  const tooLong = error.retry && error.retryAfterMs !== null && error.retryAfterMs > capMs;
  if (tooLong) {
    const seconds = Math.ceil((error.retryAfterMs ?? 0) / 1000);
    return `${error.message} (asked to wait ${seconds} s, more than the ${capMs / 1000} s we wait)`;
  }
  return attempt > 1 ? `${error.message} (gave up after ${attempt} requests)` : error.message;
}
