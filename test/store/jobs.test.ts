import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amendEnded } from '../../src/store/amend-job.ts';
import { createJob, publish, removeJob, saveProgress } from '../../src/store/jobs.ts';
import { openStore } from '../../src/store/open.ts';
import { activeMarker, revisionPath, runPaths, snapshotPath } from '../../src/store/paths.ts';
import { activeJobs, jobIds, listJobs, readJob } from '../../src/store/read-job.ts';
import { serializeRecord } from '../../src/store/record-schema.ts';
import { git, makeFolder, makeRepository } from '../helpers/repository.ts';
import { bundlePrograms, runProgram } from './fixtures/bundle.ts';
import { NOW, newId, sampleRecord } from './fixtures/records.ts';

const newStore = () => openStore(makeFolder(), { create: true });

describe('createJob', () => {
  it('makes a job that every reader sees', () => {
    const store = newStore();
    const record = sampleRecord();
    expect(createJob(store, record)).toBe('created');
    expect(readJob(store, record.id)).toEqual({ kind: 'ok', id: record.id, record });
    expect(listJobs(store)).toHaveLength(1);
    expect(activeJobs(store)).toHaveLength(1);
  });

  it('says that an id is taken and leaves the job that has it', () => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    expect(createJob(store, { ...record, title: 'another' })).toBe('taken');
    expect(readJob(store, record.id)).toMatchObject({ record: { title: record.title } });
  });

  it('leaves nothing, or a whole job, at whatever step it was killed', () => {
    const store = newStore();
    const record = sampleRecord();
    // Killed after the marker: nothing.
    writeFileSync(activeMarker(store, record.id), '');
    expect([readJob(store, record.id).kind, listJobs(store), activeJobs(store)]).toEqual(['absent', [], []]);
    // Killed after the revision: a job, although its snapshot is missing.
    mkdirSync(runPaths(store, record.id).revisions, { recursive: true });
    writeFileSync(revisionPath(store, record.id, 1), serializeRecord(record));
    const found = { kind: 'ok', id: record.id, record };
    expect([readJob(store, record.id), listJobs(store), activeJobs(store)]).toEqual([
      found,
      [found],
      [found],
    ]);
  });

  it('lets exactly one of 32 creators at once have an id', async () => {
    const folder = makeFolder();
    const repo = makeFolder();
    const shot = join(folder, 'shot');
    await bundlePrograms(folder, 'creator');
    const id = newId();
    const creators = Array.from({ length: 32 }, (_, n) =>
      runProgram(folder, 'creator', [repo, id, `by ${n}`, shot]),
    );
    await Promise.all(creators.map((creator) => creator.ready));
    writeFileSync(shot, '');
    const ended = await Promise.all(creators.map((creator) => creator.ended));
    const winners = ended.flatMap(({ stdout }, n) => (stdout.endsWith('created') ? [`by ${n}`] : []));
    expect(ended.filter(({ stdout }) => stdout.endsWith('taken'))).toHaveLength(31);
    expect(winners).toHaveLength(1);
    const store = openStore(repo, { create: false });
    expect(readJob(store, id)).toMatchObject({ record: { title: winners[0] } });
    expect(listJobs(store)).toHaveLength(1);
  }, 240_000);
});

describe('publish', () => {
  it('counts from the moment of the revision, whatever became of the snapshot', () => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    const next = { ...record, rev: 2, state: 'preparing' } as const;
    const old = readFileSync(snapshotPath(store, record.id));
    publish(store, next);
    writeFileSync(snapshotPath(store, record.id), old);
    expect(readJob(store, record.id)).toMatchObject({ record: { rev: 2, state: 'preparing' } });
  });

  it.each([
    ['cut to nothing', (path: string) => truncateSync(path, 0)],
    ['cut in half', (path: string) => truncateSync(path, 500)],
    ['removed', (path: string) => rmSync(path)],
  ])('makes good a snapshot that was %s', (_, damage) => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    publish(store, { ...record, rev: 2, state: 'preparing' });
    damage(snapshotPath(store, record.id));
    expect(readJob(store, record.id)).toMatchObject({ kind: 'ok', record: { rev: 2 } });
  });

  it('fences the slower of two writers and changes nothing for it', () => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    expect(publish(store, { ...record, rev: 2, state: 'cancelled' })).toBe('published');
    expect(publish(store, { ...record, rev: 2, state: 'preparing' })).toBe('fenced');
    expect(saveProgress(store, { ...record, costUsd: 9 })).toBe('fenced');
    expect(readJob(store, record.id)).toMatchObject({ record: { state: 'cancelled', costUsd: 0 } });
  });

  it('keeps what progress saved, and only a later revision goes before it', () => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    expect(saveProgress(store, { ...record, costUsd: 0.5 })).toBe('saved');
    expect(readJob(store, record.id)).toMatchObject({ record: { rev: 1, costUsd: 0.5 } });
  });

  it('takes an ended job from the active ones', () => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    publish(store, { ...record, rev: 2, state: 'cancelled' });
    expect(readdirSync(store.active)).toEqual([]);
    expect(activeJobs(store)).toEqual([]);
    expect(listJobs(store)).toHaveLength(1);
  });

  it('makes everything anew when git clean took the store from under a live runner', () => {
    const repo = makeRepository();
    const store = openStore(repo, { create: true });
    const record = sampleRecord();
    createJob(store, record);
    git(repo, 'clean', '-xfdq');
    expect(readdirSync(repo)).toEqual(['.git', 'README.md']);
    expect(saveProgress(store, { ...record, costUsd: 1 })).toBe('saved');
    expect(activeJobs(store)).toMatchObject([{ record: { rev: 1, costUsd: 1 } }]);
    git(repo, 'clean', '-xfdq');
    expect(publish(store, { ...record, rev: 2, state: 'preparing' })).toBe('published');
    expect(readJob(store, record.id)).toMatchObject({ record: { rev: 2 } });
    expect(git(repo, 'status', '--porcelain', '--untracked-files=all')).toBe('');
  });

  it('loses none of the additions of 8 writers, some of which are stopped for a while', async () => {
    const folder = makeFolder();
    await bundlePrograms(folder, 'cas-writer');
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    const writers = Array.from({ length: 8 }, () =>
      runProgram(folder, 'cas-writer', [store.repo, record.id, '25']),
    );
    const stops = writers.slice(0, 4).map(async (writer) => {
      await writer.ready;
      writer.child.kill('SIGSTOP');
      // The others go on meanwhile: go on when they have come further.
      const printed = () => writers.reduce((sum, other) => sum + other.printed().length, 0);
      const before = printed();
      await expect.poll(printed, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before + 20);
      writer.child.kill('SIGCONT');
    });
    await Promise.all(stops);
    const ended = await Promise.all(writers.map((writer) => writer.ended));
    expect(ended.map(({ stdout }) => stdout.length / 2)).toEqual(Array.from({ length: 8 }, () => 25));
    expect(readJob(store, record.id)).toMatchObject({ record: { rev: 201, usage: { input: 200 } } });
  }, 240_000);
});

