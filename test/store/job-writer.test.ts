import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JobRecord } from '../../src/job/record.ts';
import { UserError } from '../../src/job/user-error.ts';
import { claimJob, Fenced, JobWriter } from '../../src/store/job-writer.ts';
import { createJob, publish } from '../../src/store/jobs.ts';
import { identify } from '../../src/store/liveness.ts';
import { openStore } from '../../src/store/open.ts';
import { snapshotPath } from '../../src/store/paths.ts';
import { readJob } from '../../src/store/read-job.ts';
import { makeFolder } from '../helpers/repository.ts';
import { NOW, sampleRecord } from './fixtures/records.ts';

/** A writer whose clock and timer the test moves. */
function setUp(change: Parameters<typeof sampleRecord>[0] = {}) {
  const store = openStore(makeFolder(), { create: true });
  const record = sampleRecord(change);
  createJob(store, record);
  const clock = { now: NOW, due: null as null | { act: () => void; ms: number }, fenced: 0 };
  /** What was said to be saved, and what was stored at that moment. */
  const told: { saved: JobRecord; stored: JobRecord }[] = [];
  const writer = new JobWriter(store, record, {
    now: () => clock.now,
    schedule: (act, ms) => {
      clock.due = { act, ms };
      return () => {
        clock.due = null;
      };
    },
    onFenced: () => {
      clock.fenced += 1;
    },
    saved: (saved) => {
      told.push({ saved, stored: stored() });
    },
  });
  const stored = () => {
    const job = readJob(store, record.id);
    if (job.kind !== 'ok') throw new Error(job.kind);
    return job.record;
  };
  const fire = () => {
    const { due } = clock;
    clock.due = null;
    clock.now += due?.ms ?? 0;
    due?.act();
  };
  return { store, record, clock, writer, stored, told, fire };
}

describe('JobWriter.move', () => {
  it('publishes one revision for each move and sets the end when it ends', () => {
    const { writer, stored, clock } = setUp();
    writer.move({ to: 'preparing', reason: null });
    clock.now += 5000;
    writer.move({ to: 'failed', reason: 'auth' }, { costUsd: 0.2 });
    expect(stored()).toEqual(writer.record);
    const endedAt = new Date(clock.now).toISOString();
    expect(stored()).toMatchObject({
      rev: 3,
      state: 'failed',
      reason: 'auth',
      costUsd: 0.2,
      endedAt,
      updatedAt: endedAt,
    });
  });

  it('takes a move that the table forbids for a bug and stores nothing', () => {
    const { writer, stored } = setUp();
    expect(() => writer.move({ to: 'succeeded', reason: null })).toThrow(/no way from queued to succeeded/);
    expect(() => writer.move({ to: 'failed', reason: 'auth' })).toThrow(/does not take the reason/);
    expect(stored().rev).toBe(1);
  });

  it('ends with Fenced when somebody else has moved the job, and stays so', () => {
    const { writer, store, record, stored } = setUp();
    publish(store, { ...record, rev: 2, state: 'cancelled' });
    const moves = [
      () => writer.move({ to: 'preparing', reason: null }),
      () => writer.progress({ costUsd: 1 }),
      () => writer.flush(),
      () => writer.amend({ costUsd: 1 }),
    ];
    for (const move of moves) expect(move).toThrow(Fenced);
    expect(stored()).toMatchObject({ rev: 2, state: 'cancelled', costUsd: 0 });
  });

  it('does not let a clock that was set back make the job younger', () => {
    const { writer, clock } = setUp();
    clock.now -= 86_400_000;
    expect(writer.move({ to: 'preparing', reason: null }).updatedAt).toBe(new Date(NOW).toISOString());
  });
});

describe('JobWriter.progress', () => {
  it('saves at once, then once a second, and the last change is never lost for longer', () => {
    const { writer, stored, clock, fire } = setUp();
    writer.progress({ costUsd: 1 });
    expect(stored().costUsd).toBe(1);
    clock.now += 300;
    writer.progress({ costUsd: 2 });
    writer.progress({ costUsd: 3 });
    expect(stored().costUsd).toBe(1);
    expect(clock.due?.ms).toBe(700);
    fire();
    expect(stored()).toMatchObject({ rev: 1, costUsd: 3 });
  });

  it('goes with the next move, and no save comes after it', () => {
    const { writer, stored, clock } = setUp();
    writer.progress({ costUsd: 1 });
    writer.progress({ costUsd: 2 });
    writer.move({ to: 'preparing', reason: null });
    expect(stored()).toMatchObject({ rev: 2, costUsd: 2 });
    expect(clock.due).toBe(null);
  });

  it('is written by flush, and flush without a change writes nothing', () => {
    const { writer, stored, store, record } = setUp();
    writer.progress({ costUsd: 1 });
    writer.progress({ costUsd: 2 });
    writer.flush();
    expect(stored().costUsd).toBe(2);
    rmSync(snapshotPath(store, record.id));
    writer.flush();
    expect(() => readFileSync(snapshotPath(store, record.id))).toThrow('ENOENT');
  });

  it('tells the runner when a save by timer finds another writer', () => {
    const { writer, store, record, clock, fire } = setUp();
    writer.progress({ costUsd: 1 });
    writer.progress({ costUsd: 2 });
    publish(store, { ...record, rev: 2, state: 'cancelled' });
    fire();
    expect(clock.fenced).toBe(1);
  });

  it('waits for a store that cannot be written and saves when it can, while a move reports it', () => {
    const { writer, store, stored, clock, fire, record } = setUp();
    const { root } = store;
    rmSync(root, { recursive: true });
    symlinkSync('/dev/null', root);
    writer.progress({ costUsd: 1 });
    expect(clock.due?.ms).toBe(1000);
    fire();
    expect(() => writer.move({ to: 'preparing', reason: null })).toThrow(UserError);
    expect(writer.record).toMatchObject({ rev: 1, state: 'queued', costUsd: 1 });
    rmSync(root);
    fire();
    expect(stored().costUsd).toBe(1);
    writer.move({ to: 'preparing', reason: null });
    expect(stored()).toMatchObject({ id: record.id, rev: 2 });
  });
});

describe('claimJob', () => {
  it('gives the job to one of two runners', () => {
    const { store, record, stored } = setUp();
    const runner = identify();
    const winner = claimJob(store, record, runner);
    expect(() => claimJob(store, record, runner)).toThrow(Fenced);
    expect(() => claimJob(store, winner.record, runner)).toThrow(Fenced);
    expect(stored()).toMatchObject({ rev: 2, state: 'queued', runner });
  });
});

describe('what JobWriter has saved', () => {
  it('is told after each save and never before: transitions, amendments and progress', () => {
    const { store, record, writer, told, fire } = setUp();
    writer.move({ to: 'preparing', reason: null });
    writer.amend({ title: 'another' });
    writer.progress({ costUsd: 1 });
    expect(told).toHaveLength(2);
    fire();
    expect(told).toHaveLength(3);
    for (const { saved, stored } of told) expect(stored).toEqual(saved);
    expect(told.at(-1)?.saved).toMatchObject({ title: 'another', costUsd: 1 });
    publish(store, { ...writer.record, rev: writer.record.rev + 1 });
    expect(() => writer.amend({ title: record.title })).toThrow(Fenced);
    expect(told).toHaveLength(3);
  });
});
