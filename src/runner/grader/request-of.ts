import type { Task } from '../../job/task.ts';
import type { Store } from '../../store/open.ts';
import { runPaths } from '../../store/paths.ts';
import { readTask } from '../../store/task-file.ts';

/**
 * The request of a turn after those of the turns it goes on from: the work and the criteria are of all of them. A turn
 * whose task cannot be read any more ends the way back.
 */
export function requestOf(store: Store, task: Task): string {
  const prompts = [task.prompt];
  for (let before = task.goesOn; before !== null; ) {
    const read = readTask(runPaths(store, before.job).task);
    if (read.kind !== 'ok') break;
    // A resumed turn repeats the words of the one before.
    if (prompts[0] !== read.value.prompt) prompts.unshift(read.value.prompt);
    before = read.value.goesOn;
  }
  return prompts.join('\n\nThen, as a further request:\n');
}
