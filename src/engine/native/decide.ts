import type { ErrorKind } from '../engine.ts';
import type { Answer, RawCall } from './step.ts';

/** How many times in a row a worker may do each of these. */
export const PATIENCE = {
  /** Answers without text and without a call. */
  empty: 3,
  /** Answers cut off at the output limit. */
  cut: 5,
  /** Rounds in which no call could be run. */
  badRounds: 10,
} as const;

/** What has happened how often in a row. */
export interface Streaks {
  readonly empty: number;
  readonly cut: number;
  readonly badRounds: number;
}

export const NO_STREAKS: Streaks = { empty: 0, cut: 0, badRounds: 0 };

/** What comes after an answer. */
export type Next =
  | { readonly kind: 'run'; readonly calls: readonly RawCall[] }
  | { readonly kind: 'done'; readonly text: string }
  /** `keep`: what of the answer stays in the history. `say`: null when it has been said already. */
  | { readonly kind: 'nudge'; readonly keep: 'nothing' | 'text'; readonly say: string | null }
  | { readonly kind: 'fail'; readonly error: ErrorKind; readonly message: string };

const EMPTY =
  'Your last message was empty. Go on with the task by calling a tool, or, if all of it is done, say so and sum up what you did.';
const CUT =
  'Your last message was cut off at the output limit, and none of its tool calls was run. Go on in smaller steps: write a long file in several parts, and answer shortly.';
const NAMELESS = 'Your last message meant to call a tool but named none. Call one of your tools by its name.';

/** Decides what an answer means. Calls of an answer that was cut off are never run: any of them may be torn. */
export function decide(answer: Answer, streaks: Streaks): { next: Next; streaks: Streaks } {
  if (answer.finish === 'content-filter') {
    const message = 'the provider refused to answer (content filter)';
    return { next: { kind: 'fail', error: 'engine', message }, streaks };
  }
  if (answer.finish === 'length') return cutOff({ ...streaks, empty: 0, cut: streaks.cut + 1 });
  if (answer.calls.length > 0) {
    return { next: { kind: 'run', calls: answer.calls }, streaks: { ...streaks, empty: 0, cut: 0 } };
  }
  if (answer.finish === 'tool-calls') return nameless({ ...streaks, badRounds: streaks.badRounds + 1 });
  if (answer.text.trim() === '') return empty({ ...streaks, empty: streaks.empty + 1 });
  return { next: { kind: 'done', text: answer.text }, streaks: NO_STREAKS };
}

/** The streaks after a round of calls: it counts as bad when none of them could be run. */
export function afterRound(streaks: Streaks, ran: number): { streaks: Streaks; fail: Next | null } {
  const badRounds = ran === 0 ? streaks.badRounds + 1 : 0;
  return { streaks: { ...streaks, badRounds }, fail: badRounds >= PATIENCE.badRounds ? tooBad() : null };
}

function tooBad(): Next {
  const message = `no tool call could be run ${PATIENCE.badRounds} times in a row (malformed, unknown, or with wrong arguments)`;
  return { kind: 'fail', error: 'loop', message };
}

function cutOff(streaks: Streaks): { next: Next; streaks: Streaks } {
  if (streaks.cut < PATIENCE.cut) return { next: { kind: 'nudge', keep: 'text', say: CUT }, streaks };
  const message = `${streaks.cut} answers in a row were cut off at the output limit`;
  return { next: { kind: 'fail', error: 'engine', message }, streaks };
}

function nameless(streaks: Streaks): { next: Next; streaks: Streaks } {
  if (streaks.badRounds >= PATIENCE.badRounds) return { next: tooBad(), streaks };
  return { next: { kind: 'nudge', keep: 'text', say: NAMELESS }, streaks };
}

function empty(streaks: Streaks): { next: Next; streaks: Streaks } {
  if (streaks.empty >= PATIENCE.empty) {
    const message = `${streaks.empty} empty responses in a row`;
    return { next: { kind: 'fail', error: 'empty', message }, streaks };
  }
  return { next: { kind: 'nudge', keep: 'nothing', say: streaks.empty === 1 ? EMPTY : null }, streaks };
}
