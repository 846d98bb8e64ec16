import type { Command, CommandArgument, Redirection, SyntaxNode, WordPart } from 'unbash';
import type { Call } from './call.ts';
import { printed } from './output.ts';
import { resolvePath } from './place.ts';
import { assign, deeper, MAX_TEXT, type Scope } from './scope.ts';
import { fieldsOf, joined, textOf } from './words.ts';

/** The command as the shell would start it, as far as the text tells. */
export function callOf(node: Command, stdin: string | null, scope: Scope): Call {
  const substitute = substituteIn(scope);
  const words = node.name === undefined ? [] : [node.name, ...node.args];
  const argv = words.flatMap((word) => argumentOf(word, scope));
  const input = node.redirects.reduce((text, redirect) => inputOf(redirect, scope) ?? text, stdin);
  const process = node.args
    .flatMap((word) => (word.type === 'Word' ? (word.parts ?? []) : []))
    .find((part) => part.type === 'ProcessSubstitution');
  const own = node.prefix.find((each) => each.type === 'Assignment' && each.name === 'GIT_DIR');
  const prefixed = own?.type === 'Assignment' && own.value.type === 'Word' ? own.value : null;
  return {
    argv,
    stdin: input,
    substituted: process === undefined ? null : substitute(process),
    gitDir: prefixed ? textOf(prefixed, scope, substitute) : (scope.variables.get('GIT_DIR')?.[0] ?? null),
  };
}

function argumentOf(word: CommandArgument, scope: Scope): string[] {
  if (word.type === 'Word') return fieldsOf(word, scope, substituteIn(scope));
  const { value } = word;
  return [`${word.name}=${value.type === 'Word' ? textOf(value, scope, substituteIn(scope)) : ''}`];
}

/** `NAME=value` before a command, or alone: for what follows it comes to the same. */
export function setVariables(node: Command, scope: Scope): void {
  const substitute = substituteIn(scope);
  for (const each of node.prefix) {
    if (each.type !== 'Assignment') continue;
    const { value } = each;
    const fields =
      value.type === 'Word'
        ? [textOf(value, scope, substitute)]
        : value.elements.flatMap((word) => fieldsOf(word, scope, substitute));
    const before = each.append ? (scope.variables.get(each.name) ?? []) : [];
    const joinedUp =
      value.type === 'Word' && before.length > 0 ? [before.join(' ') + fields.join(' ')] : null;
    assign(scope, each.name, joinedUp ?? [...before, ...fields]);
  }
}

/** What a redirection gives a command to read; null when it gives nothing that is known. */
function inputOf(redirect: Redirection, scope: Scope): string | null {
  const substitute = substituteIn(scope);
  switch (redirect.type) {
    case 'HereString':
      return redirect.target ? `${textOf(redirect.target, scope, substitute)}\n` : null;
    case 'HereDoc': {
      const { parts, text } = redirect.body;
      return parts === undefined ? text : joined(parts, scope, substitute);
    }
    case 'Redirect': {
      if (redirect.operator !== '<' || !redirect.target) return null;
      const [part] = redirect.target.parts ?? [];
      if (part?.type === 'ProcessSubstitution') return substitute(part);
      const path = resolvePath(scope.cwd, textOf(redirect.target, scope, substitute));
      return path === null ? null : (scope.files.get(path) ?? null);
    }
  }
}

/** What the text writes into a file it may run later. */
export function rememberFiles(node: Command, { argv, stdin }: Call, scope: Scope): void {
  for (const redirect of node.redirects) {
    if (redirect.type !== 'Redirect' || !redirect.operator.startsWith('>') || !redirect.target) continue;
    const path = resolvePath(scope.cwd, textOf(redirect.target, scope, substituteIn(scope)));
    const text = printed(argv, stdin);
    if (path === null || text === null || text.length > MAX_TEXT) continue;
    const before = redirect.operator === '>>' ? (scope.files.get(path) ?? '') : '';
    if (before.length < MAX_TEXT) scope.files.set(path, before + text);
  }
}

/** What a command, a pipeline or a script of one statement prints; null when that is not known. */
export function outputOf(node: SyntaxNode, stdin: string | null, scope: Scope): string | null {
  scope.budget -= 1;
  if (scope.budget <= 0) return null;
  switch (node.type) {
    case 'Command': {
      const call = callOf(node, stdin, scope);
      // Nobody knows the name, but that it is in TMPDIR.
      if (/^mktemp( -[dqut]+)*$/.test(call.argv.join(' '))) return `${scope.place.temp}/mktemp`;
      return printed(call.argv, call.stdin);
    }
    case 'Pipeline':
      return node.commands.reduce((input, command) => outputOf(command, input, scope), stdin);
    case 'Statement':
      return outputOf(node.command, stdin, scope);
    case 'Script': {
      const [only, second] = node.commands;
      return only === undefined || second !== undefined ? null : outputOf(only, stdin, scope);
    }
    default:
      return null;
  }
}

/** For the evaluation of words: what their substitutions print. */
export function substituteIn(scope: Scope): (part: WordPart) => string | null {
  return (part) => {
    const holds = part.type === 'CommandExpansion' || part.type === 'ProcessSubstitution';
    return holds && part.script
      ? deeper(scope, () => (part.script ? outputOf(part.script, null, scope) : null))
      : null;
  };
}
