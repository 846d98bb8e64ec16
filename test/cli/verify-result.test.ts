import { expect, it } from 'vitest';
import { cleanRuns } from '../../src/cli/verify-result.ts';
import { variableSecrets } from '../../src/job/redaction/known.ts';
import { createRedactor } from '../../src/job/redaction/redactor.ts';

it('what a second look shows holds no value that its commands were given', () => {
  const token = 'tk-8f3a91c07be24d56';
  const run = {
    command: `TOKEN=${token} make test`,
    exitCode: 1,
    timedOut: false,
    durationSeconds: 1,
    outputTail: `refused: ${token}`,
  };
  const redactor = createRedactor({ values: variableSecrets({ TOKEN: token }) });
  const seen = cleanRuns({ tests: run, kept: run }, redactor);
  expect(JSON.stringify(seen)).not.toContain(token);
  expect(seen.kept).toMatchObject({ exitCode: 1, outputTail: expect.stringMatching(/^refused: ./) });
  expect(cleanRuns({ tests: run, kept: null }, redactor).kept).toBeNull();
});
