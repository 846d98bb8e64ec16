import { forEachChild, parse, type Redirection, type SyntaxNode, type Word } from 'unbash';
import type { ShellCommand } from '../../job/tool-rules.ts';
import { givenScripts } from './given-scripts.ts';

/** How many scripts inside of scripts are read. */
const MOST_SCRIPTS = 100;

/**
 * The simple commands of a script, each as its words with one space between, those inside of substitutions, functions
 * and scripts given to a shell among them; null when it cannot be told what runs: a script that is not valid, a command
 * word that is put together as it runs, variables set for a command.
 */
export function simpleCommands(script: string): ShellCommand[] | null {
  return read(script, { isInner: false, budget: { left: MOST_SCRIPTS } });
}

interface Reading {
  /** Is it a script that a command of another one is given? */
  readonly isInner: boolean;
  readonly budget: { left: number };
}

function read(script: string, reading: Reading): ShellCommand[] | null {
  try {
    const parsed = parse(script);
    if (parsed.errors !== undefined && parsed.errors.length > 0) return null;
    const found: ShellCommand[] = [];
    return collect(parsed, { ...reading, found }, false) ? found : null;
  } catch {
    // What the parser gives up on cannot be read, and is refused as such.
    return null;
  }
}

/** false as soon as something cannot be told. */
function collect(
  node: SyntaxNode,
  into: Reading & { readonly found: ShellCommand[] },
  isWritten: boolean,
): boolean {
  if (node.type === 'Command') {
    if (node.name === undefined || !isPlain(node.name) || isHome(node.name)) return false;
    if (node.prefix.some(({ type }) => type === 'Assignment')) return false;
    const words = [node.name, ...node.args].map((word) =>
      word.type === 'Word'
        ? { value: word.value, isTold: isPlain(word) }
        : { value: word.text, isTold: false },
    );
    const inner = givenScripts(words, inputOf(node.redirects)).map((script) => readInner(script, into));
    into.found.push({
      text: words.map(({ value }) => value).join(' '),
      isTold: words.every((word) => word.isTold) && !inner.includes(null),
      writes: isWritten || node.redirects.some(goesToFile),
      isInner: into.isInner,
    });
    into.found.push(...inner.flatMap((commands) => commands ?? []));
  }
  const below = isWritten || (node.type === 'Redirected' && node.redirects.some(goesToFile));
  let isTold = true;
  forEachChild(node, (child) => {
    isTold &&= collect(child, into, below);
  });
  return isTold;
}

function readInner(script: string | null, { budget }: Reading): ShellCommand[] | null {
  if (script === null || budget.left <= 0) return null;
  budget.left -= 1;
  return read(script, { isInner: true, budget });
}

/** What a command reads as its input where the script itself says it; null for any other input. */
function inputOf(redirections: readonly Redirection[]): string | null {
  const [input, ...more] = redirections.filter(
    (each) => each.type !== 'Redirect' || each.operator.startsWith('<'),
  );
  if (input === undefined || more.length > 0 || input.type === 'Redirect') return null;
  const { descriptor } = input;
  if (descriptor !== undefined && (descriptor.type !== 'FileDescriptor' || descriptor.value !== 0))
    return null;
  if (input.type === 'HereString')
    return input.target !== undefined && isPlain(input.target) ? input.target.value : null;
  const { delimiter, body } = input;
  if (delimiter?.quoted === true) return body.text;
  return body.text.includes('\\') || (body.parts ?? []).some(({ type }) => type !== 'Literal')
    ? null
    : body.text;
}

/** Is it an output, to anything but nothing or another descriptor? */
function goesToFile(redirection: SyntaxNode): boolean {
  if (redirection.type !== 'Redirect' || !redirection.operator.includes('>')) return false;
  const target = redirection.target?.value ?? '';
  const isDescriptor = redirection.operator.includes('&') && /^[\d-]*$/.test(target);
  return target !== '/dev/null' && !isDescriptor;
}

/** Does the word say itself what it is? */
function isPlain({ parts }: Word): boolean {
  return (parts ?? []).every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal')),
  );
}

/** `~`, which is whatever a variable says. */
function isHome({ text }: Word): boolean {
  return /^~[^/]*$/.test(text);
}
