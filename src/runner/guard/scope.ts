import type { Function as FunctionNode } from 'unbash';
import { UNKNOWN } from './marks.ts';
import type { Place } from './place.ts';

/** What the text has told so far: as much of a shell's memory as is needed to see through its own words. */
export interface Scope {
  readonly place: Place;
  /** null: a `cd` went to a folder that is not known. */
  cwd: string | null;
  /** `$1` and on. */
  args: readonly string[];
  readonly variables: Map<string, readonly string[]>;
  readonly functions: Map<string, FunctionNode>;
  readonly aliases: Map<string, string>;
  readonly gitAliases: Map<string, string>;
  /** Files the text itself wrote, by absolute path. */
  readonly files: Map<string, string>;
  /** Copies and links of programs, by absolute path or `hash -p` name. */
  readonly programs: Map<string, string>;
  /** How many nodes may still be looked at, and how deep one text may hold another. */
  budget: number;
  depth: number;
  nesting: number;
}

/** Longer texts are not looked at: no command a model writes by hand is as long. */
export const MAX_TEXT = 64 * 1024;

const MAX_NODES = 100_000;
const MAX_DEPTH = 12;
const MAX_VALUE = 10_000;
const MAX_FIELDS = 200;

export function newScope(place: Place): Scope {
  return {
    place,
    cwd: place.cwd,
    args: [],
    variables: new Map([
      ['HOME', [place.home]],
      ['TMPDIR', [place.temp]],
      ['IFS', [' ']],
    ]),
    functions: new Map(),
    aliases: new Map(),
    gitAliases: new Map(),
    files: new Map(),
    programs: new Map(),
    budget: MAX_NODES,
    depth: 0,
    nesting: 0,
  };
}

/** Runs `visit` one level deeper; past the limit nothing is looked at any more. */
export function deeper<Result>(scope: Scope, visit: () => Result): Result | null {
  if (scope.depth >= MAX_DEPTH || scope.budget <= 0) return null;
  scope.depth += 1;
  try {
    return visit();
  } finally {
    scope.depth -= 1;
  }
}

/** What a subshell changes is forgotten at its end, as far as it matters here: the folder. */
export function inSubshell<Result>(scope: Scope, visit: () => Result): Result {
  const { cwd } = scope;
  try {
    return visit();
  } finally {
    scope.cwd = cwd;
  }
}

export function withArgs<Result>(scope: Scope, args: readonly string[], visit: () => Result): Result {
  const before = scope.args;
  scope.args = args;
  try {
    return visit();
  } finally {
    scope.args = before;
  }
}

export function assign(scope: Scope, name: string, fields: readonly string[]): void {
  // A value that doubles with every assignment must not outgrow the text it comes from.
  const total = fields.reduce((sum, field) => sum + field.length, 0);
  scope.variables.set(name, total > MAX_VALUE || fields.length > MAX_FIELDS ? [UNKNOWN] : fields);
}
