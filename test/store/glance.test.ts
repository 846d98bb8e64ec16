import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RESULT_FLAGS } from '../../src/job/record.ts';
import { type Glance, glanceAt, glanceText } from '../../src/store/glance.ts';
import { createJob, publish } from '../../src/store/jobs.ts';
import { openStore } from '../../src/store/open.ts';
import { readJob } from '../../src/store/read-job.ts';
import { parseRecord, serializeRecord } from '../../src/store/record-schema.ts';
import { makeFolder } from '../helpers/repository.ts';
import { newId, sampleRecord } from './fixtures/records.ts';

const id = newId();
const runner = { pid: 4242, startTime: '77', bootId: 'b', pidNamespace: '1' };
const record = sampleRecord({ id, runner, supervisor: { sessionId: 's-1' }, costUsd: null });
const text = serializeRecord(record);

const WRONG = [
  undefined,
  null,
  0,
  -1,
  1.5,
  2 ** 60,
  '',
  '1',
  'constructor',
  '/a\0b',
  [],
  {},
  true,
  'x'.repeat(300),
  RESULT_FLAGS,
];

/** Every field of a record, and every one inside those, with each of the wrong values. */
function* damaged(): Generator<string> {
  const whole: Record<string, unknown> = JSON.parse(text);
  for (const [key, value] of Object.entries(whole)) {
    for (const wrong of WRONG) {
      yield JSON.stringify({ ...whole, [key]: wrong });
      if (typeof value !== 'object' || value === null) continue;
      for (const inner of Object.keys(value))
        yield JSON.stringify({ ...whole, [key]: { ...value, [inner]: wrong } });
    }
  }
  for (let at = 0; at < text.length; at += 7) yield text.slice(0, at);
  yield* ['', ' ', 'null', '[]', '"x"', '1e999', `{"__proto__":${text}}`, '['.repeat(60_000), text + text];
  yield JSON.stringify({ ...whole, schema: 7, state: 'dreaming' });
}

describe('a glance at a record', () => {
  it('has what the record has', () => {
    expect(glanceText(text, id)).toEqual({
      kind: 'ok',
      glance: {
        id,
        rev: 1,
        state: 'queued',
        title: 'Add a parser',
        repo: '/home/user/project',
        sessionId: 's-1',
        runner,
        createdAt: record.createdAt,
        step: 0,
        costUsd: null,
      } satisfies Glance,
    });
  });

  it('agrees with the full reader over broken records: what that one takes, this one takes, with the same values', () => {
    const kinds = { ok: 0, newer: 0, unreadable: 0 };
    for (const broken of damaged()) {
      const full = parseRecord(broken, { id, rev: null });
      const glance = glanceText(broken, id);
      kinds[full.kind] += 1;
      if (full.kind === 'newer') expect(glance.kind, broken).toBe('newer');
      if (full.kind === 'ok') {
        const { supervisor, progress, ...rest } = full.record;
        const whole = { ...rest, sessionId: supervisor.sessionId, step: progress.step };
        expect(glance, broken).toMatchObject({ kind: 'ok' });
        if (glance.kind === 'ok') expect(whole).toMatchObject(glance.glance);
      }
      // What only the full reader looks at may be wrong; what is in a glance may not.
      if (full.kind === 'unreadable' && glance.kind === 'ok')
        expect(
          parseRecord(JSON.stringify({ ...record, ...withoutSession(glance.glance) }), { id, rev: null })
            .kind,
        ).toBe('ok');
    }
    expect(kinds.ok).toBeGreaterThan(50);
    expect(kinds.unreadable).toBeGreaterThan(500);
  });

  function withoutSession({ sessionId, step, createdAt: _, ...rest }: Glance) {
    return {
      ...rest,
      reason: rest.state === 'failed' ? 'auth' : rest.state === 'timeout' ? 'wall' : null,
      supervisor: { sessionId },
      progress: { ...record.progress, step },
    };
  }

  it('sees the newest revision when the snapshot is behind, as the full reader does', () => {
    const store = openStore(makeFolder(), { create: true });
    createJob(store, record);
    publish(store, { ...record, rev: 2, state: 'preparing' });
    publish(store, { ...record, rev: 3, state: 'running' });
    writeFileSync(join(store.jobs, `${id}.json`), text);
    const full = readJob(store, id);
    expect(full.kind === 'ok' && full.record.state).toBe('running');
    expect(glanceAt(store, id)).toMatchObject({ kind: 'ok', glance: { rev: 3, state: 'running' } });
    expect(glanceAt(store, newId())).toEqual({ kind: 'absent' });
  });
});
