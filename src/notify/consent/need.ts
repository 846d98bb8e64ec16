import { filesElsewhere, optionsBeyond } from './beyond.ts';
import type { Bounds } from './bounds.ts';
import { callWords, shortened } from './call-words.ts';
import { isLowering } from './lowering.ts';

/** Why the person is needed: what the call would change or go beyond, a few words each. */
export interface Need {
  readonly verb: string;
  readonly why: string;
  /** The words of the call that need it: `--budget 9`, an id. A typed command that names them is the consent. */
  readonly words: readonly string[];
}

/**
 * Which calls of the program need the person: the one decision for both who ask it, the hook that sees a command before
 * it runs, and the program, which has the last word. `argv` is what follows `cc-delegate`. Without `bounds` nothing is
 * known, so everything that could be beyond is. A verb nobody thought of needs the person. `newTo` names where the
 * call would send to for the first time.
 */
export function needOf(
  argv: readonly string[],
  bounds: Bounds | null,
  newTo: string | null = null,
): Need | null {
  const [verb, ...args] = argv;
  if (verb === undefined || READING.has(verb)) return null;
  const { has, values } = callWords(args);
  if (has('--help') || has('-h')) return null;
  if (SPENDING.has(verb)) {
    const beyond = unlessNone(
      verb,
      'goes beyond your settings or this directory',
      optionsBeyond(args, bounds),
    );
    return newTo === null ? beyond : sending(beyond ?? needed(verb, '', []), newTo);
  }
  const raises = verb === 'answer' ? values('--raise-budget').map((usd) => `--raise-budget ${usd}`) : [];
  if (raises.length > 0) return needed(verb, 'lets a job spend more', raises);
  if (NAMING_FILES.has(verb)) {
    return unlessNone(verb, 'names a file outside of this directory', filesElsewhere(args));
  }
  if (verb === 'doctor')
    return has('--request') ? needed(verb, 'makes a paid request: --request', ['--request']) : null;
  if (isReadingForm(verb, args) || changesNothing(verb, args, bounds)) return null;
  return needed(
    verb,
    WHY[verb] ?? `runs ${verb}`,
    args.filter((arg) => arg !== '--json'),
  );
}

/** Reading, and steering work that was allowed to begin: free for everybody. */
const READING = new Set(
  'status progress wait result diff log list models spend open cancel demo help --help -h --version'.split(
    ' ',
  ),
);

/** These spend within the settings; beyond them they need the person. */
const SPENDING = new Set(['start', 'ask', 'followup', 'resume', 'retry']);

/** Free, but for what they read or write elsewhere. */
const NAMING_FILES = new Set(['answer', 'steer', 'report']);

const WHY: Readonly<Record<string, string>> = {
  apply: 'changes your checkout',
  undo: 'changes your checkout',
  discard: 'gives up a result',
  cleanup: 'removes jobs and their branches',
  auth: 'changes what you are logged in to',
  config: 'changes your settings',
  statusline: 'changes your Claude Code settings',
  uninstall: 'removes what cc-delegate has put on this machine',
  hook: 'plays the part of the client',
};

/**
 * What reads, told by the first words as they stand: behind an option a word may be that option's value, and the verb
 * another one (`config mode --repo off auto`).
 */
const READING_FORMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  auth: [['status']],
  config: [['show'], ['path'], ['profile', 'list'], ['profile', 'show'], ['allow-rules', 'show']],
  // What a hook starts when it has found a dead runner; any reading verb does the same.
  hook: [['lost']],
};

function isReadingForm(verb: string, args: readonly string[]): boolean {
  const said = args.filter((arg) => arg !== '--json');
  if (verb === 'statusline') return said.length === 0;
  return READING_FORMS[verb]?.some((form) => form.every((word, at) => said[at] === word)) ?? false;
}

function changesNothing(verb: string, args: readonly string[], bounds: Bounds | null): boolean {
  const { has } = callWords(args);
  if (verb === 'apply') return has('--check') || bounds?.applyAsk === false;
  if (verb === 'config' && isLowering(args, bounds)) return true;
  const canBeTried =
    verb === 'cleanup' || verb === 'uninstall' || (verb === 'config' && args[0] === 'import');
  return canBeTried && has('--dry-run');
}

function sending(need: Need, to: string): Need {
  const why = `sends the files the worker reads to ${to}, for the first time from this repository`;
  return { ...need, why: need.why === '' ? why : `${need.why}; ${why}` };
}

function unlessNone(verb: string, why: string, words: readonly string[]): Need | null {
  return words.length === 0 ? null : needed(verb, `${why}: ${words.map(shortened).join(', ')}`, words);
}

function needed(verb: string, why: string, words: readonly string[]): Need {
  return { verb, why, words };
}
