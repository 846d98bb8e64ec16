import { expect, it } from 'vitest';
import { verb as answer } from '../../src/cli/answer.ts';
import { shortId } from '../../src/job/ids.ts';
import { NO_RESULT } from '../../src/job/record.ts';
import { makeFolder, makeRepository } from '../helpers/repository.ts';
import { jobOf } from '../notify/jobs.ts';
import { refusal } from '../provider/user-error-of.ts';
import { contextOf } from './context.ts';

it.each([
  ['running', 'this job is running, it has no open question', 'steer'],
  ['failed', 'this job has ended (failed), it asks nothing any more', 'followup'],
] as const)('an answer to a job that is %s names what can be said to it', async (state, what, verb) => {
  const userDir = makeFolder();
  const repo = makeRepository({ 'a.txt': 'a\n' });
  const ended = state === 'failed' && { runner: null, reason: 'loop' as const, result: NO_RESULT };
  const { id } = jobOf(repo, 's1', userDir, { state, ...ended });
  const context = contextOf({ cwd: repo, userDir, args: [id, 'blue'], env: {} });
  const { what: told, remedy, exit } = await refusal(() => answer.run(context));
  expect({ told, exit }).toEqual({ told: what, exit: 4 });
  expect(remedy).toContain(`cc-delegate ${verb} ${shortId(id)} "…"`);
});
