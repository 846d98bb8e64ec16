import type { Destination } from './first-send.ts';
import type { Need } from './need.ts';

/**
 * The person's consent to one call. `typed`: they typed our slash command, with these words after it. `dialog`: the
 * client's permission dialog shows them exactly this call; the grant counts only if they then let it run.
 */
export type Grant =
  | {
      readonly kind: 'typed';
      readonly verb: string;
      readonly words: readonly string[];
      readonly expiresAt: number;
    }
  | {
      readonly kind: 'dialog';
      readonly argv: readonly string[];
      /** Where the dialog said that files go to; absent: it named nothing. */
      readonly to?: readonly Destination[] | undefined;
      readonly expiresAt: number;
    };

/** Milliseconds a grant can be used: as long as a person remembers what they have said. */
export const GRANT_LIFE_MS = 5 * 60_000;

/** Milliseconds since 1970. */
export function mintedAt({ expiresAt }: Grant): number {
  return expiresAt - GRANT_LIFE_MS;
}

/** What `/delegate-<name>` lets the model call. */
const VERBS_OF: Readonly<Record<string, readonly string[]>> = {
  delegate: ['start'],
  'delegate-ask': ['ask'],
  'delegate-followup': ['followup', 'resume', 'retry'],
  'delegate-apply': ['apply'],
  'delegate-undo': ['undo'],
  'delegate-cleanup': ['cleanup', 'discard'],
  'delegate-report': ['report'],
  'delegate-setup': ['config', 'statusline', 'uninstall', 'doctor'],
};

/** The typed command as a grant; null for a command that needs none. `name` is without the plugin's prefix. */
export function typedGrant(name: string, args: string, now: number): Grant | null {
  const verbs = VERBS_OF[name];
  if (verbs === undefined) return null;
  return { kind: 'typed', verb: name, words: wordsOf(args), expiresAt: now + GRANT_LIFE_MS };
}

/** Does this grant cover this call? Pure; `argv` is what follows `cc-delegate`. */
export function covers(grant: Grant, argv: readonly string[], need: Need, now: number): boolean {
  if (grant.expiresAt <= now) return false;
  if (grant.kind === 'dialog') return sameWords(grant.argv, argv);
  if (!(VERBS_OF[grant.verb] ?? []).includes(need.verb)) return false;
  if (BY_CONTENT.has(need.verb)) return says(grant.words, need);
  return grant.verb === 'delegate-setup'
    ? isVerbatim(grant.words, argv)
    : namesJob(grant.words, argv.slice(1));
}

/**
 * Did the person agree to this sum, and not only to something else this call needs? A dialog has shown the whole call; in
 * typed words the sum stands as the option, as `$9`, or as `budget 9`. `usd`: US dollars.
 */
export function namesSum(grant: Grant, flag: string, usd: number): boolean {
  if (grant.kind === 'dialog') return true;
  return grant.words.some((word, at) => {
    const said = word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : word;
    const isSum = said !== word || word.startsWith('$');
    const isNext = [flag, 'budget', 'cap'].includes(grant.words[at - 1]?.toLowerCase() ?? '');
    return (isSum || isNext) && Number(said.replace(/^\$/, '') || Number.NaN) === usd;
  });
}

/** Does what the person said name the job this call is about? A dialog has shown it. `args` is what follows the verb. */
export function namesItsJob(grant: Grant, args: readonly string[]): boolean {
  if (grant.kind === 'dialog') return true;
  const id = jobIn(args);
  return id !== undefined && (grant.words.includes(id) || grant.words.includes(id.slice(-6)));
}

/** The first word that is the id of a job or of a conversation, whole or its end. */
export function jobIn(args: readonly string[]): string | undefined {
  return args.find((arg) => /^(?:[tc]_[0-9a-z]+_)?[0-9a-z]{6}$/.test(arg));
}

/** For these the words after the command are a request in plain language; what goes beyond must be said in it. */
const BY_CONTENT = new Set(['start', 'ask', 'followup', 'resume', 'retry']);

/** Every option that goes beyond was asked for: as the option itself, or in words that can mean nothing else. */
function says(words: readonly string[], need: Need): boolean {
  return need.words.every((needed) => {
    const [flag = '', ...rest] = needed.split(' ');
    const value = rest.join(' ');
    if (value === '') return words.includes(flag);
    if (words.includes(`${flag}=${value}`) || isSaid(words, [flag], value)) return true;
    return inPlainWords(flag, words, value);
  });
}

function inPlainWords(flag: string, words: readonly string[], value: string): boolean {
  switch (flag) {
    case '--model':
      // A full name can mean nothing else; a short one may be any word of the request.
      return /[/:]/.test(value) ? words.includes(value) : isSaid(words, ['model', 'use', 'ask'], value);
    case '--profile':
      return isSaid(words, ['profile', 'use'], value);
    case '--budget':
    case '--raise-budget':
      return words.includes(`$${value}`) || isSaid(words, ['budget', 'cap'], value);
    default:
      return false;
  }
}

function isSaid(words: readonly string[], before: readonly string[], value: string): boolean {
  return words.some((word, at) => word === value && before.includes(words[at - 1]?.toLowerCase() ?? ''));
}

/** Settings are taken at their word only: a sentence about a setting is no consent to it. */
function isVerbatim(words: readonly string[], argv: readonly string[]): boolean {
  const said = argv.filter((arg) => arg !== '--json');
  return sameWords(words, said) || sameWords(words, said.slice(1));
}

/** Everything the call says was typed. Who typed nothing has left it to the model which job is meant. */
function namesJob(words: readonly string[], args: readonly string[]): boolean {
  const said = args.filter((arg) => arg !== '--json');
  const isTyped = (arg: string): boolean => words.includes(arg) || words.some((word) => isIdOf(word, arg));
  if (said.every(isTyped)) return true;
  return words.length === 0 && said.length === 1 && /^(t_[0-9a-z]+_)?[0-9a-z]{6}$/.test(said[0] ?? '');
}

/** `a1b2c3` typed, `t_m3k9x2f1_a1b2c3` called: the same job. */
function isIdOf(word: string, arg: string): boolean {
  return /^[0-9a-z]{6}$/.test(word) && /^t_[0-9a-z]+_[0-9a-z]{6}$/.test(arg) && arg.endsWith(`_${word}`);
}

function sameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}

/** What was typed, as words: quotes and the punctuation of a sentence around them are not part of one. */
function wordsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .map((word) => word.replace(/^["'`(]+|["'`),.;:!?]+$/g, ''))
    .filter((word) => word !== '');
}
