import type { KnownSecret } from './known.ts';

/** One way in which a known secret may stand in a text. */
export interface Form {
  readonly kind: string;
  /** Without line breaks: one within a text does not hide a secret. */
  readonly text: string;
  /** So many characters of it are enough: a text may have been cut within a secret. */
  readonly least: number;
}

/** Below this a part of a secret could be anything. */
const SHORTEST_PART = 12;

/**
 * The forms of a secret: as it is (also its first or last half alone), as UTF-8 bytes read one by one, in base64
 * and base64url wherever in the encoded text it begins, in hexadecimal, in a URL, in a JSON string.
 */
export function formsOf({ value, kind, whole }: KnownSecret): Form[] {
  const plain = joined(value);
  if (plain === '') return [];
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
  for (let at = start; matched < form.text.length; at += 1) {
    if (at >= text.length) return { end: matched >= form.least ? end : null, open: true };
    const code = text.charCodeAt(at);
    if (code === LINE_FEED || code === CARRIAGE_RETURN) continue;
    if (code !== form.text.charCodeAt(matched)) break;
    matched += 1;
    end = at + 1;
  }
  return { end: matched >= form.least ? end : null, open: false };
}

export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
