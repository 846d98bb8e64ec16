/** A part of a text that is to be redacted: from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
  /** A value the runner knows, not one that only looks like a secret. */
  readonly known: boolean;
}

/** Adds a span to spans that are apart and in order; those it overlaps become one with it. */
export function addSpan(spans: Span[], added: Span): void {
  let one = added;
  const later: Span[] = [];
  for (let last = spans.at(-1); last !== undefined && last.end > one.start; last = spans.at(-1)) {
    spans.pop();
    if (last.start >= one.end) later.unshift(last);
    else one = united(last, one);
  }
  spans.push(one, ...later);
}

/** Named by what is known, else by the one that says more: the later of two rules about the same text. */
function united(first: Span, second: Span): Span {
  const covered = second.start <= first.start && second.end >= first.end;
  const named = first.known === second.known ? (covered ? second : first) : first.known ? first : second;
  return { ...named, start: Math.min(first.start, second.start), end: Math.max(first.end, second.end) };
}

/** Is this place in one of the spans? They are apart and in order; only the last few are asked about. */
export function covers(spans: readonly Span[], at: number): boolean {
  for (let index = spans.length - 1; index >= 0; index -= 1) {
    const span = spans[index];
    if (span === undefined || span.end <= at) return false;
    if (span.start <= at) return true;
  }
  return false;
}

/** The text from `from` to before `to`, with a mark in the place of each span. */
export function replaceSpans(text: string, spans: readonly Span[], from: number, to: number): string {
  const parts: string[] = [];
  let at = from;
  for (const { start, end, kind } of spans) {
    if (end <= from || start >= to) continue;
    parts.push(text.slice(at, Math.max(at, start)), mark(kind));
    at = Math.max(at, end);
  }
  return parts.length === 0 ? text.slice(from, to) : parts.join('') + text.slice(at, to);
}

/** What stands in a secret's place: always the same for the same kind, of characters that need no escaping. */
export function mark(kind: string): string {
  return `[redacted:${kind}]`;
}
