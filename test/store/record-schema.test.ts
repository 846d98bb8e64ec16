import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RECORD_MAX_BYTES } from '../../src/job/record.ts';
import { createJob } from '../../src/store/jobs.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { listJobs, readJob } from '../../src/store/read-job.ts';
import { parseRecord, serializeRecord } from '../../src/store/record-schema.ts';
import { makeFolder } from '../helpers/repository.ts';
import { newId, sampleRecord } from './fixtures/records.ts';

const record = sampleRecord({ id: newId() });
const text = serializeRecord(record);
const { id } = record;

function change(edit: (value: Record<string, unknown>) => void): string {
  const value: Record<string, unknown> = JSON.parse(text);
  edit(value);
  return JSON.stringify(value);
}

const set = (key: string, value: unknown) => change((target) => Object.assign(target, { [key]: value }));

it('of the first versions is read, with what it did not say', () => {
  const early = change((target) => {
    for (const key of ['boundary', 'network', 'client']) delete target[key];
  });
  expect(parseRecord(early, { id, rev: 1 })).toEqual({ kind: 'ok', record });
});

/** FT10: each of these as the whole content of a job file. */
const HOSTILE: Record<string, string | Buffer> = {
  'an empty file': '',
  'blanks only': ' \n',
  'a record cut in half': text.slice(0, text.length / 2),
  'a record without its last bracket': text.trimEnd().slice(0, -1),
  '0 bytes of a zeroed disk block': Buffer.alloc(4096),
  'a byte order mark': `\ufeff${text}`,
  'a NUL in front': `\0${text}`,
  'UTF-16': Buffer.from(text, 'utf16le'),
  'invalid UTF-8': Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
  'deep nesting of lists': '['.repeat(60_000),
  'deep nesting of objects': `${'{"a":'.repeat(12_000)}1${'}'.repeat(12_000)}`,
  'closed deep nesting in a field': set('usage', null).replace(
    '"usage":null',
    `"usage":${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  ),
  null: 'null',
  'a list': '[]',
  'a number': '1e999',
  'a string': '"x"',
  'another prototype only': `{"__proto__":${text}}`,
  'two records': text + text,
  '50 MB': Buffer.alloc(50 * 1024 * 1024, 0x20),
  'no schema': set('schema', undefined),
  'an older schema': set('schema', 0),
  'a schema that is text': set('schema', '1'),
  'another job': set('id', newId()),
  'an id that is a path': set('id', '../../x'),
  'an absolute id': set('id', '/etc/passwd'),
  'an id that is a list': set('id', [id]),
  'pid 1': set('runner', { pid: 1, startTime: '1', bootId: 'b', pidNamespace: '1' }),
  'pid 0': set('runner', { pid: 0, startTime: '1', bootId: 'b', pidNamespace: '1' }),
  'pid -1': set('runner', { pid: -1, startTime: '1', bootId: 'b', pidNamespace: '1' }),
  'a pid that is text': set('runner', { pid: '4242', startTime: '1', bootId: 'b', pidNamespace: '1' }),
  'a relative repository': set('repo', 'project'),
  'a workspace with a NUL': set('workspace', '/a\0b'),
  'a subdirectory that leaves': set('subdirectory', 'a/../../b'),
  'an absolute subdirectory': set('subdirectory', '/etc'),
  'a branch that is an option': set('branch', '--upload-pack=touch x'),
  'a branch with a line break': set('branch', 'a\nb'),
  'a base that is an option': set('base', '-D'),
  'an unknown state': set('state', 'done'),
  'a state of the prototype': set('state', 'constructor'),
  'a reason without a failure': set('reason', 'gate_failed'),
  'a failure without a reason': set('state', 'failed'),
  'a reason of the other kind': change((value) => Object.assign(value, { state: 'timeout', reason: 'auth' })),
  'revision 0': set('rev', 0),
  'half a revision': set('rev', 1.5),
  'a huge revision': set('rev', 2 ** 60),
  'a number as text': set('costUsd', '1'),
  'a negative cost': set('costUsd', -1),
  'an infinite cost': set('costUsd', 0).replace('"costUsd":0', '"costUsd":1e999'),
  'a day that is none': set('createdAt', 'yesterday'),
  'a time without zone': set('createdAt', '2026-11-29T10:00:00'),
  'a missing field': set('limits', undefined),
  'a limit that is null': set('limits', { ...record.limits, budgetUsd: null }),
};

describe('parseRecord', () => {
  it('reads back what was written', () => {
    expect(parseRecord(text, { id, rev: 1 })).toEqual({ kind: 'ok', record });
  });

  it('drops what it does not know, prototypes included', () => {
    const extra = text.replace('{', '{"__proto__":{"polluted":1},"constructor":1,"more":2,');
    const read = parseRecord(extra, { id, rev: null });
    expect(read).toEqual({ kind: 'ok', record });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('shows a record of a newer program and does not judge the rest of it', () => {
    const read = parseRecord(set('schema', 7).replace('"queued"', '"dreaming"'), { id, rev: null });
    expect(read).toMatchObject({ kind: 'newer', schema: 7, raw: { id, state: 'dreaming' } });
  });

  it('does not take one revision for another', () => {
    expect(parseRecord(text, { id, rev: 2 }).kind).toBe('unreadable');
  });

  it.each([
    ['a cost that is not a number', { costUsd: Number.NaN }],
    ['an infinite limit', { limits: { ...record.limits, timeout: Number.POSITIVE_INFINITY } }],
    ['a title that is too long', { title: 'x'.repeat(RECORD_MAX_BYTES) }],
  ])('takes it for a bug to write %s', (_, wrong) => {
    expect(() => serializeRecord({ ...record, ...wrong })).toThrow(record.id);
  });
});

describe('a hostile job file', () => {
  const repo = () => {
    const store = openStore(makeFolder(), { create: true });
    createJob(store, sampleRecord({ id: newId() }));
    return store;
  };

  it.each(Object.keys(HOSTILE))('holding %s is shown as unreadable, quickly, and hides no other', (name) => {
    const store = repo();
    const path = join(store.jobs, `${id}.json`);
    writeFileSync(path, HOSTILE[name] ?? '');
    expectUnreadable(store, path);
  });

  const link = 'it is a symbolic link';
  const special = 'it is not a regular file';

  it.each<[string, string, (path: string) => void]>([
    ['a symbolic link to a good record', link, (path) => symlinkSync(goodRecord(), path)],
    ['a link to itself', link, (path) => symlinkSync(path, path)],
    ['a link to an endless device', link, (path) => symlinkSync('/dev/zero', path)],
    ['a folder', special, (path) => mkdirSync(path)],
    ['a FIFO', special, (path) => execFileSync('mkfifo', [path])],
  ])('that is %s is shown as unreadable, quickly, and hides no other', (_, why, make) => {
    const store = repo();
    const path = join(store.jobs, `${id}.json`);
    make(path);
    expect(readJob(store, id)).toMatchObject({ why });
    expectUnreadable(store, path);
  });

  function goodRecord(): string {
    const path = join(makeFolder(), `${id}.json`);
    writeFileSync(path, text);
    return path;
  }

  it('that was damaged at random never breaks the reader (1,000 times)', () => {
    const store = repo();
    const seed = Date.now() % 2 ** 31;
    const random = generator(seed);
    const path = join(store.jobs, `${id}.json`);
    const kinds = { ok: 0, newer: 0, unreadable: 0 };
    for (let round = 0; round < 1000; round += 1) {
      writeFileSync(path, damage(Buffer.from(text), random));
      const jobs = listJobs(store);
      expect(jobs, `seed ${seed}, round ${round}`).toHaveLength(2);
      for (const job of jobs) kinds[job.kind] += 1;
    }
    expect(kinds.unreadable).toBeGreaterThan(500);
  });

  it.each([
    'evil.json',
    'x.lock',
    '-D.json',
    '.json',
    't_short_x.json',
    `${id}.json.bak`,
    `.${id}.json.1.1.tmp`,
  ])('named %s is no job', (name) => {
    const store = repo();
    writeFileSync(join(store.jobs, name), text);
    writeFileSync(join(store.active, name), '');
    expect(listJobs(store)).toHaveLength(1);
  });

  function expectUnreadable(store: Store, path: string): void {
    const before = readdirSync(store.jobs);
    // The work it takes, not the wall clock: other programs run here too.
    const rounds = [1, 2, 3].map(() => {
      const start = process.cpuUsage();
      expect(readJob(store, id)).toMatchObject({ kind: 'unreadable', id, path });
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    });
    expect(Math.min(...rounds)).toBeLessThan(100);
    expect(listJobs(store).map((found) => found.kind)).toEqual(expect.arrayContaining(['ok', 'unreadable']));
    expect(readdirSync(store.jobs)).toEqual(before);
    rmSync(path, { recursive: true, force: true });
  }
});

/** Cuts, overwrites, doubles or removes bytes at random places. */
function damage(bytes: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * bytes.length);
  const length = 1 + Math.floor(random() * 40);
  switch (Math.floor(random() * 4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    default: {
      const noise = Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
      return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at + length)]);
    }
  }
}

/** mulberry32: small, and the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
