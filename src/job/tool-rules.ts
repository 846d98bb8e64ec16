import type { PermissionMode } from './permission-mode.ts';
import { programName, startsOthers } from './starters.ts';
import { type Task, TOOL_NAMES, toolName } from './task.ts';

/** A tool, or some commands of the shell: `Read`, `Bash(git log *)`, `Bash(npm run test:*)`. */
export interface ToolRule {
  /** By our name. */
  readonly tool: string;
  /** What stands in the brackets; null: all of the tool. */
  readonly pattern: string | null;
}

/**
 * A rule as it is typed, in Claude Code's spelling or with our names; null for what names no tool, or is more than one
 * rule: to the client a bracket always closes one.
 */
export function parseRule(typed: string): ToolRule | null {
  const parts = /^([A-Za-z]+)(?:\(([^()]*)\))?$/s.exec(typed.trim());
  const tool = toolName(parts?.[1] ?? '');
  if (tool === null) return null;
  const pattern = parts?.[2]?.trim() ?? null;
  if (pattern === '') return null;
  return { tool, pattern: pattern === '*' || pattern === ':*' ? null : pattern };
}

/** The rule with Claude Code's name of the tool, and the rest as it was typed; null for what names no tool. */
export function clientRule(typed: string): string | null {
  const rule = parseRule(typed);
  if (rule === null) return null;
  const name = Object.keys(TOOL_NAMES).find((each) => TOOL_NAMES[each] === rule.tool) ?? rule.tool;
  return rule.pattern === null ? name : `${name}(${rule.pattern})`;
}

/**
 * `*` is any text; `x *` and `x:*` are `x` alone or with more words behind it, as in Claude Code; else the command has to
 * be the pattern.
 */
