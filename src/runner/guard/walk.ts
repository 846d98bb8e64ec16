import {
  type Command,
  type For,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection,
  type SyntaxNode,
} from 'unbash';
import type { Call } from './call.ts';
import { judgeCall } from './commands.ts';
import { callOf, outputOf, rememberFiles, setVariables, substituteIn } from './evaluate.ts';
import { resolvePath, whose } from './place.ts';
import { assign, deeper, inSubshell, MAX_TEXT, type Scope, withArgs } from './scope.ts';
import { type Refusal, refuse } from './verdict.ts';
import { fieldsOf, textOf } from './words.ts';

/** Judges a shell's text in the scope it would run in; `stdin` is what the text tells of its input. */
export function judgeSource(text: string, stdin: string | null, scope: Scope): Refusal | null {
  scope.budget -= Math.ceil(text.length / 64);
  if (text.length > MAX_TEXT) return null;
  return deeper(scope, () => {
    const script = parsed(text);
    return script && visit(script, stdin, scope);
  });
}

function parsed(text: string): ParsedScript | null {
  try {
    return parse(text);
  } catch {
    // The parser promises a tree for everything; where it breaks the promise the sandbox is the barrier.
    return null;
  }
}

const MAX_NESTING = 400;

function visit(node: SyntaxNode, stdin: string | null, scope: Scope): Refusal | null {
  // The parser reads a substitution again when it is looked into.
  scope.budget -=
    node.type === 'CommandExpansion' || node.type === 'ParameterExpansion' ? node.text.length / 4 + 1 : 1;
  if (scope.budget <= 0 || scope.nesting > MAX_NESTING) return null;
  scope.nesting += 1;
  try {
    return look(node, stdin, scope);
  } finally {
    scope.nesting -= 1;
  }
}

function look(node: SyntaxNode, stdin: string | null, scope: Scope): Refusal | null {
  switch (node.type) {
    case 'Command':
      return visitChildren(node, scope) ?? visitCommand(node, stdin, scope);
    case 'Pipeline':
      return visitPipeline(node, stdin, scope);
    case 'For':
      return visitFor(node, scope);
    case 'Function':
      scope.functions.set(node.name.value, node);
      return inSubshell(scope, () => withArgs(scope, [], () => visit(node.body, null, scope)));
    case 'Subshell':
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return inSubshell(scope, () => visitChildren(node, scope));
    case 'Redirect':
      return visitChildren(node, scope) ?? visitRedirect(node, scope);
    default:
      return visitChildren(node, scope);
  }
}

function visitChildren(node: SyntaxNode, scope: Scope): Refusal | null {
  let found: Refusal | null = null;
  forEachChild(node, (child) => {
    found ??= visit(child, null, scope);
  });
  return found;
}

/** Every command of a pipeline reads what the one before prints, as far as that is known. */
function visitPipeline(node: Pipeline, stdin: string | null, scope: Scope): Refusal | null {
  let input = stdin;
  for (const command of node.commands) {
    const found = inSubshell(scope, () => visit(command, input, scope));
    if (found) return found;
    input = outputOf(command, input, scope);
  }
  return null;
}

const MAX_ROUNDS = 8;

function visitFor(node: For, scope: Scope): Refusal | null {
  const fields = node.wordlist?.flatMap((word) => fieldsOf(word, scope, substituteIn(scope))) ?? scope.args;
  for (const field of fields.slice(0, MAX_ROUNDS)) {
    assign(scope, node.name.value, [field]);
    const found = visit(node.body, null, scope);
    if (found) return found;
  }
  return fields.length === 0 ? visit(node.body, null, scope) : visitWords(node, scope);
}

function visitWords(node: For, scope: Scope): Refusal | null {
  return (node.wordlist ?? []).reduce<Refusal | null>(
    (found, word) => found ?? visit(word, null, scope),
    null,
  );
}

function visitCommand(node: Command, stdin: string | null, scope: Scope): Refusal | null {
  const call = callOf(node, stdin, scope);
  setVariables(node, scope);
  const found = judgeNamed(call, scope);
  rememberFiles(node, call, scope);
  return found;
}

/** An alias, a function of the text, or a program. */
function judgeNamed(call: Call, scope: Scope): Refusal | null {
  const [name = '', ...args] = call.argv;
  const alias = scope.aliases.get(name);
  if (alias !== undefined && !alias.startsWith(`${name} `)) {
    return judgeSource([alias, ...args].join(' '), call.stdin, scope);
  }
  const body = scope.functions.get(name)?.body;
  if (body !== undefined)
    return deeper(scope, () => withArgs(scope, args, () => visit(body, call.stdin, scope)));
  return judgeCall(call, scope, (text, input) => judgeSource(text, input, scope));
}

/** A ref is written by git, or not at all. */
function visitRedirect(node: Extract<Redirection, { type: 'Redirect' }>, scope: Scope): Refusal | null {
  if (!node.operator.includes('>') || !node.target) return null;
  const path = resolvePath(scope.cwd, textOf(node.target, scope, substituteIn(scope)));
  if (path === null || whose(path, scope.place) === 'own') return null;
  return /\/refs\/(?:heads|tags|remotes)\/|\/\.git\/(?:HEAD|packed-refs)$/.test(path) ? refuse('refs') : null;
}
