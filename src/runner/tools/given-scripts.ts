import { programName, readsScripts, SHELLS, startsOthers } from '../../job/starters.ts';

/** A word of a simple command: what it says, and whether it says so before the command runs. */
interface GivenWord {
  readonly value: string;
  readonly isTold: boolean;
}

/**
 * The scripts a simple command has in its words or gets as its input, to run them; null: one that cannot be read.
 * `input`: what a here-document or a here-string says, null for any other input.
 */
export function givenScripts(words: readonly GivenWord[], input: string | null): (string | null)[] {
  const [first, ...args] = words;
  const name = programName(first?.value ?? '');
  if (readsScripts(name)) return ofReader(name, args, input);
  if (!startsOthers(name)) return [];
  const said = args.map(({ value }) => value);
  switch (name) {
    case 'command':
      return /^-[pvV]*[vV]/.test(said[0] ?? '') ? [] : ofStarted(args, input);
    case 'find': {
      const start = said.findIndex((word) => /^-(exec|ok)(dir)?$/.test(word));
      // The names of files are no script.
      return start === -1 ? [] : ofStarted(args.slice(start + 1), input).map(unlessFilled);
    }
    case 'xargs':
      return ofXargs(args);
    case 'env':
      return said.some((word) => /^(-[a-zA-Z]*S|--split)/.test(word)) ? [null] : ofStarted(args, input);
    case 'su':
    case 'runuser':
    case 'script':
    case 'flock':
      return [...behindOption(args), ...ofStarted(args, input)];
    case 'parallel':
    case 'watch':
      // They put scripts together of their words and more.
      return [null];
    default:
      return ofStarted(args, input);
  }
}

/** Every word may be the program that is started: what stands before it belongs to the starter. */
function ofStarted(words: readonly GivenWord[], input: string | null): (string | null)[] {
  return words.flatMap(({ value }, at) => {
    const name = programName(value);
    return readsScripts(name) ? ofReader(name, words.slice(at + 1), input) : [];
  });
}

function ofXargs(args: readonly GivenWord[]): (string | null)[] {
  const last = programName(args.at(-1)?.value ?? '');
  // What it starts is in its input.
  if (startsOthers(last)) return [null];
  const scripts = ofStarted(args, null);
  const fills = args.some(({ value }) => /^-(-replace|\w*[Ii])/.test(value));
  return fills ? scripts.map(() => null) : scripts;
}

function unlessFilled(script: string | null): string | null {
  return script?.includes('{}') ? null : script;
}

function ofReader(name: string, args: readonly GivenWord[], input: string | null): (string | null)[] {
  if (SHELLS.test(name)) return ofShell(args, input);
  const words = args[0]?.value === '--' ? args.slice(1) : args;
  const [first] = words;
  if (name === 'eval') return words.length === 0 ? [] : [joined(words)];
  if (name === 'trap') return first === undefined || first.value.startsWith('-') ? [] : [joined([first])];
  return name === 'alias' && first === undefined ? [] : [null];
}

/** `sh -c TEXT NAME ARGS`, `sh FILE ARGS`, or a shell that reads its input. */
function ofShell(args: readonly GivenWord[], input: string | null): (string | null)[] {
  if (/^--(version|help)$/.test(args[0]?.value ?? '')) return [];
  let isText = false;
  let isInput = false;
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined || !word.isTold) return [null];
    if (!/^[-+]/.test(word.value)) break;
    if (word.value === '--' || word.value === '-') {
      at += 1;
      break;
    }
    if (word.value.startsWith('--')) {
      if (!LONG_OPTIONS.includes(word.value)) return [null];
      continue;
    }
    isText ||= /^-\w*c/.test(word.value);
    isInput ||= /^-\w*s/.test(word.value);
    // Each of these letters takes a word of its own.
    at += word.value.match(/[oO]/g)?.length ?? 0;
  }
  if (isText) return [joined(args.slice(at, at + 1))];
  return [at < args.length && !isInput ? null : input];
}

const LONG_OPTIONS = ['--norc', '--noprofile', '--posix', '--login', '--restricted', '--verbose'];

/** `-c TEXT` of programs that give it to a shell. */
function behindOption(args: readonly GivenWord[]): (string | null)[] {
  return args.flatMap(({ value }, at) => {
    if (/^(-[a-z]*c|--(session-)?command)$/.test(value)) return [joined(args.slice(at + 1, at + 2))];
    return /^(-[a-z]*c|--(session-)?c)/.test(value) ? [null] : [];
  });
}

function joined(words: readonly GivenWord[]): string | null {
  if (words.length === 0 || words.some(({ isTold }) => !isTold)) return null;
  return words.map(({ value }) => value).join(' ');
}
