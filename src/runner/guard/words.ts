import type { DoubleQuotedChild, ParameterExpansionPart, Word, WordPart } from 'unbash';
import { Fields } from './fields.ts';
import { ANY, ONE, UNKNOWN } from './marks.ts';
import type { Scope } from './scope.ts';

/** What a command substitution would print; null when the text does not tell. */
export type Substitute = (part: WordPart) => string | null;

const MAX_FIELDS = 100;
const MAX_LENGTH = 20_000;

/** The fields a shell would make of a word, with marks for what is not known. */
export function fieldsOf(word: Word, scope: Scope, substitute: Substitute): string[] {
  const fields = new Fields();
  const parts = word.parts;
  if (parts === undefined) {
    fields.add(tilde(word.text, word.value, scope), true);
    return fields.all();
  }
  for (const [index, part] of parts.entries()) {
    if (part.type === 'Literal') {
      fields.add(index === 0 ? tilde(part.text, part.value, scope) : part.value, true);
    } else addPart(fields, part, scope, substitute);
  }
  return fields.all();
}

/** A word that the shell does not split: an assignment, a here-string, a target of a redirection. */
export function textOf(word: Word, scope: Scope, substitute: Substitute): string {
  return fieldsOf(word, scope, substitute).join(' ');
}

/** Parts that are joined without splitting: double quotes, the body of a here-document. */
export function joined(parts: readonly WordPart[], scope: Scope, substitute: Substitute): string {
  let text = '';
  for (const part of parts) {
    if (text.length > MAX_LENGTH) return text;
    const fields = new Fields();
    if (part.type === 'Literal') text += part.value;
    else {
      const values = expansion(part, scope, substitute);
      if (values === null) addPart(fields, part, scope, substitute);
      text += (values ?? fields.all()).join(' ');
    }
  }
  return text;
}

function addPart(fields: Fields, part: WordPart, scope: Scope, substitute: Substitute): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      fields.add(part.value, true);
      return;
    case 'DoubleQuoted':
    case 'LocaleString':
      addQuoted(fields, part.parts, scope, substitute);
      return;
    case 'Glob':
      fields.add(part.kind === 'star' ? ANY : bracket(part.text), true);
      return;
    case 'BraceExpansion':
      fields.alternatives(braces(part.text));
      return;
    case 'ExtendedGlob':
    case 'ProcessSubstitution':
    case 'ArithmeticExpansion':
      fields.add(UNKNOWN, true);
      return;
    default: {
      const values = expansion(part, scope, substitute) ?? [UNKNOWN];
      fields.split(values.flatMap((value) => (value === '' ? [] : value.split(/[ \t\n]+/))));
    }
  }
}

function addQuoted(
  fields: Fields,
  parts: readonly DoubleQuotedChild[],
  scope: Scope,
  substitute: Substitute,
): void {
  const [only, second] = parts;
  if (only !== undefined && second === undefined && /^\$(?:@|\{@\}|\{\w+\[@\]\})$/.test(only.text)) {
    const values = expansion(only, scope, substitute) ?? [UNKNOWN];
    fields.split(values);
    return;
  }
  fields.add(joined(parts, scope, substitute), true);
}

/** What a `$…` stands for; null for a part that is none. */
function expansion(part: WordPart, scope: Scope, substitute: Substitute): readonly string[] | null {
  const values = expand(part, scope, substitute);
  // A short text that names a long value often must not cost more than a long text.
  for (const value of values ?? []) scope.budget -= Math.ceil(value.length / 64);
  return values !== null && scope.budget <= 0 ? [UNKNOWN] : values;
}

function expand(part: WordPart, scope: Scope, substitute: Substitute): readonly string[] | null {
  switch (part.type) {
    case 'SimpleExpansion':
      return lookUp(part.text.slice(1), scope) ?? [UNKNOWN];
    case 'ParameterExpansion':
      return parameter(part, scope, substitute);
    case 'CommandExpansion':
      return [substitute(part)?.replace(/\n+$/, '') ?? UNKNOWN];
    case 'ArithmeticExpansion':
      return [UNKNOWN];
    default:
      return null;
  }
}

function parameter(part: ParameterExpansionPart, scope: Scope, substitute: Substitute): readonly string[] {
  const found = lookUp(part.parameter, scope);
  if (part.prefix !== undefined) return [UNKNOWN];
  if (part.operation?.type === 'Default') {
    const { operator, operand } = part.operation;
    const given = found !== null && found.join('') !== '';
    const alternative = operator === '+' || operator === ':+';
    if (alternative === given && !operator.includes('?')) return fieldsOf(operand, scope, substitute);
    return found ?? [UNKNOWN];
  }
  if (part.operation !== undefined || found === null) return [UNKNOWN];
  if (part.index === undefined) return found;
  if (/^[@*]$/.test(part.index.value)) return found;
  return [found[Number(part.index.value)] ?? UNKNOWN];
}

function lookUp(name: string, scope: Scope): readonly string[] | null {
  if (name === '@' || name === '*') return scope.args;
  if (/^[1-9]\d?$/.test(name)) return [scope.args[Number(name) - 1] ?? ''];
  if (name === 'PWD') return [scope.cwd ?? UNKNOWN];
  return scope.variables.get(name) ?? null;
}

function tilde(text: string, value: string, { place }: Scope): string {
  return /^~(?:\/|$)/.test(text) ? place.home + value.slice(1) : value;
}

/** `[s]` is the letter itself. */
function bracket(text: string): string {
  const single = /^\[([^\]!^-])\]$/.exec(text);
  return single?.[1] ?? ONE;
}

/** `{a,b}`; anything nested or quoted inside is left as it stands. */
function braces(text: string): string[] {
  const inner = text.slice(1, -1);
  return /[{}'"\\]/.test(inner) || !inner.includes(',') ? [text] : inner.split(',').slice(0, MAX_FIELDS);
}
