import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createJob } from '../../src/store/jobs.ts';
import { openStore } from '../../src/store/open.ts';
import { runPaths } from '../../src/store/paths.ts';
import { claimNextTurn } from '../../src/store/turn-claim.ts';
import { makeFolder } from '../helpers/repository.ts';
import { newId, sampleRecord } from './fixtures/records.ts';

it('one caller gets the next turn; a claim without a job bars the way for a minute only', () => {
  const store = openStore(makeFolder(), { create: true });
  const newest = newId();
  createJob(store, sampleRecord({ id: newest, repo: store.repo, state: 'queued' }));
  const [a, b] = [newId(), newId()];
  const nowMs = Date.now();
  expect(claimNextTurn(store, newest, { id: a, nowMs })).toBe('claimed');
  expect(claimNextTurn(store, newest, { id: b, nowMs })).toBe('taken');
  const old = new Date(nowMs - 61_000);
  utimesSync(join(runPaths(store, newest).folder, 'next.1'), old, old);
  expect(claimNextTurn(store, newest, { id: b, nowMs })).toBe('claimed');
  createJob(store, sampleRecord({ id: b, repo: store.repo, state: 'queued' }));
  utimesSync(join(runPaths(store, newest).folder, 'next.2'), old, old);
  expect(claimNextTurn(store, newest, { id: a, nowMs })).toBe('taken');
});
