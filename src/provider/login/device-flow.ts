/** Where a login stands. Times are milliseconds since 1970. */
export type FlowState =
  | {
      readonly state: 'pending';
      readonly intervalMs: number;
      /** Nobody asks before. */
      readonly nextPollAt: number;
      readonly expiresAt: number;
    }
  | { readonly state: 'authorized' }
  | { readonly state: 'failed'; readonly reason: FailReason; readonly detail: string };
export type PendingFlow = FlowState & { readonly state: 'pending' };

/** `denied`: the person said no. `refused`: the service did. */
export type FailReason = 'expired' | 'denied' | 'refused';

/** What one poll was answered. */
export type PollAnswer =
  | { readonly kind: 'pending' }
  /** `intervalMs`: the new one, where the service names it. */
  | { readonly kind: 'slow_down'; readonly intervalMs: number | null }
  | { readonly kind: 'authorized' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'refused'; readonly why: string }
  /** No answer, or one nobody can read: it may be better the next time. */
  | { readonly kind: 'unclear'; readonly why: string };

/** RFC 8628, section 3.5: the interval grows by this for good. */
const SLOWER_MS = 5000;
/** RFC 8628, section 3.2: where the service names none. */
const DEFAULT_INTERVAL_MS = 5000;
const LONGEST_INTERVAL_MS = 60_000;
const LONGEST_LIFE_MS = 60 * 60_000;

/** A flow that begins now. Both in milliseconds; what is no sensible number gets the standard's own. */
export function beginFlow(wanted: { intervalMs: number | null; lifeMs: number }, nowMs: number): PendingFlow {
  const intervalMs = sensible(wanted.intervalMs);
  const lifeMs = Math.min(Math.max(0, wanted.lifeMs), LONGEST_LIFE_MS);
  return { state: 'pending', intervalMs, nextPollAt: nowMs + intervalMs, expiresAt: nowMs + lifeMs };
}

function sensible(intervalMs: number | null): number {
  if (intervalMs === null || !Number.isFinite(intervalMs) || intervalMs < 0) return DEFAULT_INTERVAL_MS;
  return Math.min(intervalMs, LONGEST_INTERVAL_MS);
}

/** The flow after an answer that came at `nowMs`. Only what is final ends it: a bad answer does not. */
export function afterPoll(flow: PendingFlow, answer: PollAnswer, nowMs: number): FlowState {
  switch (answer.kind) {
    case 'authorized':
      return { state: 'authorized' };
    case 'denied':
      return failed('denied', 'the request was turned down in the browser');
    case 'expired':
      return expired();
    case 'refused':
      return failed('refused', answer.why);
    case 'slow_down': {
      const intervalMs = sensible(Math.max(flow.intervalMs + SLOWER_MS, answer.intervalMs ?? 0));
      return atTime({ ...flow, intervalMs, nextPollAt: nowMs + intervalMs }, nowMs);
    }
    default:
      return atTime({ ...flow, nextPollAt: nowMs + flow.intervalMs }, nowMs);
  }
}

/** The flow as it is at `nowMs`, without an answer: a code nobody entered in time is worth nothing. */
export function atTime(flow: PendingFlow, nowMs: number): FlowState {
  return nowMs >= flow.expiresAt ? expired() : flow;
}

function expired(): FlowState {
  return failed('expired', 'the code was not entered in time');
}

function failed(reason: FailReason, detail: string): FlowState {
  return { state: 'failed', reason, detail };
}
