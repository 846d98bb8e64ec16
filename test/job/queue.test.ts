import { expect, it } from 'vitest';
import { afterPredecessor } from '../../src/job/dependency.ts';
import { makeJobId } from '../../src/job/ids.ts';
import { mayRun } from '../../src/job/queue.ts';
import type { JobRecord } from '../../src/job/record.ts';
import { newId, sampleRecord } from '../store/fixtures/records.ts';

const id = newId();
const record = (fields: Partial<JobRecord>): JobRecord => ({ ...sampleRecord({ id }), ...fields });

it.each([
  { name: 'still runs', before: record({ state: 'running' }), wanted: { kind: 'wait' } },
  { name: 'asks', before: record({ state: 'needs_input' }), wanted: { kind: 'wait' } },
  { name: 'was removed', before: null, wanted: { kind: 'stop' } },
  { name: 'failed', before: record({ state: 'failed', reason: 'gate_failed' }), wanted: { kind: 'stop' } },
  { name: 'was cancelled', before: record({ state: 'cancelled' }), wanted: { kind: 'stop' } },
  {
    name: 'was stopped by time',
    before: record({ state: 'timeout', reason: 'wall' }),
    wanted: { kind: 'stop' },
  },
  {
    name: 'was discarded',
    before: record({ state: 'succeeded', disposition: 'discarded' }),
    wanted: { kind: 'stop' },
  },
  {
    name: 'made nothing',
    before: record({ state: 'succeeded', base: 'b'.repeat(40), result: null }),
    wanted: { kind: 'go', base: 'b'.repeat(40) },
  },
  {
    name: 'only answered',
    before: record({ state: 'succeeded', kind: 'ask', result: null }),
    wanted: { kind: 'go', base: null },
  },
])('what comes after a job that $name', ({ before, wanted }) => {
  const after = afterPredecessor(id, before);
  expect(after).toMatchObject(wanted);
  if (after.kind === 'stop') expect(after.why).toContain(id);
});

it('a shorter id is an older one', () => {
  const old = { job: makeJobId(36 ** 7 - 1, 5), provider: 'p' };
  const young = { job: makeJobId(36 ** 7, 1), provider: 'p' };
  const limits = { total: 1, perProvider: 1, queueTimeout: 1 };
  expect(mayRun(old, { running: [], waiting: [young] }, limits).kind).toBe('yes');
  expect(mayRun(young, { running: [], waiting: [old] }, limits).kind).toBe('wait');
});
