import { holds, splitWords } from './conditions.ts';
import { RULES, VALUE_OPTIONS } from './git-rules.ts';
import { isKnown } from './marks.ts';
import { resolvePath, whose } from './place.ts';
import { deeper, type Scope } from './scope.ts';
import { type Refusal, refuse } from './verdict.ts';

/** What a git command line runs on the side, to be judged by whoever knows the shell. */
export interface SideRuns {
  readonly source: (text: string) => Refusal | null;
  readonly argv: (argv: readonly string[]) => Refusal | null;
}

/** `args`: everything behind `git`. `gitDir`: GIT_DIR, where the text sets it. */
export function judgeGit(
  args: readonly string[],
  scope: Scope,
  gitDir: string | null,
  runs: SideRuns,
): Refusal | null {
  const line = readLine(args, scope, gitDir);
  if (line === null) return null;
  const { verb, rest, aliases } = line;
  const alias = aliases.get(verb.toLowerCase()) ?? scope.gitAliases.get(verb.toLowerCase());
  if (alias?.startsWith('!')) return runs.source([alias.slice(1), ...rest].join(' '));
  if (alias !== undefined) {
    const globals = args.slice(0, args.length - rest.length - 1);
    const words = alias.split(/\s+/).filter((word) => word !== '');
    if (words[0] !== verb)
      return deeper(scope, () => judgeGit([...globals, ...words, ...rest], scope, gitDir, runs));
  }
  return judgeVerb(verb, rest, line.at, scope) ?? remember(verb, rest, scope) ?? sideRun(verb, rest, runs);
}

interface Line {
  readonly verb: string;
  readonly rest: readonly string[];
  /** The folder the command acts in, or null. */
  readonly at: string | null;
  readonly aliases: ReadonlyMap<string, string>;
}

function readLine(args: readonly string[], scope: Scope, gitDir: string | null): Line | null {
  const { globals, verbAt } = readGlobals(args);
  const verb = args[verbAt];
  if (verb === undefined) return null;
  const valuesOf = (name: string): string[] =>
    globals.flatMap((each) => (each.name === name ? [each.value] : []));
  const folder = valuesOf('-C').reduce<string | null>(resolvePath, scope.cwd);
  const directory = valuesOf('--git-dir').at(-1) ?? gitDir;
  const aliases = valuesOf('-c').flatMap((setting): [string, string][] => {
    const [, name, value = ''] = /^alias\.([^=]+)=(.*)$/is.exec(setting) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), value]];
  });
  return {
    verb,
    rest: args.slice(verbAt + 1),
    at: directory === null ? folder : resolvePath(folder, directory),
    aliases: new Map(aliases),
  };
}

interface Global {
  readonly name: string;
  readonly value: string;
}

/** The options before the verb. */
function readGlobals(args: readonly string[]): {
  readonly globals: readonly Global[];
  readonly verbAt: number;
} {
  const globals: Global[] = [];
  let index = 0;
  for (; args[index]?.startsWith('-'); index += 1) {
    const word = args[index] ?? '';
    const [name = '', ...value] = word.split('=');
    if (!VALUE_OPTIONS.includes(word)) globals.push({ name, value: value.join('=') });
    else {
      index += 1;
      globals.push({ name: word, value: args[index] ?? '' });
    }
  }
  return { globals, verbAt: index };
}

function judgeVerb(verb: string, rest: readonly string[], at: string | null, scope: Scope): Refusal | null {
  if (!isKnown(verb)) return null;
  const owner = whose(at, scope.place);
  const given = splitWords(rest);
  const rule = RULES.find(({ verbs, where, when }) => {
    if (!verbs.includes(verb)) return false;
    if (where === 'elsewhere' && owner !== 'elsewhere') return false;
    if (where === 'not-own' && owner === 'own') return false;
    return holds(when, given);
  });
  return rule ? refuse(rule.family) : null;
}

function remember(verb: string, rest: readonly string[], scope: Scope): null {
  if (verb !== 'config') return null;
  const [key = '', value] = rest.filter((word) => !word.startsWith('-'));
  if (value !== undefined && /^alias\./i.test(key)) scope.gitAliases.set(key.slice(6).toLowerCase(), value);
  return null;
}

/** Commands git would start for the caller. */
function sideRun(verb: string, rest: readonly string[], runs: SideRuns): Refusal | null {
  const [sub = '', ...more] = rest.filter((word, index) => index > 0 || !word.startsWith('-'));
  if (verb === 'bisect' && sub === 'run') return runs.argv(more);
  if (verb === 'submodule' && sub === 'foreach')
    return runs.source(more.filter((word) => !/^--/.test(word)).join(' '));
  return null;
}
