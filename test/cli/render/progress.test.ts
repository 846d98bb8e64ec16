import { expect, it } from 'vitest';
import { renderProgress } from '../../../src/cli/render/progress.ts';
import { NO_PROGRESS } from '../../../src/job/record.ts';
import { sampleRecord } from '../../store/fixtures/records.ts';

const nothing = {
  elapsedSeconds: 1,
  activity: [],
  filesTouched: [],
  lastActivitySeconds: null,
  partialText: '',
};

it.each([
  ['running', '\ndoing      half way'],
  ['failed', '\nwas doing  half way'],
] as const)('a job that is %s: %j', (state, line) => {
  const record = sampleRecord({ state, progress: { ...NO_PROGRESS, note: 'half way' } });
  expect(renderProgress(record, nothing)).toContain(line);
});
