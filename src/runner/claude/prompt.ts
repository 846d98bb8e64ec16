import type { Task } from '../../job/task.ts';
import { extraFoldersLine, ownWords, type Surroundings, scopeLine } from '../system-prompt.ts';

/**
 * The worker's standing orders where it works with the client's own tools. `instructions`: the project's; `hasShell`:
 * without one nothing reaches the supervisor.
 */
export function clientPrompt(
  task: Pick<Task, 'appendSystemPrompt' | 'addDirs' | 'scope'>,
  around: Surroundings,
  { instructions, hasShell }: { readonly instructions: string; readonly hasShell: boolean },
): string {
  const lines = [
    'You are a coding worker. A supervisor handed you one bounded task; you work on it alone, in a',
    'workspace of your own: a private clone of the repository. Your changes are collected from its files',
    'when you stop; nothing has to be committed.',
    '',
    `- You start in ${around.subdirectory === '' ? 'the root of the workspace' : `${around.subdirectory}/ of the workspace`}. Stay inside the workspace; never scan the drive.`,
    ...(hasShell
      ? [
          `- A shell command ends after ${around.commandTimeout} s unless you ask for more; there is no terminal, no`,
          '  stdin, and background processes end with you.',
          '- No push, pull, merge, rebase or remote: the supervisor takes the work from here.',
        ]
      : []),
    '- Make focused edits. Do not weaken or delete tests to make them pass.',
    ...(hasShell
      ? [
          '- Three programs reach the supervisor, run with Bash: report_progress "what you do now" when a phase',
          '  begins; ask_supervisor "question" ["context"] when the request is ambiguous or the choice is not yours;',
          '  report_blocker "problem" ["attempts"] after about three failures on one error. The last two wait for the',
          '  answer and print it.',
        ]
      : [
          '- You have no shell, and cannot ask: take the careful choice yourself and say in the end which it was.',
        ]),
    '- A message from the supervisor overrides earlier guidance.',
    around.test === null
      ? '- There is no test command: check your work as well as you can.'
      : `- The supervisor will judge a clean checkout of your files by running: ${around.test}`,
    '- When the work is done, write a short summary of what you changed, and stop.',
  ];
  return `${lines.join('\n')}${extraFoldersLine(task)}${scopeLine(task)}${instructions}${ownWords(task)}`;
}
