import { DEFAULT_LIMITS } from '../../job/limits.ts';

/**
 * Which calls of the program need the person. One pure decision for both who ask it: the hook, which sees a command
 * before it runs, and the program, which has the last word.
 */

/** What a model may use without asking: the user's own settings. */
export interface Bounds {
  readonly mode: 'off' | 'ondemand' | 'auto';
  readonly defaultProfile: string | null;
  /** US dollars; null: no cap is set. */
  readonly perJob: number;
  readonly perDay: number | null;
  readonly perRepository: number | null;
  readonly network: 'none' | 'full';
  readonly allowUnsandboxed: boolean;
  readonly pass: readonly string[];
  readonly addDirs: readonly string[];
  /** False: the client's own permission mode decides on apply. */
  readonly applyAsk: boolean;
}

/** What holds before anybody has set anything. */
export const DEFAULT_BOUNDS: Bounds = {
  mode: 'ondemand',
  defaultProfile: null,
  perJob: DEFAULT_LIMITS.budgetUsd,
  perDay: null,
  perRepository: null,
  network: 'none',
  allowUnsandboxed: false,
  pass: [],
  addDirs: [],
  applyAsk: true,
};

/** Why the person is needed: what the call would change or go beyond, a few words each. */
export interface Need {
  readonly verb: string;
  readonly why: string;
  /** The words of the call that need it: `--budget 9`, an id. A typed command that names them is the consent. */
  readonly words: readonly string[];
}

/** Reading, and steering work that was allowed to begin: free for everybody. */
const FREE = new Set([
  'status',
  'progress',
  'wait',
  'result',
  'diff',
  'log',
  'list',
  'models',
  'spend',
  'doctor',
  'open',
  'answer',
  'steer',
  'cancel',
  'report',
  'watch',
  'demo',
  'help',
  '--help',
  '-h',
  '--version',
]);

/** These spend within the settings; beyond them they need the person. */
const SPENDING = new Set(['start', 'ask', 'followup', 'resume', 'retry']);

const READING_WORDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  config: [['show'], ['path'], ['profile', 'list'], ['profile', 'show'], ['allow-rules', 'show']],
  auth: [['status']],
  statusline: [[]],
  // What a hook starts when it has found a dead runner; any reading verb does the same.
  hook: [['lost']],
};

/** `argv` is what follows `cc-delegate`. Without `bounds` nothing is known, so everything that could be beyond is. */
export function needOf(argv: readonly string[], bounds: Bounds | null): Need | null {
  const [verb, ...args] = argv;
  if (verb === undefined || FREE.has(verb)) return null;
  const { words, has } = scan(args);
  if (has('--help') || has('-h')) return null;
  if (SPENDING.has(verb)) return beyond(verb, args, bounds);
  if (verb === 'apply' && (has('--check') || bounds?.applyAsk === false)) return null;
  const reading = READING_WORDS[verb];
  if (reading?.some((start) => startsWith(words, start))) return null;
  if (verb === 'config' && isLowering(words, bounds)) return null;
  return { verb, why: WHY[verb] ?? `runs ${verb}`, words: args.filter((arg) => arg !== '--json') };
}

const WHY: Readonly<Record<string, string>> = {
  apply: 'changes your checkout',
  undo: 'changes your checkout',
  discard: 'gives up a result',
  cleanup: 'removes jobs and their branches',
  config: 'changes your settings',
  auth: 'changes your logins',
  statusline: 'changes your Claude Code settings',
  uninstall: 'removes what cc-delegate has put on this machine',
  hook: 'plays the part of the client',
};

const PLAIN_FLAGS: Readonly<Record<string, (bounds: Bounds) => boolean>> = {
  '--allow-unsandboxed': (bounds) => !bounds.allowUnsandboxed,
  '--anyway': () => true,
};

/** Options that may go beyond the settings: is this value within them? */
const VALUE_FLAGS: Readonly<Record<string, (value: string, bounds: Bounds) => boolean>> = {
  '--profile': (value, bounds) => value === bounds.defaultProfile,
  '--model': () => false,
  '--small-model': () => false,
  '--engine': () => true,
  '--budget': (value, bounds) => Number(value) <= bounds.perJob,
  '--raise-budget': (value, bounds) => Number(value) <= bounds.perJob,
  '--network': (value, bounds) => value === 'none' || bounds.network === 'full',
  '--pass-env': (value, bounds) => bounds.pass.includes(value),
  '--add-dir': (value, bounds) => bounds.addDirs.includes(value),
  '--permission-mode': () => false,
};

function beyond(verb: string, args: readonly string[], bounds: Bounds | null): Need | null {
  const { has, values } = scan(args);
  const words: string[] = [];
  for (const [flag, isBeyond] of Object.entries(PLAIN_FLAGS)) {
    if (has(flag) && (bounds === null || isBeyond(bounds))) words.push(flag);
  }
  for (const [flag, isWithin] of Object.entries(VALUE_FLAGS)) {
    for (const value of values(flag)) {
      if (bounds === null || !isWithin(value, bounds)) words.push(`${flag} ${value}`);
    }
  }
  return words.length === 0
    ? null
    : { verb, why: `goes beyond your settings: ${words.map(fenced).join(', ')}`, words };
}

/** What narrows the user's settings needs nobody: a model may always bind itself. */
function isLowering(words: readonly string[], bounds: Bounds | null): boolean {
  const [verb, key, value] = words[0] === 'mode' ? ['set', 'mode', words[1]] : words;
  if (verb !== 'set' || key === undefined || value === undefined || words.length > 3) return false;
  if (bounds === null) return key === 'mode' && value === 'off';
  const rule = LOWERING[key];
  return rule?.(value, bounds) ?? false;
}

const MODES = ['off', 'ondemand', 'auto'];

const LOWERING: Readonly<Record<string, (value: string, bounds: Bounds) => boolean>> = {
  mode: (value, { mode }) => MODES.includes(value) && MODES.indexOf(value) <= MODES.indexOf(mode),
  'budget.perJob': (value, { perJob }) => isAmountUpTo(value, perJob),
  'budget.perDay': (value, { perDay }) => isAmountUpTo(value, perDay),
  'budget.perRepository': (value, { perRepository }) => isAmountUpTo(value, perRepository),
  'sandbox.network': (value) => value === 'none',
  'sandbox.allowUnsandboxed': (value) => value === 'false',
  'apply.ask': (value) => value === 'true',
};

function isAmountUpTo(text: string, most: number | null): boolean {
  return /^\d+(\.\d+)?$/.test(text) && (most === null || Number(text) <= most);
}

interface Scan {
  /** What is no option, in order. */
  readonly words: readonly string[];
  has(flag: string): boolean;
  values(flag: string): string[];
}

/** Reads options where they may stand. What it cannot tell (`--title --model`) counts as the option it looks like. */
function scan(args: readonly string[]): Scan {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return {
    words: args.filter((arg) => !arg.startsWith('-')),
    has: (flag) => options.includes(flag),
    values: (flag) =>
      options.flatMap((arg, at) => {
        if (arg.startsWith(`${flag}=`)) return [arg.slice(flag.length + 1)];
        return arg === flag ? [options[at + 1] ?? ''] : [];
      }),
  };
}

function startsWith(words: readonly string[], start: readonly string[]): boolean {
  if (start.length === 0) return words.length === 0;
  return start.every((word, at) => words[at] === word);
}

/** A value of the caller's, told apart from our words and kept short. */
function fenced(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
