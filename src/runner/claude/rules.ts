import { offeredTools } from '../../engine/claude/argv.ts';
import { PROGRAMS } from '../../engine/claude/place.ts';
import type { Task } from '../../job/task.ts';
import { clientRule, judgeShell, type ShellCommand } from '../../job/tool-rules.ts';
import { simpleCommands } from '../tools/simple-commands.ts';

type Rules = Pick<Task, 'allowTools' | 'denyTools'>;

/** Does a client that has these tools get a shell on these terms? */
export function hasShell(task: Rules & Pick<Task, 'permissionMode'>, tools: readonly string[]): boolean {
  const { permissionMode } = task;
  const { allow, deny } = clientRules(task);
  return (
    offeredTools({ tools, allowTools: allow, permissionMode }).includes('Bash') && !deny.includes('Bash')
  );
}

/** The rules as the client takes them, with its own names of tools. Throws for what is no rule: nothing may lift it. */
export function clientRules({ allowTools, denyTools }: Rules): { allow: string[]; deny: string[] } {
  return { allow: allowTools.map(asClients), deny: denyTools.map(asClients) };
}

function asClients(typed: string): string {
  const rule = clientRule(typed);
  if (rule !== null) return rule;
  throw new Error(`a rule of this job cannot be read: ${typed}`);
}

/**
 * Why the rules do not let this script run, in the words of the other engine; null: they do. Who may run some commands
 * only may speak to the supervisor as well: here that is done by commands.
 */
export function ruledOut(rules: Rules, script: string): string | null {
  const others = simpleCommands(script)?.filter((command) => !isProgram(command)) ?? null;
  const verdict = judgeShell(rules, others);
  return verdict.allow ? null : verdict.why;
}

/** Its output in a file would be a write like any other. */
function isProgram({ text, writes }: ShellCommand): boolean {
  if (writes) return false;
  return PROGRAMS.some((name) => text === name || text.startsWith(`${name} `));
}
