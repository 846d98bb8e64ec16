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

it('says nothing of an error where there is none to tell', () => {
  expect(renderResult({ ...record, reason: 'no_changes' }, receipt(''))).not.toContain('error');
});

it('has fifteen lines at most, whatever there is to say, and keeps what tells most', () => {
  const ended = {
    ...record,
    reason: 'auth',
    network: 'full',
    client: '2.1.332',
    gate: { ...record.gate, test: 'npm test' },
  } as const;
  const run = {
    command: 'npm test',
    exitCode: 1,
    timedOut: false,
    durationSeconds: 1,
    outputTail: 'it fails',
  };
  const full: Receipt = {
    ...receipt('word '.repeat(5000)),
    commit: 'c'.repeat(40),
    files: [{ path: 'a', status: 'M', insertions: 1, deletions: 1, binary: false, flags: ['test_edit'] }],
    notInPatch: [{ path: 'b', why: 'ignored' }],
    after: run,
    kept: run,
    rubric: {
      verdict: 'needs_revision',
      explanation: '',
      criteria: [{ text: 'works', pass: false, evidence: 'a:1' }],
      iterations: 1,
    },
    flags: ['flaky'],
    notes: ['first', 'second', 'third'],
    summary: 'all done',
  };
  const lines = renderResult(ended, full).split('\n');
  expect(lines).toHaveLength(15);
  expect(lines.at(-1)).toMatch(/^ {2}next /);
  expect(lines.join('\n')).toMatch(/tests .*\n.*with the base's tests.*\n {2}rubric /);
  expect(lines.join('\n')).not.toMatch(/^ {2}(network|said|left out) /m);
  const short = renderResult(ended, { ...full, error: null, rubric: null }).split('\n');
  expect(short.length).toBeLessThanOrEqual(15);
  expect(short.join('\n')).toMatch(/^ {2}left out .*b/m);
  expect(renderResult(ended, full, 14).split('\n')).toHaveLength(14);
});

it('names the client of the claude engine, and of the other engine nothing', () => {
  const byClient = { ...record, engine: 'claude', client: '2.1.332' } as const;
  const said = renderResult(byClient, { ...receipt(''), client: '2.1.332' });
  expect(said).toMatch(/^ {2}engine {4}claude \(Claude Code 2\.1\.332\)$/m);
  // A runner that died has left no receipt yet.
  expect(renderResult(byClient, null)).toContain('Claude Code 2.1.332');
  expect(renderResult(record, receipt(''))).not.toContain('engine');
});

it('cuts an error that has no end', () => {
  expect(renderResult(record, receipt('word '.repeat(5000))).split('\n').length).toBeLessThanOrEqual(12);
});

it('says of which run it is flaky, and that the one before did not end', () => {
  const preflight = {
    ran: true,
    exitCode: null,
    timedOut: true,
    outputTail: '',
    verdict: 'timed_out',
    note: '',
    durationSeconds: 1,
  } as const;
  const gate = { ...record.gate, test: 'npm test' };
  const run = { command: 'npm test', exitCode: 0, timedOut: false, durationSeconds: 1, outputTail: '' };
  const flaky = [{ of: 'kept', first: run }] as const;
  const said = renderResult({ ...record, preflight, gate }, { ...receipt(''), after: run, kept: run, flaky });
  expect(said).toContain('before: timed out · after: pass · npm test');
  expect(said).toContain("with the base's tests: pass (flaky: failed, then passed)");
});
