import { Refusal } from './files-result.ts';

const MOST_CHARACTERS = 1_000;

/**
 * A glob as a regular expression over relative paths with `/`: `*` and `?` stay within a name, `**` as a whole
 * name crosses folders, `[a-z]` `[!a]` and `{a,b}` as in a shell. A pattern without `/` matches names in
 * every folder. Throws a Refusal `bad_pattern`.
 */
export function globToRegExp(pattern: string): RegExp {
  if (pattern.length > MOST_CHARACTERS) throw new Refusal('bad_pattern', 'the glob is too long');
  const trimmed = pattern.replace(/^(?:\.\/)+/, '');
  const anywhere = trimmed.includes('/') ? '' : '(?:.*/)?';
  const source = trimmed.replace(
    TOKEN,
    (token) => TRANSLATE.find(([form]) => form.test(token))?.[1](token) ?? '',
  );
  try {
    return new RegExp(`^${anywhere}${groups(source)}$`, 's');
  } catch {
    // Its own words speak of the expression we made, not of what was asked.
    throw new Refusal('bad_pattern', `${pattern} is not a glob`);
  }
}

/** Runs of stars are one star: many in a row would only make the matching slow. */
const TOKEN = /(?<=^|\/)\*\*\/|(?<=^|\/)\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[{},[]|[^*?[\\{},]/gs;

const OPEN = '\u0001';
const CLOSE = '\u0002';
const COMMA = '\u0003';

const TRANSLATE: readonly (readonly [RegExp, (token: string) => string])[] = [
  [/^\*\*\/$/, () => '(?:.*/)?'],
  [/^\*\*$/, () => '.*'],
  [/^\*+$/, () => '[^/]*'],
  [/^\?$/, () => '[^/]'],
  [/^\[.+\]$/s, (token) => `(?!/)${token.replace(/^\[!/, '[^').replace(/\\/g, '\\\\')}`],
  [/^\{$/, () => OPEN],
  [/^\}$/, () => CLOSE],
  [/^,$/, () => COMMA],
  [/^\\/, (token) => literal(token.slice(1))],
  [/^/, literal],
];

/** Braces that pair up make a group; others, and commas outside of one, mean themselves. */
function groups(source: string): string {
  const simple = new RegExp(`${OPEN}([^${OPEN}${CLOSE}]*)${CLOSE}`);
  let text = source;
  for (let found = simple.exec(text); found !== null; found = simple.exec(text)) {
    text = text.replace(simple, (_, inner: string) => `(?:${inner.replaceAll(COMMA, '|')})`);
  }
  return text.replaceAll(OPEN, '\\{').replaceAll(CLOSE, '\\}').replaceAll(COMMA, ',');
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
