import { type Document, isMap, isScalar, parseDocument } from 'yaml';
import { EXIT, UserError } from '../job/user-error.ts';

/**
 * Parses a YAML file of ours into a document that keeps comments and order. Throws UserError (exit 6) with
 * file, line and column; the file's own text is never repeated, since it may hold a secret.
 */
export function parseYaml(path: string, text: string): Document {
  const document = parseDocument(text, { prettyErrors: true, logLevel: 'error' });
  const broken = document.errors[0];
  if (broken !== undefined) {
    const at = broken.linePos?.[0];
    throw corrupt(path, at === undefined ? null : [at.line, at.col], SAYINGS[broken.code] ?? broken.code);
  }
  if (document.contents !== null && !isMap(document.contents)) {
    const empty = isScalar(document.contents) && document.contents.value === null;
    if (!empty) throw corrupt(path, [1, 1], 'the file is not a group of "key: value" lines');
    document.contents = null;
  }
  return document;
}

/** The plain values of a document; an empty file is an empty group. Throws UserError (exit 6). */
export function valuesOf(path: string, document: Document): Record<string, unknown> {
  const values = toPlain(path, document);
  if (values === null || values === undefined) return {};
  if (typeof values !== 'object')
    throw corrupt(path, [1, 1], 'the file is not a group of "key: value" lines');
  return Object.fromEntries(Object.entries(values));
}

function toPlain(path: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch (error) {
    // The library throws for aliases without an anchor and for those that would blow up.
    if (error instanceof ReferenceError) throw corrupt(path, null, 'an alias (*name) cannot be resolved');
    throw error;
  }
}

/** The text of an edited document. Long lines are not folded and lists keep their form. */
export function yamlText(document: Document): string {
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** Removes a key. A comment above the first key of the file belongs to the file and stays. */
export function removeKey(document: Document, path: readonly string[]): void {
  const map = document.contents;
  const first = isMap(map) ? map.items[0] : undefined;
  const comment =
    isMap(map) &&
    first !== undefined &&
    path.length === 1 &&
    isScalar(first.key) &&
    first.key.value === path[0]
      ? first.key.commentBefore
      : undefined;
  document.deleteIn(path);
  if (typeof comment === 'string') {
    document.commentBefore = [document.commentBefore, comment].filter(Boolean).join('\n');
  }
}

function corrupt(path: string, at: readonly [number, number] | null, why: string): UserError {
  return new UserError({
    code: 'corrupt_file',
    what: `this file is not valid YAML: ${why}`,
    value: at === null ? path : `${path}:${at[0]}:${at[1]}`,
    remedy: 'correct it there, or move the file away and start anew; it was not changed',
    exit: EXIT.environment,
  });
}

const SAYINGS: Readonly<Record<string, string>> = {
  BAD_INDENT: 'wrong indentation',
  BAD_ALIAS: 'a broken alias',
  BLOCK_AS_IMPLICIT_KEY: 'two keys on one line, or wrong indentation',
  DUPLICATE_KEY: 'the same key twice',
  MISSING_CHAR: 'a bracket, quote or separator is missing',
  MULTILINE_IMPLICIT_KEY: 'a key over several lines; a ":" may be missing',
  TAB_AS_INDENT: 'a tab used as indentation',
  UNEXPECTED_TOKEN: 'a character that may not stand here',
  MULTIPLE_DOCS: 'more than one document (---)',
};
