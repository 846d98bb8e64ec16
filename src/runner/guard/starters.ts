import { type Call, fileText, type JudgeSource } from './call.ts';
import { UNKNOWN } from './marks.ts';
import { hasOption, operands } from './options.ts';
import { type Scope, withArgs } from './scope.ts';
import type { Refusal } from './verdict.ts';
import { unwrap } from './wrappers.ts';

export type Again = (argv: readonly string[], more?: Partial<Call>) => Refusal | null;

/** `sh -c TEXT NAME ARGS`, `sh FILE ARGS`, or a shell that reads what is piped to it. */
export function judgeShell(
  { argv, stdin, substituted }: Call,
  scope: Scope,
  source: JudgeSource,
): Refusal | null {
  const words = argv.slice(1);
  const start = words.findIndex(
    (word, index) => !/^[-+]./.test(word) && !/^[-+]\w*[oO]$/.test(words[index - 1] ?? ''),
  );
  const rest = start === -1 ? [] : words.slice(start);
  const options = start === -1 ? words : words.slice(0, start);
  if (options.some((word) => /^-[a-zA-Z]*c/.test(word))) {
    const [text = '', , ...args] = rest;
    return withArgs(scope, args, () => source(text, stdin));
  }
  const [file, ...args] = rest;
  if (file === undefined || options.includes('-s')) return stdin === null ? null : source(stdin, null);
  const text = substituted ?? fileText(file, scope);
  return text === null ? null : withArgs(scope, args, () => source(text, stdin));
}

/** Programs that start what their arguments say. */
export function judgeStarter(name: string, call: Call, source: JudgeSource, again: Again): Refusal | null {
  const { argv, stdin } = call;
  if (name === 'find')
    return execOf(argv).reduce<Refusal | null>((found, each) => found ?? again(each), null);
  if (name === 'script' || name === 'su' || name === 'flock') {
    const at = argv.findIndex((word) => /^-[a-z]*c$/.test(word) || word === '--command');
    if (at !== -1) return source(argv[at + 1] ?? '', stdin);
  }
  if (name === 'watch')
    return source(operands(argv, { letters: 'n', longs: ['--interval'] }).join(' '), stdin);
  if (name === 'env') {
    const at = argv.findIndex((word) => word === '-S' || word === '--split-string');
    if (at !== -1) return source(argv.slice(at + 1).join(' '), stdin);
  }
  if (name === 'command' && hasOption(argv.slice(0, 2), 'vV')) return null;
  const inner = unwrap(name, argv);
  if (inner === null) return null;
  const gitDir = inner.assignments.find((each) => each.startsWith('GIT_DIR='))?.slice(8) ?? call.gitDir;
  return again(name === 'xargs' ? withInput(inner.argv, stdin) : inner.argv, { gitDir });
}

/** What xargs makes of its input: words at the end, or in the place of `{}`. */
function withInput(argv: readonly string[], stdin: string | null): readonly string[] {
  const input = stdin === null ? [UNKNOWN] : stdin.split(/[\s'"]+/).filter((word) => word !== '');
  if (!argv.some((word) => word.includes('{}'))) return [...argv, ...input];
  return argv.flatMap((word) => (word === '{}' ? input : [word.replaceAll('{}', input.join(' '))]));
}

function execOf(argv: readonly string[]): string[][] {
  const found: string[][] = [];
  for (const [index, word] of argv.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(word)) continue;
    const rest = argv.slice(index + 1);
    const end = rest.findIndex((each) => each === ';' || each === '+');
    found.push(end === -1 ? rest : rest.slice(0, end));
    if (found.length > 20) break;
  }
  return found;
}
