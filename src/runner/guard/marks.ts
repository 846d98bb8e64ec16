/** Stand for what the text alone does not tell; private-use characters, which no command is made of. */
export const UNKNOWN = '\uE000';
/** `*` and `?` (or a set) where the shell would look for files. */
export const ANY = '\uE001';
export const ONE = '\uE002';

export function isKnown(text: string): boolean {
  return !/[\uE000-\uE002]/.test(text);
}

/** Could a text with marks be `wanted`? Not when it is nothing but marks: then it could be anything. */
export function couldBe(text: string, wanted: string): boolean {
  if (isKnown(text)) return text === wanted;
  if (!/[^\uE000-\uE002]/.test(text) || text.length > 40) return false;
  const pattern = text
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replace(/[\uE000\uE001]+/g, '.*')
    .replaceAll(ONE, '.');
  return new RegExp(`^${pattern}$`, 's').test(wanted);
}
