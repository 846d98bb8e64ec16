import type { Task } from '../job/task.ts';

export interface Surroundings {
  /** Where the worker's shell starts, relative to the workspace's root; '' is the root. */
  readonly subdirectory: string;
  readonly test: string | null;
  readonly commandTimeout: number;
}

/** The worker's standing orders. Short on purpose: it is sent, and paid for, with every step. */
export function systemPrompt(task: Task, around: Surroundings): string {
  const lines = [
    'You are a coding worker. A supervisor handed you one bounded task; you work on it alone, in a',
    'workspace of your own: a private clone of the repository. Your changes are collected from its files',
    'when you stop; nothing has to be committed.',
    '',
    '- Paths are relative to the root of the workspace. Stay inside it; never scan the drive.',
    around.subdirectory === ''
      ? '- Shell commands start at the root of the workspace.'
      : `- Shell commands start in ${around.subdirectory}/, file tools at the root of the workspace.`,
    `- A shell command ends after ${around.commandTimeout} s unless you ask for more; there is no terminal, no`,
    '  stdin, and background processes end with their command.',
    '- No push, pull, merge, rebase or remote: the supervisor takes the work from here.',
    '- If CLAUDE.md or AGENTS.md is at the root, read it first and follow it.',
    '- Make focused edits. Do not weaken or delete tests to make them pass.',
    '- Call report_progress when a phase begins. Call ask_supervisor when the request is ambiguous or the',
    '  choice is not yours. Call report_blocker after about three failures on one error.',
    '- A message from the supervisor overrides earlier guidance.',
    around.test === null
      ? '- There is no test command: check your work as well as you can.'
      : `- The supervisor will judge a clean checkout of your files by running: ${around.test}`,
    '- When the work is done, write a short summary of what you changed, and stop.',
  ];
  return task.appendSystemPrompt === null
    ? lines.join('\n')
    : `${lines.join('\n')}\n\n${task.appendSystemPrompt}`;
}

/** The first message: the request, and what "done" means. */
export function firstMessage(task: Task): string {
  return task.done === null ? task.prompt : `${task.prompt}\n\nDefinition of done:\n${task.done}`;
}