export function matchesPattern(pattern: string, command: string): boolean {
  const prefix = /^(.*):\*$/s.exec(pattern)?.[1];
  if (prefix !== undefined) return command === prefix || command.startsWith(`${prefix} `);
  const open = pattern.endsWith(' *');
  const parts = (open ? pattern.slice(0, -2) : pattern)
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}${open ? '( .*)?' : ''}$`, 's').test(command);
}

/** Our names of the tools that change nothing. */
export const LOOKING: readonly string[] = ['read', 'grep', 'glob'];
const EDITING = ['write', 'edit'];
const WORKING: readonly string[] = Object.values(TOOL_NAMES);

type Terms = Pick<Task, 'allowTools' | 'denyTools' | 'permissionMode'>;

/**
 * Does a worker on these terms have this tool of ours? What denies all of a tool comes first. A rule that allows some of
 * a tool allows to have it: what it is used for is judged call by call. Other tools than the worker's hands are not
 * touched by rules.
 */
export function hasTool(tool: string, { allowTools, denyTools, permissionMode }: Terms): boolean {
  if (!WORKING.includes(tool)) return true;
  if (rulesOf(tool, denyTools).some(({ pattern }) => pattern === null)) return false;
  const isNamed = rulesOf(tool, allowTools).length > 0;
  const free = freeTools(permissionMode);
  if (free !== null) return free.includes(tool) || (isNamed && permissionMode !== 'plan');
  return allowTools.length === 0 || isNamed;
}

/**
 * Which of these rules would let a worker do what one on the terms of before may not: each has to be one of the rules
 * there were, or of a tool that was there as a whole.
 */
export function widerRules(
  wanted: readonly string[],
  before: Pick<Task, 'allowTools' | 'permissionMode'> & { readonly engine: 'native' | 'claude' },
): string[] {
  const free = freeTools(before.permissionMode) ?? (before.allowTools.length === 0 ? WORKING : []);
  return wanted.filter((typed) => {
    const rule = parseRule(typed);
    if (rule === null) return true;
    const { tool, pattern } = rule;
    // A client starts agents only where a rule names them.
    if (free.includes(tool) && !(tool === 'task' && before.engine === 'claude')) return false;
    return !rulesOf(tool, before.allowTools).some((old) => old.pattern === null || old.pattern === pattern);
  });
}

/** What a mode allows, by our names, without a rule that names it; null: whatever the rules say. */
export function freeTools(mode: PermissionMode | null): readonly string[] | null {
  switch (mode) {
    case 'plan':
    case 'default':
    case 'manual':
    case 'dontAsk':
      return LOOKING;
    case 'acceptEdits':
      return [...LOOKING, ...EDITING];
    default:
      return null;
  }
}

function rulesOf(tool: string, typed: readonly string[]): ToolRule[] {
  return typed.flatMap((each) => {
    const rule = parseRule(each);
    return rule?.tool === tool ? [rule] : [];
  });
}

/** A simple command of a script. */
export interface ShellCommand {
  /** Its words, with one space between. */
  readonly text: string;
  /**
   * Do the words say themselves what they are, and can a script it is given be read? Not where some are put together as
   * it runs.
   */
  readonly isTold: boolean;
  /** Does its output go to a file? */
  readonly writes: boolean;
  /** Is it of a script that another one of the commands is given? Then only what denies is about it. */
  readonly isInner: boolean;
}

/** What rules say of a shell script; `commands`: its simple commands, null when it cannot be read. */
export type ShellVerdict = { readonly allow: true } | { readonly allow: false; readonly why: string };

/**
 * Judges a script: no simple command may match what is denied, not behind a program that starts another one either, and
 * where only some commands are allowed, each has to match one of them and write to no file. A script that cannot be read is
 * refused as soon as there is a pattern to hold it against, and a command that cannot be told when it may start anything
 * or is of a program some of whose commands are denied.
 */
export function judgeShell(
  { allowTools, denyTools }: Pick<Task, 'allowTools' | 'denyTools'>,
  commands: readonly ShellCommand[] | null,
): ShellVerdict {
  const denied = patternsOf(denyTools);
  const allowing = rulesOf('bash', allowTools);
  // A rule for all of the shell allows whatever another one says.
  const allowed = allowing.some(({ pattern }) => pattern === null) ? [] : patternsOf(allowTools);
  if (denied.length === 0 && allowed.length === 0) return { allow: true };
  if (commands === null)
    return { allow: false, why: 'only some commands may be run here, and this one cannot be read' };
  const untold = commands.find(({ text, isTold }) => !isTold && mayBeDenied(text, denied));
  if (untold !== undefined)
    return { allow: false, why: `it cannot be told whether this is denied: ${untold.text}` };
  const against = commands.find(({ text }) =>
    denied.some((pattern) => spellings(text).some((each) => matchesPattern(pattern, each))),
  );
  if (against !== undefined) return { allow: false, why: `this command is denied: ${against.text}` };
  if (allowed.length === 0) return { allow: true };
  const outer = commands.filter(({ isInner }) => !isInner);
  const beside = outer.find(({ text }) => !allowed.some((pattern) => matchesPattern(pattern, text)));
  if (beside !== undefined)
    return {
      allow: false,
      why: `not among the commands that may be run (${allowed.join('; ')}): ${beside.text}`,
    };
  const writing = outer.find(({ writes }) => writes);
  if (writing === undefined) return { allow: true };
  return { allow: false, why: `only some commands may be run here, and none into a file: ${writing.text}` };
}

/** May a command whose words are not all known be one that a pattern denies? */
function mayBeDenied(text: string, denied: readonly string[]): boolean {
  const [program = ''] = text.split(' ');
  const name = programName(program);
  if (startsOthers(name)) return denied.length > 0;
  return denied.some((pattern) => {
    const [first = ''] = pattern.replace(/:\*$/, '').split(' ');
    const star = first.indexOf('*');
    return [program, name].some((each) =>
      star === -1 ? each === first : each.startsWith(first.slice(0, star)),
    );
  });
}

/** A command as it is, with its program's bare name, and all that a starter in front of it may start. */
function spellings(text: string): string[] {
  const words = text.split(' ');
  const started = startsOthers(programName(words[0] ?? '')) ? words : words.slice(0, 1);
  return started.flatMap((word, at) => {
    const rest = words.slice(at + 1);
    return [[word, ...rest].join(' '), [programName(word), ...rest].join(' ')];
  });
}

function patternsOf(typed: readonly string[]): string[] {
  return rulesOf('bash', typed).flatMap(({ pattern }) => (pattern === null ? [] : [pattern]));
}
