import { PROGRAMS } from '../../engine/claude/place.ts';
import type { Task } from '../../job/task.ts';
import { clientRule, judgeShell, parseRule, type ShellCommand } from '../../job/tool-rules.ts';
import { simpleCommands } from '../tools/simple-commands.ts';

type Rules = Pick<Task, 'allowTools' | 'denyTools'>;

/**
 * The rules as the client takes them, with its own names of tools. Who may run some commands only may speak to the
 * supervisor as well: here that is done by commands.
 */
export function clientRules({ allowTools, denyTools }: Rules): { allow: string[]; deny: string[] } {
  const allow = allowTools.flatMap((rule) => clientRule(rule) ?? []);
  const hasShell = allowTools.some((rule) => parseRule(rule)?.tool === 'bash');
  const programs = hasShell ? PROGRAMS.map((name) => `Bash(${name}:*)`) : [];
  return { allow: [...allow, ...programs], deny: denyTools.flatMap((rule) => clientRule(rule) ?? []) };
}

/** Why the rules do not let this script run, in the words of the other engine; null: they do. */
export function ruledOut(rules: Rules, script: string): string | null {
  const others = simpleCommands(script)?.filter((command) => !isProgram(command)) ?? null;
  const verdict = judgeShell(rules, others);
  return verdict.allow ? null : verdict.why;
}

function isProgram({ text }: ShellCommand): boolean {
  return PROGRAMS.some((name) => text === name || text.startsWith(`${name} `));
}
