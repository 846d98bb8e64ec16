import { isKnown } from './marks.ts';

/**
 * What a command prints, as far as its words tell: `echo`, `printf`, and the few questions whose answer is
 * a program's path. null: not known.
 */
export function printed(argv: readonly string[], stdin: string | null): string | null {
  const [name = '', ...args] = argv;
  switch (name) {
    case 'echo':
      return echo(args);
    case 'printf':
      return printf(args);
    case 'cat':
    case 'tee':
      return args.some((arg) => !arg.startsWith('-')) && name === 'cat' ? null : stdin;
    case 'command':
    case 'which':
    case 'type':
      return args.at(-1) === 'git' ? '/usr/bin/git' : null;
    default:
      return null;
  }
}

function echo(args: readonly string[]): string {
  const start = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const options = start === -1 ? args : args.slice(0, start);
  const text = start === -1 ? '' : args.slice(start).join(' ');
  return `${options.some((option) => option.includes('e')) ? withEscapes(text) : text}\n`;
}

/** The format's text, with the arguments where the `%` are, used up as printf does. */
function printf(args: readonly string[]): string | null {
  const [format, ...values] = args[0] === '--' ? args.slice(1) : args;
  if (format === undefined || format === '-v' || !isKnown(format)) return null;
  let left = values;
  let text = '';
  do {
    const before = left.length;
    text += withEscapes(format).replace(/%(?:%|[-+ #0]*\d*(?:\.\d+)?([sbdiqcuxXo]))/g, (all, kind) => {
      if (kind === undefined) return '%';
      const [value = '', ...rest] = left;
      left = rest;
      return kind === 'b' ? withEscapes(value) : value || (all === '%d' ? '0' : '');
    });
    if (left.length === before) return text;
  } while (left.length > 0 && text.length < 20_000);
  return text;
}

const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '',
  b: '',
  f: '',
  v: '',
  e: '',
};

function withEscapes(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|(.))/gs,
    (_, hex?: string, octal?: string, one?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      return (
        CONTROLS[one ?? ''] ?? (one === '\\' ? '\\' : one === undefined ? '' : one === '"' ? '"' : `\\${one}`)
      );
    },
  );
}
