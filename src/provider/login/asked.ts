import type { Answered } from './ask.ts';
import type { PollAnswer } from './device-flow.ts';
import type { SavedLogin } from './saved-logins.ts';

/** What a service said to a question about a login. */
export type Asked<T> =
  | { readonly kind: 'ok'; readonly value: T }
  /** Final: the same question will get the same answer. `over`: the login itself is no good any more. */
  | { readonly kind: 'refused'; readonly over: boolean; readonly why: string }
  /** No answer, a broken service, or an answer nobody can read. */
  | { readonly kind: 'unclear'; readonly why: string };

/** A flow that has begun: what the person is shown, and what is asked with. */
export interface Begun {
  /** Sent with every poll; a secret. */
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly intervalMs: number | null;
  readonly lifeMs: number;
}

/** One poll's answer; with the login, once it is there. */
export type Polled =
  | Exclude<PollAnswer, { kind: 'authorized' }>
  | { readonly kind: 'authorized'; readonly login: SavedLogin };

/** What to say of an answer that is none of those a service documents. */
export function unclear(answered: Answered): { readonly kind: 'unclear'; readonly why: string } {
  if (answered.kind === 'silent') return { kind: 'unclear', why: answered.why };
  const { status } = answered;
  const why = status >= 200 && status < 300 ? 'its answer is of another form' : `it answered ${status}`;
  return { kind: 'unclear', why };
}

/** The word of OAuth for what went wrong (RFC 6749, section 5.2); null without one. */
export function errorWord(value: unknown): string | null {
  const error = field(value, 'error');
  const word = typeof error === 'string' ? error : field(error, 'code');
  return typeof word === 'string' && /^[a-z0-9_.-]{1,64}$/i.test(word) ? word : null;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
