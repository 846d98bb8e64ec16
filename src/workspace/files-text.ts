import { isUtf8 } from 'node:buffer';

/** How a file's bytes are shown to the model and read back from it. Latin-1 gives every byte a character. */
export type Encoding = 'utf8' | 'latin1';

const SNIFF_BYTES = 8_000;

/** As git sees it: a NUL among the first 8,000 bytes. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFF_BYTES).includes(0);
}

export function encodingOf(bytes: Uint8Array): Encoding {
  return isUtf8(bytes) ? 'utf8' : 'latin1';
}

/** `text` as bytes, or null where the encoding has no bytes for it. */
export function encode(text: string, encoding: Encoding): Buffer | null {
  const lost = encoding === 'latin1' && /[\u0100-\uffff]/.test(text);
  return lost ? null : Buffer.from(text, encoding);
}

export interface Slice {
  readonly text: string;
  /** The first and the last line shown, counted from 1; last < first when nothing is. */
  readonly first: number;
  readonly last: number;
  readonly lines: number;
}

/** Lines `first` and on, at most `count` of them and at most `maxCharacters`; a longer line is cut. */
export function sliceLines(text: string, first: number, count: number, maxCharacters: number): Slice {
  const lines = text.split('\n');
  // A last line break ends a line; it does not begin one.
  if (lines.at(-1) === '') lines.pop();
  const taken: string[] = [];
  let left = maxCharacters;
  for (const line of lines.slice(first - 1, first - 1 + count)) {
    if (left <= 0) break;
    taken.push(line.length > left ? `${line.slice(0, left)} [line cut: ${line.length} characters]` : line);
    left -= line.length + 1;
  }
  return { text: taken.join('\n'), first, last: first + taken.length - 1, lines: lines.length };
}
