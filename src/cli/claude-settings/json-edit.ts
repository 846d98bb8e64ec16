import { memberOf, type Node, type Place, placesOf } from './json-text.ts';

/** A change of a JSON text: everything else keeps its bytes. */

/** Sets a member of the object at `path` (`[]` is the whole), making the objects on the way. */
export function setMember(text: string, path: readonly string[], key: string, value: unknown): string {
  const owner = nodeAt(text, path);
  if (owner === null) {
    const last = path.at(-1) ?? '';
    return setMember(text, path.slice(0, -1), last, { [key]: value });
  }
  const there = memberOf(owner, key);
  const style = styleOf(text, owner, path.length);
  const written = indented(value, style);
  if (there !== undefined) return spliced(text, there.value, written);
  return inserted(
    text,
    owner,
    owner.kind === 'object' ? owner.members : [],
    style,
    `${JSON.stringify(key)}: ${written}`,
  );
}

/** The same with a value as it stood in a file. */
export function setMemberText(text: string, key: string, written: string): string {
  const there = memberOf(placesOf(text), key);
  return there === undefined
    ? setMember(text, [], key, JSON.parse(written))
    : spliced(text, there.value, written);
}

/** Removes a member of the object at `path`, with its comma. The text as it was when there is none. */
export function removeMember(text: string, path: readonly string[], key: string): string {
  const owner = nodeAt(text, path);
  const there = owner === null ? undefined : memberOf(owner, key);
  if (owner?.kind !== 'object' || there === undefined) return text;
  return withoutElement(text, owner, owner.members, owner.members.indexOf(there));
}

/** Adds a value to the array at `path`, which must be there. */
export function addItem(text: string, path: readonly string[], value: unknown): string {
  const owner = nodeAt(text, path);
  if (owner?.kind !== 'array') throw new Error(`no list at ${path.join('.')}`);
  const style = styleOf(text, owner, path.length);
  return inserted(text, owner, owner.items, style, indented(value, style));
}

/** Removes the last item of the array at `path` that is this string. The text as it was when there is none. */
export function removeItem(text: string, path: readonly string[], value: string): string {
  const owner = nodeAt(text, path);
  if (owner?.kind !== 'array') return text;
  const at = owner.items.findLastIndex((item) => JSON.parse(text.slice(item.start, item.end)) === value);
  return at === -1 ? text : withoutElement(text, owner, owner.items, at);
}

/** The value at `path` as it stands in the text; null when there is none. */
export function textAt(text: string, path: readonly string[]): string | null {
  const node = nodeAt(text, path);
  return node === null ? null : text.slice(node.start, node.end);
}

function nodeAt(text: string, path: readonly string[]): Node | null {
  let node: Node = placesOf(text);
  for (const key of path) {
    const member = memberOf(node, key);
    if (member === undefined) return null;
    node = member.value;
  }
  return node;
}

interface Style {
  /** null: all on one line. */
  readonly unit: string | null;
  /** Before an element of the owner. */
  readonly inner: string;
  /** Before the owner's closing bracket. */
  readonly outer: string;
  readonly lineBreak: string;
}

/** How the file is written: by its first indented line; two blanks where there is none. */
function styleOf(text: string, owner: Node, depth: number): Style {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /^\{[ \t]*\r?\n([ \t]+)"/.exec(text.trimStart())?.[1] ?? '  ';
  const outer = unit.repeat(depth);
  const elements = owner.kind === 'object' ? owner.members : owner.kind === 'array' ? owner.items : [];
  const oneLine = elements.length > 0 && !text.slice(owner.start, owner.end).includes('\n');
  return { unit: oneLine ? null : unit, inner: `${outer}${unit}`, outer, lineBreak };
}

function indented(value: unknown, { unit, inner, lineBreak }: Style): string {
  if (unit === null) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll('\n', `${lineBreak}${inner}`);
}

function inserted(
  text: string,
  owner: Place,
  elements: readonly Place[],
  style: Style,
  element: string,
): string {
  const { unit, inner, outer, lineBreak } = style;
  const last = elements.at(-1);
  if (last !== undefined) {
    const before = unit === null ? ', ' : `,${lineBreak}${inner}`;
    return spliced(text, { start: last.end, end: last.end }, `${before}${element}`);
  }
  const [open, close] = [text[owner.start], text[owner.end - 1]];
  return spliced(text, owner, `${open}${lineBreak}${inner}${element}${lineBreak}${outer}${close}`);
}

function withoutElement(text: string, owner: Place, elements: readonly Place[], at: number): string {
  const [before, gone, after] = [elements[at - 1], elements[at], elements[at + 1]];
  if (gone === undefined) return text;
  if (before !== undefined) return spliced(text, { start: before.end, end: gone.end }, '');
  if (after !== undefined) return spliced(text, { start: gone.start, end: after.start }, '');
  return spliced(text, { start: owner.start + 1, end: owner.end - 1 }, '');
}

function spliced(text: string, { start, end }: Place, replacement: string): string {
  return `${text.slice(0, start)}${replacement}${text.slice(end)}`;
}
