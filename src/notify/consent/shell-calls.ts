import { type Command, forEachChild, parse, type SyntaxNode, type Word } from 'unbash';

/** One call of our program in a shell command. */
export interface ShellCall {
  /** What follows `cc-delegate`, as the shell would hand it over. */
  readonly argv: readonly string[];
  /** False: some of it is known only when it runs (a variable, a substitution, a pattern). */
  readonly isKnown: boolean;
  /** It sets or takes away variables that say who calls, or where our files are. */
  readonly isDisguised: boolean;
}

export interface ShellReading {
  readonly calls: readonly ShellCall[];
  /** Every command of the text, the ones in substitutions and in `sh -c` texts too, as words. */
  readonly commands: readonly (readonly string[])[];
  /** Files written to by redirection. */
  readonly written: readonly string[];
  /** Variables set on their own, for the rest of the shell. */
  readonly assigned: readonly string[];
}

const MOST_TEXT = 100_000;
const MOST_DEPTH = 8;

/** Reads a shell command as a shell would. What it cannot follow it leaves out: the program itself has the last word. */
export function readShell(text: string): ShellReading {
  const reading = {
    calls: [] as ShellCall[],
    commands: [] as (readonly string[])[],
    written: [] as string[],
    assigned: [] as string[],
  };
  readText(text, reading, 0);
  // Set for the whole shell, it holds for every call after it.
  const isDisguised =
    reading.commands.some(setsDisguise) || reading.assigned.some((name) => DISGUISE.test(name));
  return isDisguised
    ? { ...reading, calls: reading.calls.map((call) => ({ ...call, isDisguised })) }
    : reading;
}

function setsDisguise([program = '', ...args]: readonly string[]): boolean {
  return (
    /^(export|unset|declare|typeset|readonly|local)$/.test(program) && args.some((arg) => DISGUISE.test(arg))
  );
}

type Collected = { readonly [K in keyof ShellReading]: ShellReading[K][number][] };

function readText(text: string, into: Collected, depth: number): void {
  if (depth > MOST_DEPTH || text.length > MOST_TEXT) return;
  try {
    visit(parse(text), into, depth);
  } catch {
    // The parser promises a tree for everything; where it breaks the promise nothing is granted.
  }
}

function visit(node: SyntaxNode, into: Collected, depth: number): void {
  if (node.type === 'Command') readCommand(node, into, depth);
  if (node.type === 'Redirect' && node.operator.includes('>') && node.target !== undefined) {
    into.written.push(node.target.value);
  }
  forEachChild(node, (child) => visit(child, into, depth));
}

function readCommand(node: Command, into: Collected, depth: number): void {
  const words = [node.name, ...node.suffix].filter(isWord);
  const texts = words.map((word) => word.value);
  // `export X=1` has its assignments behind it.
  const set = node.suffix.flatMap((part) => (part.type === 'Assignment' ? [part.text] : []));
  into.commands.push([...texts, ...set]);
  const assigned = node.prefix.flatMap((part) => (part.type === 'Assignment' ? [`${part.name}=`] : []));
  if (texts.length === 0) into.assigned.push(...assigned);
  const at = texts.findIndex((word) => OURS.test(word));
  if (at !== -1 && texts.slice(0, at).every((word, index) => isWrapping(word, texts[index - 1]))) {
    into.calls.push({
      argv: texts.slice(at + 1),
      isKnown: words.slice(at).every(isLiteral),
      isDisguised: [...assigned, ...texts.slice(0, at)].some((word) => DISGUISE.test(word)),
    });
  }
  const inner = texts.findIndex((word) => /^-[a-z]*c$/.test(word));
  const program = texts.slice(0, Math.max(inner, 0)).find((word) => /(^|\/)(ba|da|z|k)?sh$/.test(word));
  if (program !== undefined) readText(texts[inner + 1] ?? '', into, depth + 1);
  if (texts[0] === 'eval') readText(texts.slice(1).join(' '), into, depth + 1);
}

function isWord(node: { readonly type: string } | undefined): node is Word {
  return node?.type === 'Word';
}

/** No part of it waits for the shell. */
function isLiteral(word: Word): boolean {
  const parts = word.parts;
  if (parts === undefined) return !word.value.startsWith('~');
  return parts.every((part) => {
    if (part.type === 'DoubleQuoted') return part.parts.every((inner) => inner.type === 'Literal');
    return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted';
  });
}

/** The program by its name, or by the file it is built into. */
const OURS = /(^|\/)cc-delegate$|cc-delegate.*\/dist\/cli\.js$/;

/**
 * Variables by which we tell a session from a person, and find the person's settings; the older product's `DELEGATE_*`
 * are settings themselves.
 */
const DISGUISE = /^(CLAUDE\w*|(?:CC_)?DELEGATE_\w*|HOME|XDG_STATE_HOME)(=|$)/;

const WRAPPERS =
  /^(env|command|exec|nohup|time|sudo|doas|timeout|nice|setsid|xargs|stdbuf|node|bash|sh|dash|zsh|npx|bunx|pnpm|yarn|dlx|parallel|find|--)$/;

/** `env -u CLAUDECODE X=1 timeout 5 cc-delegate`: everything before our name only leads to it. */
function isWrapping(word: string, before: string | undefined): boolean {
  if (WRAPPERS.test(word.slice(word.lastIndexOf('/') + 1))) return true;
  if (/^[A-Za-z_]\w*=/.test(word) || word.startsWith('-') || /^\d+[smhd]?$/.test(word)) return true;
  // `find . -exec cc-delegate …`: what it looks for and where is of no matter.
  return before !== undefined && /^(-u|--unset|find|-name|-path|-type)$/.test(before);
}
