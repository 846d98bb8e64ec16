import type { JobRecord } from '../../src/job/record.ts';
import { expectEnd } from '../../src/notify/deliver.ts';
import { createJob } from '../../src/store/jobs.ts';
import { identify } from '../../src/store/liveness.ts';
import { openStore } from '../../src/store/open.ts';
import { newId, sampleRecord } from '../store/fixtures/records.ts';

/** A job of a session that runs, as `start` leaves it: this process stands for its runner. */
export function jobOf(
  repo: string,
  session: string | null,
  userDir: string,
  change: Partial<JobRecord> = {},
): JobRecord {
  const record = sampleRecord({
    id: newId(),
    repo,
    checkout: repo,
    cwd: repo,
    supervisor: { sessionId: session },
    state: 'running',
    runner: identify(),
    ...change,
  });
  createJob(openStore(repo, { create: true }), record);
  expectEnd(userDir, record);
  return record;
}

/** The same job with an open question, asked now. */
export function askingRecord(record: JobRecord, message: string, id = 'q1'): JobRecord {
  const now = Date.now();
  const question = {
    id,
    kind: 'question',
    message,
    askedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + 600_000).toISOString(),
  } as const;
  return { ...record, state: 'needs_input', question, openQuestions: 1 };
}
