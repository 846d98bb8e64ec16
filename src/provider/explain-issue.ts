import type { z } from 'zod';

/** One broken value: where it stands, what it is, what would be valid. */
export interface InvalidValue {
  /** Dotted, e.g. `budget.perJob`; '' is the whole file. */
  readonly key: string;
  /** As JSON, cut; hidden where it may hold a secret. */
  readonly value: string;
  readonly valid: string;
}

const SECRET_KEYS = /(^|\.)(headers|baseUrl|keyEnv|apiKey|key|token|secret|password)(\.|$)/i;
const MAX_SHOWN = 80;

/** Turns the first issue of zod into words. `input` is what was parsed. */
export function explainIssue(error: z.ZodError, input: unknown): InvalidValue {
  const issue = error.issues[0];
  if (issue === undefined) throw new Error('a zod error without an issue');
  const deepest = deepestIssue(issue);
  const path = deepest.path.map(String);
  const key = path.join('.');
  return { key, value: shown(key, valueAt(input, path)), valid: validFor(deepest) };
}

/** In a union the branch that got furthest says most. */
function deepestIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.flat().map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
  const deeper = inner.filter((each) => each.path.length > issue.path.length)[0];
  return deeper === undefined ? issue : deepestIssue(deeper);
}

function validFor(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_type':
      return issue.expected === 'int' ? 'a whole number' : article(issue.expected);
    case 'too_small':
      if (issue.origin === 'string') return 'a text that is not empty';
      return `a number ${issue.inclusive ? 'of at least' : 'above'} ${issue.minimum}`;
    case 'invalid_union':
      return issue.errors
        .flat()
        .map((each) => validFor(each))
        .join(', or ');
    case 'invalid_key': {
      const inner = issue.issues[0];
      return inner === undefined ? 'another name' : `a name of ${validFor(inner)}`;
    }
    default:
      return issue.message;
  }
}

function article(expected: string): string {
  const words: Record<string, string> = {
    array: 'a list',
    object: 'a group of keys',
    record: 'a group of keys',
    boolean: 'true or false',
    string: 'a text',
    number: 'a number',
  };
  return words[expected] ?? expected;
}

/** What stands at a path of parsed YAML; undefined where nothing does. */
function valueAt(input: unknown, path: readonly string[]): unknown {
  let current = input;
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = Reflect.get(current, step);
  }
  return current;
}

function shown(key: string, value: unknown): string {
  if (value === undefined) return `${key} is not set`;
  if (SECRET_KEYS.test(key)) return `${key}: (hidden)`;
  const text = JSON.stringify(value) ?? String(value);
  return `${key}: ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text}`;
}
