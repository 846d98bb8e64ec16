import { Anchors } from './anchors.ts';
import { CONTEXT_RULES } from './context-rules.ts';
import { compareForm, type Form, formsOf } from './forms.ts';
import type { KnownSecret } from './known.ts';
import type { Rule } from './rule.ts';
import { addSpan, covers, type Span } from './spans.ts';
import { TOKEN_RULES } from './token-rules.ts';

export const RULES: readonly Rule[] = [...TOKEN_RULES, ...CONTEXT_RULES];

/** What was found in a text. From `open` on it may change with what comes after the text. */
export interface Found {
  readonly spans: readonly Span[];
  readonly open: number;
}

type Wanted = { readonly form: Form } | { readonly rule: Rule };

const NONE: readonly Wanted[] = [];

/** So much of a form is looked for; the rest is compared. */
const ANCHOR_LENGTH = 16;
/** An unfinished line, or a block that may go on over lines, is not waited for beyond this. */
const LONGEST_LINE = 4096;
const LONGEST_BLOCK = 16_384;

/** Finds the known secrets in a text, and what looks like one, in one pass. */
export class Matcher {
  /** By the number of their anchor: lines of one file often begin alike. */
  readonly #wanted: readonly (readonly Wanted[])[];
  readonly #anchors: Anchors;

  constructor(values: readonly KnownSecret[]) {
    const wanted = new Map<string, Wanted[]>();
    const want = (anchor: string, one: Wanted): void => {
      const same = wanted.get(anchor);
      if (same === undefined) wanted.set(anchor, [one]);
      else same.push(one);
    };
    for (const form of values.flatMap(formsOf)) {
      want(form.text.slice(0, Math.min(ANCHOR_LENGTH, form.least)), { form });
    }
    for (const rule of RULES) for (const anchor of rule.anchors) want(anchor, { rule });
    this.#wanted = [...wanted.values()];
    this.#anchors = new Anchors([...wanted.keys()]);
  }

  /** `known`: only the values the runner knows, whatever else looks like a secret. */
  find(text: string, what: 'all' | 'known' = 'all'): Found {
    const spans: Span[] = [];
    let open = text.length;
    const goesOnAfter = openAfter(text);
    const look = (wanted: Wanted, start: number): void => {
      if ('form' in wanted) {
        const { end, open: goesOn } = compareForm(wanted.form, text, start);
        if (end !== null) addSpan(spans, { start, end, kind: wanted.form.kind, known: true });
        if (goesOn) open = Math.min(open, start);
      } else if (what === 'all' && !covers(spans, start)) {
        const span = tryRule(wanted.rule, text, start);
        if (span !== null) addSpan(spans, span);
        if (start > goesOnAfter(wanted.rule)) open = Math.min(open, start);
      }
    };
    const unfinished = this.#anchors.scan(text, (anchor, start) => {
      for (const wanted of this.#wanted[anchor] ?? NONE) look(wanted, start);
    });
    return { spans, open: Math.min(open, unfinished) };
  }
}

function tryRule({ kind, pattern, accept }: Rule, text: string, start: number): Span | null {
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  if (match === null) return null;
  const [from, to] = match.indices?.groups?.secret ?? [start, start + match[0].length];
  if (accept !== undefined && !accept(text.slice(from, to))) return null;
  return { start: from, end: to, kind, known: false };
}

/** After which place in a text more of it could make a match of a rule, or a longer one. */
function openAfter(text: string): (rule: Rule) => number {
  const line = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'), text.length - LONGEST_LINE);
  const closed = text.lastIndexOf('-----END ', text.lastIndexOf('-----') - 1);
  const block = Math.max(closed, text.length - LONGEST_BLOCK);
  return ({ manyLines }) => (manyLines ? block : line);
}
