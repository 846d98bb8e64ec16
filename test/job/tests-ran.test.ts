import { expect, it } from 'vitest';
import { lostItsTests } from '../../src/job/tests-ran.ts';

const run = (exitCode: number, outputTail: string) => ({ exitCode, outputTail });
const FAILED = run(1, '1 failed, 2 passed in 0.02s\n');

it.each([
  ['says nothing any more', FAILED, run(0, ''), true],
  ['still tells of them', FAILED, run(0, '3 passed in 0.02s\n'), false],
  ['fails', FAILED, run(1, ''), false],
  ['is one of Go', run(1, '--- FAIL: TestA (0.00s)\nFAIL\n'), run(0, 'ok  \ta.b/c\t0.003s\n'), false],
  ['never told of any', run(1, 'diff'), run(0, ''), false],
  ['was not run before', null, run(0, ''), false],
])('tests are lost or not where the command %s', (_, before, after, lost) => {
  expect(lostItsTests(before, after)).toBe(lost);
});
