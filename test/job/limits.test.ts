import { expect, it } from 'vitest';
import { stepsUsedUp } from '../../src/job/limits.ts';

it.each([
  ['no step was made', 3, 0, null],
  ['one is left', 3, 2, null],
  ['all are made', 3, 3, 'max_steps'],
  ['none is allowed at all', 0, 0, 'max_steps'],
] as const)('before a new step: %s', (_name, maxSteps, steps, reason) => {
  const stop = stepsUsedUp({ maxSteps }, steps);
  expect(stop && 'reason' in stop ? stop.reason : null).toBe(reason);
});
