/** More than so many are too many to be judged one by one: the rest is part of the last. */
const MOST_CRITERIA = 40;

const MARKER = /^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s*)?(.*)$/;

/**
 * A definition of done as criteria: its bullets or numbered lines, with what is indented below them; or all of it as
 * one where there are none. Words before the first bullet count too, unless they only announce the list (`…:`)
 * or are a heading. Never empty for a text that is not blank.
 */
export function criteriaOf(done: string): string[] {
  const blocks = blocksOf(done);
  const hasItems = blocks.some(({ isItem }) => isItem);
  const wanted = blocks
    .filter(({ isItem, text }) => isItem || !hasItems || isCriterion(text))
    .map(({ text }) => text)
    .filter((text) => text !== '');
  // The same words twice are one criterion: nobody could say which of them was judged.
  const found = [...new Set(wanted)];
  if (found.length <= MOST_CRITERIA) return found;
  return [...found.slice(0, MOST_CRITERIA - 1), found.slice(MOST_CRITERIA - 1).join('; ')];
}

interface Block {
  readonly isItem: boolean;
  readonly text: string;
}

function blocksOf(done: string): Block[] {
  const blocks: { isItem: boolean; lines: string[] }[] = [];
  let indent: number | null = null;
  let isFenced = false;
  for (const line of done.split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) isFenced = !isFenced;
    const [, spaces = '', text = ''] = (isFenced ? null : MARKER.exec(line)) ?? [];
    const isItem = text !== '' && (indent === null || spaces.length <= indent);
    const last = blocks.at(-1);
    if (isItem) {
      indent = spaces.length;
      blocks.push({ isItem, lines: [text] });
    } else if (last === undefined || (last.isItem && !isFenced && startsAnew(line, last.lines))) {
      blocks.push({ isItem: false, lines: [line] });
    } else {
      last.lines.push(line);
    }
  }
  return blocks.map(({ isItem, lines }) => ({ isItem, text: oneSpace(lines.join('\n')) }));
}

/** A paragraph at the margin, after an empty line, belongs to no bullet. */
function startsAnew(line: string, lines: readonly string[]): boolean {
  return /^\S/.test(line) && lines.at(-1)?.trim() === '';
}

function isCriterion(text: string): boolean {
  return text !== '' && !text.endsWith(':') && !text.startsWith('#');
}

function oneSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
