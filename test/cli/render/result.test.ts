import { expect, it } from 'vitest';
import { renderResult } from '../../../src/cli/render/result.ts';
import { NO_PROOF, type Receipt } from '../../../src/job/receipt.ts';
import { NO_RESULT } from '../../../src/job/record.ts';
import { AT, sampleRecord } from '../../store/fixtures/records.ts';

const record = sampleRecord({ state: 'failed', reason: 'auth', result: NO_RESULT, endedAt: AT });

function receipt(error: string): Receipt {
  return {
    ...record,
    schema: 1,
    version: '0',
    state: 'failed',
    error,
    specDigest: '',
    commit: null,
    tree: null,
    files: [],
    insertions: 0,
    deletions: 0,
    notInPatch: [],
    setup: null,
    before: null,
    after: null,
    ...NO_PROOF,
    rubric: null,
    flags: [],
    notes: [],
    summary: '',
    models: [],
    steps: 1,
    toolCalls: 0,
    salvaged: false,
    startedAt: AT,
    endedAt: AT,
  };
}

it('shows an error whole, folded in 80 columns, since its remedy comes last', () => {
  const error = `HTTP 401: ${'the key was refused '.repeat(6)}— log in again: cc-delegate auth login`;
  const said = renderResult(record, receipt(error));
  expect(said.replaceAll(/\n {12}/g, ' ')).toContain(`\n  error     ${error}\n`);
  for (const line of said.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80);
});

it('cuts an error that has no end', () => {
  expect(renderResult(record, receipt('word '.repeat(5000))).split('\n').length).toBeLessThanOrEqual(12);
});
