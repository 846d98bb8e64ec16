import { basename } from 'node:path';
import { type Call, fileText, type JudgeSource } from './call.ts';
import { NO_VALUES, operands } from './options.ts';
import { resolvePath } from './place.ts';
import { assign, type Scope, withArgs } from './scope.ts';
import type { Refusal } from './verdict.ts';

/** Builtins that run a text, and files of the text itself that are run by their path. */
export function judgeText(name: string, call: Call, scope: Scope, source: JudgeSource): Refusal | null {
  const { argv, stdin, substituted } = call;
  const [program = '', head = '', ...rest] = argv;
  switch (name) {
    case 'eval':
      return source(argv.slice(1).join(' '), stdin);
    case 'trap':
      return source(head, stdin);
    case '.':
    case 'source': {
      const text = substituted ?? (head === '/dev/stdin' ? stdin : fileText(head, scope));
      return text === null ? null : withArgs(scope, rest, () => source(text, stdin));
    }
    default: {
      const text = program.includes('/') ? fileText(program, scope) : null;
      return text === null ? null : withArgs(scope, argv.slice(1), () => source(text, stdin));
    }
  }
}

/** Builtins that change what later words mean. */
export function remember(name: string, { argv }: Call, scope: Scope): void {
  switch (name) {
    case 'cd':
    case 'pushd':
      scope.cwd = resolvePath(scope.cwd, operands(argv, NO_VALUES)[0] ?? scope.place.home);
      return;
    case 'alias':
      for (const [key, value] of pairs(argv)) scope.aliases.set(key, value);
      return;
    case 'set':
      if (argv[1] === '--') scope.args = argv.slice(2);
      return;
    case 'hash':
      if (argv[1] === '-p') scope.programs.set(argv[3] ?? '', basename(argv[2] ?? ''));
      return;
    case 'export':
    case 'declare':
    case 'typeset':
    case 'local':
    case 'readonly':
      for (const [key, value] of pairs(argv)) assign(scope, key, [value]);
  }
}

/** The words of the form `name=value`. */
function pairs(argv: readonly string[]): [string, string][] {
  return argv.flatMap((word): [string, string][] => {
    const at = word.indexOf('=');
    return at > 0 ? [[word.slice(0, at), word.slice(at + 1)]] : [];
  });
}
