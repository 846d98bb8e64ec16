import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createJob, removeJob } from '../../src/store/jobs.ts';
import { openStore } from '../../src/store/open.ts';
import { removedPaths, runPaths } from '../../src/store/paths.ts';
import { readJob } from '../../src/store/read-job.ts';
import { bury, readTombstone } from '../../src/store/removed.ts';
import { makeFolder } from '../helpers/repository.ts';
import { AT, newId, sampleRecord } from './fixtures/records.ts';

const graveOf = (id: ReturnType<typeof newId>) => ({
  id,
  title: 'Add a parser',
  state: 'succeeded' as const,
  reason: null,
  branch: 'delegate/x',
  commit: null,
  removedAt: AT,
});

describe('what cleanup leaves', () => {
  it('is a tombstone and the patch, byte for byte, also after a second time', () => {
    const store = openStore(makeFolder(), { create: true });
    const record = sampleRecord();
    createJob(store, record);
    const patch = Buffer.from(Array.from({ length: 512 }, (_, n) => n % 256));
    writeFileSync(runPaths(store, record.id).patch, patch);
    bury(store, graveOf(record.id));
    removeJob(store, record.id);
    expect(readJob(store, record.id).kind).toBe('absent');
    for (const stone of [readTombstone(store, record.id), bury(store, graveOf(record.id))]) {
      expect(stone).toMatchObject({ id: record.id, patchPath: removedPaths(store, record.id).patch });
    }
    expect(readFileSync(removedPaths(store, record.id).patch)).toEqual(patch);
  });

  it('has no patch when the job had none', () => {
    const store = openStore(makeFolder(), { create: true });
    expect(bury(store, graveOf(newId())).patchPath).toBe(null);
  });

  it.each(['', '{}', '{"schema":1,"id":"../x"}'])('is nothing when it reads %j', (text) => {
    const store = openStore(makeFolder(), { create: true });
    const id = newId();
    expect(readTombstone(store, id)).toBe(null);
    mkdirSync(store.removed);
    writeFileSync(removedPaths(store, id).tombstone, text);
    expect(readTombstone(store, id)).toBe(null);
  });
});