describe('listJobs', () => {
  it('has the newest first, and with a limit reads no more than that', () => {
    const store = newStore();
    const ids = [3, 1, 2].map((n) => newId(NOW + n));
    for (const id of ids) createJob(store, sampleRecord({ id }));
    const [third, first, second] = ids;
    expect(listJobs(store).map((job) => job.id)).toEqual([third, second, first]);
    expect(jobIds(store)).toEqual([third, second, first]);
    for (const name of readdirSync(store.jobs)) if (name !== `${third}.json`) rmSync(join(store.jobs, name));
    expect(listJobs(store, { limit: 1 }).map((job) => job.id)).toEqual([third]);
  });

  it('knows that an id with a longer time is the newer one', () => {
    const store = newStore();
    const old = newId(36 ** 8 - 1);
    const young = newId(36 ** 8);
    for (const id of [old, young]) createJob(store, sampleRecord({ id }));
    expect(jobIds(store)).toEqual([young, old]);
  });

  it('shows an unreadable job with its path and does not remove it', () => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    const path = snapshotPath(store, record.id);
    truncateSync(path, 100);
    rmSync(runPaths(store, record.id).revisions, { recursive: true });
    expect(listJobs(store)).toMatchObject([
      { kind: 'unreadable', id: record.id, path, why: 'it is not JSON' },
    ]);
    expect(activeJobs(store)).toMatchObject([{ kind: 'unreadable' }]);
    expect(readFileSync(path)).toHaveLength(100);
  });

  it('shows a job of a newer program', () => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    writeFileSync(snapshotPath(store, record.id), JSON.stringify({ ...record, schema: 2 }));
    expect(readJob(store, record.id)).toMatchObject({ kind: 'newer', schema: 2 });
  });

  it('does not end in a circle when revisions hold one another', () => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    writeFileSync(revisionPath(store, record.id, 2), serializeRecord(record));
    expect(readJob(store, record.id)).toMatchObject({ record: { rev: 1 } });
  });
});

describe('amendEnded', () => {
  const ended = () => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    publish(store, { ...record, rev: 2, state: 'cancelled' });
    return { store, id: record.id };
  };

  it('changes what became of the work, and begins again when somebody was faster', () => {
    const { store, id } = ended();
    let rounds = 0;
    const record = amendEnded(store, id, NOW, (current) => {
      rounds += 1;
      if (rounds === 1) publish(store, { ...current, rev: current.rev + 1, openQuestions: 7 });
      return { disposition: 'applied' };
    });
    expect(record).toMatchObject({ rev: 4, state: 'cancelled', disposition: 'applied', openQuestions: 7 });
    expect(readdirSync(store.active)).toEqual([]);
  });

  it('leaves a job alone that has not ended', () => {
    const store = newStore();
    const record = sampleRecord();
    createJob(store, record);
    expect(amendEnded(store, record.id, NOW, () => ({ disposition: 'applied' }))).toBe(null);
  });

  it('gives up on a next revision that cannot be read', () => {
    const { store, id } = ended();
    writeFileSync(revisionPath(store, id, 3), 'torn');
    expect(() => amendEnded(store, id, NOW, () => ({ disposition: 'applied' }))).toThrow(/EIO/);
  });
});

describe('removeJob', () => {
  it('removes all of one job and nothing of another', () => {
    const store = newStore();
    const [gone, kept] = [sampleRecord(), sampleRecord()];
    for (const record of [gone, kept]) createJob(store, record);
    removeJob(store, gone.id);
    removeJob(store, gone.id);
    expect(readJob(store, gone.id).kind).toBe('absent');
    expect(readdirSync(store.root, { recursive: true, encoding: 'utf8' }).join()).not.toContain(gone.id);
    expect(readJob(store, kept.id).kind).toBe('ok');
  });
});
