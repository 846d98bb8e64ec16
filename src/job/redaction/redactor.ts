import type { KnownSecret } from './known.ts';
import { type Found, Matcher } from './matcher.ts';
import { replaceSpans } from './spans.ts';

/** Bytes in, bytes out; what may be the beginning of a secret is held back until that is known. */
export interface RedactingStream {
  write(chunk: Uint8Array): Uint8Array;
  /** The rest. The stream may be written to again afterwards. */
  end(): Uint8Array;
}

/**
 * Takes secrets out of what is written about a job; never out of its work. The same text always becomes the
 * same, and what has been redacted stays as it is.
 */
export interface Redactor {
  /** Without the known secrets, and without what looks like one. */
  text(text: string): string;
  /** Without the known secrets alone. */
  known(text: string): string;
  stream(): RedactingStream;
  /** More secrets, known from now on. */
  learn(values: readonly KnownSecret[]): void;
  /** What `text` would hide, by kind. */
  kindsIn(text: string): string[];
}

/** A redactor for these values; without any it knows secrets by their form alone. */
export function createRedactor({ values }: { readonly values: readonly KnownSecret[] }): Redactor {
  let known = [...values];
  let matcher = new Matcher(known);
  const without = (text: string, { spans }: Found): string => replaceSpans(text, spans, 0, text.length);
  return {
    text: (text) => without(text, matcher.find(text)),
    known: (text) => without(text, matcher.find(text, 'known')),
    stream: () => new Stream((text) => matcher.find(text)),
    learn(given) {
      const before = new Set(known.map(identity));
      const more = given.filter((secret) => !before.has(identity(secret)));
      if (more.length === 0) return;
      known = [...known, ...more];
      matcher = new Matcher(known);
    },
    kindsIn: (text) => [...new Set(matcher.find(text).spans.map(({ kind }) => kind))],
  };
}

function identity({ kind, value, whole, alone }: KnownSecret): string {
  return `${kind} ${whole ?? ''} ${alone ?? ''} ${value}`;
}

/** What a rule may have to see of the text before. */
const LOOK_BACK = 64;

/** Works on Latin-1, in which every byte is one character, so that no byte is changed on the way. */
class Stream implements RedactingStream {
  readonly #find: (text: string) => Found;
  /** What was written just before what is held. */
  #before = '';
  #held = '';

  constructor(find: (text: string) => Found) {
    this.#find = find;
  }

  write(chunk: Uint8Array): Uint8Array {
    this.#held += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    return this.#release(false);
  }

  end(): Uint8Array {
    return this.#release(true);
  }

  #release(all: boolean): Uint8Array {
    const text = this.#before + this.#held;
    const from = this.#before.length;
    const { spans, open } = this.#find(text);
    let until = all ? text.length : Math.max(from, open);
    // What begins before and ends after is not decided either.
    for (const { start, end } of spans) if (end > until && start < until) until = Math.max(from, start);
    const out = replaceSpans(text, spans, from, until);
    this.#before = text.slice(Math.max(0, until - LOOK_BACK), until);
    this.#held = text.slice(until);
    return Buffer.from(out, 'latin1');
  }
}
