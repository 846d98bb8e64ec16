import type { KnownSecret } from './known.ts';

/** One way in which a known secret may stand in a text. */
export interface Form {
  readonly kind: string;
  /** Without line breaks: one within a text does not hide a secret. */
  readonly text: string;
  /** So many characters of it are enough: a text may have been cut within a secret. */
  readonly least: number;
  /** Only as a line of its own. */
  readonly alone?: true;
}

/** Below this a part of a secret could be anything. */
const SHORTEST_PART = 12;

/**
 * The forms of a secret: as it is (also its first or last half alone), as UTF-8 bytes read one by one, in base64
 * and base64url wherever in the encoded text it begins, in hexadecimal, in a URL, in a JSON string.
 */
export function formsOf({ value, kind, whole, alone }: KnownSecret): Form[] {
  const plain = joined(value);
  if (plain === '') return [];
  if (alone) return [{ kind, text: plain, least: plain.length, alone }];
  if (whole) {
    const texts = new Set([plain, JSON.stringify(plain).slice(1, -1)]);
    return [...texts].map((text) => ({ kind, text, least: text.length }));
  }
  const half = Math.max(SHORTEST_PART, Math.ceil(plain.length / 2));
  const lastHalf = plain.slice(-half);
  // In an address half of it is often no secret at all.
  const least = half < plain.length && !plain.includes('://') ? half : plain.length;
  const forms: Form[] = [{ kind, text: plain, least }];
  if (least < plain.length) forms.push({ kind, text: lastHalf, least: lastHalf.length });
  for (const text of encodings(value)) forms.push({ kind, text, least: text.length });
  const seen = new Set<string>();
  return forms.filter(({ text }) => !seen.has(text) && seen.add(text));
}

function encodings(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset));
  const escaped = JSON.stringify(value).slice(1, -1);
  return [
    bytes.toString('latin1'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    encodeURIComponent(value),
    escaped,
    escaped.replaceAll('/', '\\/'),
  ]
    .map(joined)
    .filter((text) => text.length >= 6);
}

/** The characters of the encoding that depend on these bytes alone, when `offset` bytes of 3 come before. */
function base64Core(bytes: Uint8Array, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function joined(text: string): string {
  return text.replace(/[\r\n]/g, '');
}

/** How a form fits a text at a place. `open`: the text ended before that could be told. */
export interface Fit {
  readonly end: number | null;
  readonly open: boolean;
}

/** Compares a form with a text from `start` on; line breaks in the text do not count. */
export function compareForm(form: Form, text: string, start: number): Fit {
  let matched = 0;
  let end = start;
  if (form.alone && !beginsLine(text, start)) return { end: null, open: false };
  for (let at = start; matched < form.text.length; at += 1) {
    if (at >= text.length) return { end: matched >= form.least ? end : null, open: true };
    const code = text.charCodeAt(at);
    if (code === LINE_FEED || code === CARRIAGE_RETURN) continue;
    if (code !== form.text.charCodeAt(matched)) break;
    matched += 1;
    end = at + 1;
  }
  if (matched < form.least) return { end: null, open: false };
  return form.alone ? endingLine(text, end) : { end, open: false };
}

/** Is there nothing before it on its line but blanks, and the mark of a diff? */
function beginsLine(text: string, start: number): boolean {
  for (let at = start - 1; at >= Math.max(0, start - MOST_BLANKS); at -= 1) {
    const character = text.charAt(at);
    if (character === '\n' || character === '\r') return true;
    if (!BEFORE_LINE.includes(character)) return false;
  }
  return true;
}

function endingLine(text: string, end: number): Fit {
  const last = end + MOST_BLANKS;
  for (let at = end; at < Math.min(text.length, last); at += 1) {
    const character = text.charAt(at);
    if (character === '\n' || character === '\r') return { end, open: false };
    if (character !== ' ' && character !== '\t') return { end: null, open: false };
  }
  return { end, open: text.length < last };
}

/** Beyond these it counts as a line of its own; a stream remembers no more. */
const MOST_BLANKS = 60;
const BEFORE_LINE = ' \t+-';

export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
