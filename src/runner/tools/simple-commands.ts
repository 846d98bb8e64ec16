import { forEachChild, parse, type SyntaxNode, type Word } from 'unbash';
import type { ShellCommand } from '../../job/tool-rules.ts';

/**
 * The simple commands of a script, each as its words with one space between, those inside of substitutions and functions
 * among them; null when it cannot be told what runs: a script that is not valid, a command word that is put together as
 * it runs, variables set for a command.
 */
export function simpleCommands(script: string): ShellCommand[] | null {
  try {
    const parsed = parse(script);
    if (parsed.errors !== undefined && parsed.errors.length > 0) return null;
    const found: ShellCommand[] = [];
    return collect(parsed, found, false) ? found : null;
  } catch {
    // What the parser gives up on cannot be read, and is refused as such.
    return null;
  }
}

/** false as soon as something cannot be told. */
function collect(node: SyntaxNode, found: ShellCommand[], isWritten: boolean): boolean {
  if (node.type === 'Command') {
    if (node.name === undefined || !isPlain(node.name)) return false;
    if (node.prefix.some(({ type }) => type === 'Assignment')) return false;
    const args = node.args.map((argument) => (argument.type === 'Word' ? argument.value : argument.text));
    found.push({
      text: [node.name.value, ...args].join(' '),
      isTold: node.args.every((argument) => argument.type === 'Word' && isPlain(argument)),
      writes: isWritten || node.redirects.some(goesToFile),
    });
  }
  const below = isWritten || (node.type === 'Redirected' && node.redirects.some(goesToFile));
  let isTold = true;
  forEachChild(node, (child) => {
    isTold &&= collect(child, found, below);
  });
  return isTold;
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
  return (parts ?? []).every(({ type }) => type === 'Literal' || type === 'SingleQuoted');
}
