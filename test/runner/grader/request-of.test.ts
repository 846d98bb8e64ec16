import { expect, it } from 'vitest';
import { requestOf } from '../../../src/runner/grader/request-of.ts';
import { openStore } from '../../../src/store/open.ts';
import { runPaths } from '../../../src/store/paths.ts';
import { writeTask } from '../../../src/store/task-file.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { newId, sampleTask } from '../../store/fixtures/records.ts';

it('has the requests of all turns, each once, as far back as they can be read', () => {
  const store = openStore(makeFolder(), { create: true });
  const [gone, first, resumed] = [newId(), newId(), newId()];
  const after = (job: typeof gone, how: 'followup' | 'resume') => ({ job, how, start: null });
  writeTask(runPaths(store, first).task, sampleTask({ prompt: 'make a', goesOn: after(gone, 'followup') }));
  writeTask(runPaths(store, resumed).task, sampleTask({ prompt: 'make a', goesOn: after(first, 'resume') }));
  const task = sampleTask({ prompt: 'and b', goesOn: after(resumed, 'followup') });
  expect(requestOf(store, task)).toBe('make a\n\nThen, as a further request:\nand b');
  expect(requestOf(store, sampleTask({ prompt: 'make a' }))).toBe('make a');
});
