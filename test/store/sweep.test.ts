import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createJob } from '../../src/store/jobs.ts';
import { openStore } from '../../src/store/open.ts';
import { activeMarker, commPaths, runPaths } from '../../src/store/paths.ts';
import { listJobs } from '../../src/store/read-job.ts';
import { sweep } from '../../src/store/sweep.ts';
import { makeFolder } from '../helpers/repository.ts';
import { newId, sampleRecord } from './fixtures/records.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A number that belonged to a process which has just ended. */
function deadPid(): number {
  return spawnSync('true').pid;
}

describe('sweep', () => {
  it.each([
    { what: 'of a dead process', pid: deadPid(), age: 2 * MINUTE, goes: true },
    {
      what: 'of a dead process, but young: it may live in another container',
      pid: deadPid(),
      age: 30_000,
      goes: false,
    },
    { what: 'of a living process', pid: process.pid, age: 35 * HOUR, goes: false },
    { what: 'of a living process, given up', pid: process.pid, age: 37 * HOUR, goes: true },
  ])('a temporary file $what: removed = $goes', ({ pid, age, goes }) => {
    const store = openStore(makeFolder(), { create: true });
    const record = sampleRecord();
    createJob(store, record);
    const run = runPaths(store, record.id);
    const folders = [
      store.root,
      store.jobs,
      run.folder,
      run.revisions,
      join(commPaths(store, record.id).in, 'tmp'),
    ];
    const files = folders.map((folder) => join(folder, `.x.json.${pid}.7.tmp`));
    const now = Date.now();
    for (const file of files) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '');
      utimesSync(file, new Date(now - age), new Date(now - age));
    }
    expect(sweep(store, now)).toBe(goes ? files.length : 0);
    expect(files.map(existsSync)).toEqual(files.map(() => !goes));
    expect(listJobs(store)).toHaveLength(1);
  });

  it('removes markers of jobs that ended or never were, and nothing that it does not know', () => {
    const store = openStore(makeFolder(), { create: true });
    const [live, ended, never] = [newId(), newId(), newId()];
    createJob(store, sampleRecord({ id: live }));
    createJob(store, sampleRecord({ id: ended, state: 'cancelled' }));
    for (const id of [ended, never]) writeFileSync(activeMarker(store, id), '');
    const foreign = [
      join(store.active, 'notes.txt'),
      join(store.jobs, 'a.tmp'),
      join(store.jobs, '.a.0.1.tmp'),
    ];
    for (const file of foreign) writeFileSync(file, '');
    expect(sweep(store, Date.now())).toBe(0);
    expect(sweep(store, Date.now() + 48 * HOUR)).toBe(2);
    expect([live, ended, never].map((id) => existsSync(activeMarker(store, id)))).toEqual([
      true,
      false,
      false,
    ]);
    expect(foreign.every(existsSync)).toBe(true);
  });
});
