import { Refusal } from './files-result.ts';
import { type Encoding, encode, encodingOf } from './files-text.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export interface Edited {
  readonly bytes: Buffer;
  readonly count: number;
  /** The first changed line, counted from 1. */
  readonly line: number;
}

/**
 * Replaces exact text in a file's bytes; pure. Every byte that is not replaced stays as it is, whatever the
 * encoding. In a file with CRLF line ends, text with LF matches too, and new lines get CRLF (GIT-17).
 * Throws a Refusal that tells the model what to do.
 */
export function editBytes(file: Uint8Array, edit: Edit, path: string): Edited {
  if (edit.oldText === '') throw new Refusal('no_match', 'oldText is empty; use write to make a file');
  if (edit.oldText === edit.newText) throw new Refusal('no_change', 'oldText and newText are the same');
  const content = Buffer.from(file).toString('latin1');
  const found = findForm(content, file, edit);
  if (found === null) throw new Refusal('no_match', noMatch(content, edit.oldText, path));
  const { needle, replacement, places } = found;
  if (places.length > 1 && !edit.replaceAll)
    throw new Refusal('many_matches', manyMatches(content, places, path));
  const replaced = content.split(needle).join(replacement);
  if (replaced === content) throw new Refusal('no_change', `the edit would leave ${path} as it is`);
  const line = lineOf(content, places[0] ?? 0);
  return { bytes: Buffer.from(replaced, 'latin1'), count: places.length, line };
}

/** All three are one character for one byte. */
interface Form {
  readonly needle: string;
  readonly replacement: string;
  readonly places: readonly number[];
}

function findForm(content: string, file: Uint8Array, edit: Edit): Form | null {
  const encodings: Encoding[] = encodingOf(file) === 'utf8' ? ['utf8'] : ['utf8', 'latin1'];
  for (const encoding of encodings) {
    for (const oldText of new Set([edit.oldText, withCrlf(edit.oldText)])) {
      const needle = encode(oldText, encoding)?.toString('latin1');
      const places = needle === undefined ? [] : placesOf(content, needle);
      if (needle === undefined || places.length === 0) continue;
      const newText = endsInCrlf(content, oldText) ? withCrlf(edit.newText) : edit.newText;
      const replacement = encode(newText, encoding)?.toString('latin1');
      if (replacement === undefined) {
        throw new Refusal('bad_text', 'the file is not UTF-8 and newText has characters it cannot hold');
      }
      return { needle, replacement, places };
    }
  }
  return null;
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** What was matched decides; where it is within one line, most of the file's line ends do. */
function endsInCrlf(content: string, matched: string): boolean {
  if (matched.includes('\n')) return matched.includes('\r\n');
  const crlf = placesOf(content, '\r\n').length;
  return crlf > placesOf(content, '\n').length - crlf;
}

/** Where `needle` begins, not overlapping. */
function placesOf(content: string, needle: string): number[] {
  const places: number[] = [];
  for (let at = content.indexOf(needle); at >= 0; at = content.indexOf(needle, at + needle.length)) {
    places.push(at);
  }
  return places;
}

const MOST_NAMED = 5;

function manyMatches(content: string, places: readonly number[], path: string): string {
  const lines = places.slice(0, MOST_NAMED).map((place) => lineOf(content, place));
  const more = places.length > MOST_NAMED ? ', ...' : '';
  return (
    `oldText occurs ${places.length} times in ${path} (lines ${lines.join(', ')}${more}); ` +
    'give more lines around it so that it occurs once, or set replaceAll'
  );
}

function noMatch(content: string, oldText: string, path: string): string {
  const plain = `oldText does not occur in ${path}; it must match exactly, white space included`;
  const wanted = Buffer.from(oldText.trim().split('\n')[0]?.trim() ?? '').toString('latin1');
  const line = wanted === '' ? 0 : content.split('\n').findIndex((each) => each.includes(wanted)) + 1;
  return line === 0
    ? `${plain}; read the file again`
    : `${plain}; its first line is at line ${line}: read from there`;
}

function lineOf(content: string, place: number): number {
  return placesOf(content.slice(0, place), '\n').length + 1;
}
