import { expect, it } from 'vitest';
import type { EngineEvent } from '../../src/engine/engine.ts';
import { createRedactor } from '../../src/job/redaction/redactor.ts';
import { Account } from '../../src/runner/account.ts';
import { Activity } from '../../src/runner/activity.ts';
import { JobLog } from '../../src/runner/job-log.ts';
import { StopSwitch } from '../../src/runner/stop.ts';
import { Watchdogs } from '../../src/runner/watchdogs.ts';
import { claimJob } from '../../src/store/job-writer.ts';
import { createJob } from '../../src/store/jobs.ts';
import { identify } from '../../src/store/liveness.ts';
import { openStore } from '../../src/store/open.ts';
import { runPaths } from '../../src/store/paths.ts';
import { makeFolder, makeRepository } from '../helpers/repository.ts';
import { newId, sampleRecord } from '../store/fixtures/records.ts';

function scene() {
  const repo = makeRepository({ 'a.txt': 'a\n' });
  const store = openStore(repo, { create: true });
  const record = sampleRecord({ id: newId(), repo, checkout: repo, state: 'queued', runner: null });
  createJob(store, record);
  const writer = claimJob(store, record, identify());
  const log = new JobLog(runPaths(store, record.id), createRedactor({ values: [] }), (error) => {
    throw error;
  });
  const account = new Account({ userDir: makeFolder(), record: () => writer.record, log });
  const activity = new Activity(writer, log, new Watchdogs(record.limits, new StopSwitch()), account);
  return { activity, note: () => writer.record.progress.note };
}

const retry = (kind: 'transient' | 'rate_limit', waitMs: number): EngineEvent => ({
  ...{ t: 'retry', agent: 'main', kind, waitMs, attempt: 1 },
});
const step = (t: 'step_start' | 'step_end'): EngineEvent =>
  t === 'step_start'
    ? { t, agent: 'main', step: 1, model: 'm' }
    : { t, agent: 'main', step: 1, finish: 'stop' };

it('a wait for the endpoint is told in words, until the answer is there: then the worker’s own word is back', () => {
  const { activity, note } = scene();
  activity.note('half way');
  activity.onEvent(step('step_start'));
  activity.onEvent(retry('rate_limit', 49_500));
  expect(note()).toBe('waiting 50 s: too many requests');
  activity.onEvent(retry('transient', 0));
  expect(note()).toBe('asking again: the endpoint failed');
  activity.onEvent(step('step_end'));
  expect(note()).toBe('half way');
});
