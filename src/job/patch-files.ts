/** What a patch says of one path. A change of type (file to link) is two pieces of git's, and one of ours. */
export interface PatchFile {
  readonly path: string;
  /** The piece as git printed it, its header included. */
  readonly text: string;
}

const START = 'diff --git ';

/**
 * The pieces of a patch of git (`--no-renames`, prefixes `a/` and `b/`), in its order. No line of a piece begins like
 * its header: content lines have a sign before them, and lines of a binary patch no space.
 */
export function splitPatch(patch: string): PatchFile[] {
  const pieces = new Map<string, string>();
  for (const piece of piecesOf(patch)) {
    const path = pathOf(piece.slice(0, lineEnd(piece)));
    pieces.set(path, (pieces.get(path) ?? '') + piece);
  }
  return [...pieces].map(([path, text]) => ({ path, text }));
}

function piecesOf(patch: string): string[] {
  const starts: number[] = [];
  for (
    let at = patch.startsWith(START) ? 0 : next(patch, 0);
    at !== -1;
    at = next(patch, at + START.length)
  ) {
    starts.push(at);
  }
  return starts.map((start, index) => patch.slice(start, starts[index + 1] ?? patch.length));
}

function next(patch: string, from: number): number {
  const found = patch.indexOf(`\n${START}`, from);
  return found === -1 ? -1 : found + 1;
}

function lineEnd(text: string): number {
  const end = text.indexOf('\n');
  return end === -1 ? text.length : end;
}

/** Without renames both names are the same, so the line falls into two halves, whatever is in them. */
function pathOf(header: string): string {
  const names = header.slice(START.length);
  const half = names.slice(0, (names.length - 1) / 2);
  return (half.startsWith('"') ? unquoted(half) : half).replace(/^a\//, '');
}

const LETTERS: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** git's quoting of names, as in C: letters, octal bytes, and the character itself. */
function unquoted(quoted: string): string {
  const bytes: number[] = [];
  const inner = quoted.slice(1, -1);
  for (const [whole, octal, letter] of inner.matchAll(/\\([0-7]{3})|\\([\s\S])|[^\\]/gu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(...(LETTERS[letter] ? [LETTERS[letter]] : utf8(letter)));
    else bytes.push(...utf8(whole));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
