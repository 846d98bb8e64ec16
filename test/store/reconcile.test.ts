import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JobRecord } from '../../src/job/record.ts';
import { createJob, publish } from '../../src/store/jobs.ts';
import { identify } from '../../src/store/liveness.ts';
import { openStore } from '../../src/store/open.ts';
import { activeMarker, snapshotPath } from '../../src/store/paths.ts';
import { readJob } from '../../src/store/read-job.ts';
import { lostMove, reconcile } from '../../src/store/reconcile.ts';
import { makeFolder } from '../helpers/repository.ts';
import { NOW, sampleRecord } from './fixtures/records.ts';

const dead = { ...identify(), bootId: 'another boot' };

function storeWith(change: Partial<JobRecord>) {
  const store = openStore(makeFolder(), { create: true });
  const record = sampleRecord(change);
  createJob(store, record);
  return { store, record };
}

describe('reconcile', () => {
  it.each(['queued', 'preparing', 'running', 'needs_input', 'grading'] as const)(
    'fails a %s job whose runner is dead, and keeps what it cost',
    (state) => {
      const { store, record } = storeWith({ state, runner: dead, costUsd: 1.25 });
      const { record: after, salvage } = reconcile(store, record, NOW + 1000);
      expect(salvage).toBe(true);
      expect(after).toMatchObject({
        rev: 2,
        state: 'failed',
        reason: 'runner_lost',
        costUsd: 1.25,
        openQuestions: 0,
        result: { salvaged: 'pending' },
        endedAt: new Date(NOW + 1000).toISOString(),
      });
      expect(readJob(store, record.id)).toMatchObject({ record: after });
      expect(existsSync(activeMarker(store, record.id))).toBe(false);
    },
  );

  it('gives the salvage to exactly one of many readers, all of which see the same', () => {
    const { store, record } = storeWith({ state: 'running', runner: dead });
    const all = Array.from({ length: 8 }, () => reconcile(store, record, NOW));
    expect(all.filter(({ salvage }) => salvage)).toHaveLength(1);
    expect(new Set(all.map((one) => JSON.stringify(one.record))).size).toBe(1);
  });

  it('also fails a job whose runner moved it once more, unseen by us, before it died', () => {
    const { store, record } = storeWith({ state: 'running', runner: dead });
    publish(store, { ...record, rev: 2, state: 'grading' });
    expect(reconcile(store, record, NOW)).toMatchObject({
      salvage: true,
      record: { rev: 3, state: 'failed' },
    });
  });

  it('leaves a job alone whose runner lives', () => {
    const { store, record } = storeWith({ state: 'running', runner: identify() });
    expect(reconcile(store, record, NOW + 1e9)).toEqual({ record, salvage: false });
    expect(readJob(store, record.id)).toMatchObject({ record: { rev: 1 } });
  });

  it('leaves a job alone that belongs to another container', () => {
    const { store, record } = storeWith({ state: 'running', runner: { ...identify(), pidNamespace: '1' } });
    expect(reconcile(store, record, NOW + 1e9)).toEqual({ record, salvage: false });
  });

  it('fails a job that never got a runner, after 30 s', () => {
    const { store, record } = storeWith({});
    expect(reconcile(store, record, NOW + 30_000).salvage).toBe(false);
    expect(reconcile(store, record, NOW + 30_001)).toMatchObject({
      salvage: true,
      record: { state: 'failed', reason: 'launch_failed' },
    });
  });

  it('clears up after a writer that died between its last revision and the snapshot', () => {
    const { store, record } = storeWith({});
    const old = readFileSync(snapshotPath(store, record.id));
    const next = { ...record, rev: 2, state: 'cancelled' } as const;
    publish(store, next);
    writeFileSync(snapshotPath(store, record.id), old);
    writeFileSync(activeMarker(store, record.id), '');
    expect(reconcile(store, next, NOW)).toEqual({ record: next, salvage: false });
    expect(JSON.parse(readFileSync(snapshotPath(store, record.id), 'utf8'))).toEqual(next);
    expect(existsSync(activeMarker(store, record.id))).toBe(false);
  });
});

describe('lostMove', () => {
  it.each([-86_400_000, -3_600_000, 0, 3_600_000, 86_400_000])(
    'does not fall for a clock that is off by %d ms',
    (off) => {
      for (const state of ['alive', 'stopped', 'unknown'] as const) {
        expect(lostMove(sampleRecord({ state: 'running' }), state, NOW + off)).toBe(null);
      }
    },
  );
});
