import fs, { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../src/job/user-error.ts';
import { createExclusive, writeAtomic } from '../../src/store/atomic-file.ts';
import { createJob, publish, saveProgress } from '../../src/store/jobs.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { readJob } from '../../src/store/read-job.ts';
import { makeFolder } from '../helpers/repository.ts';
import { sampleRecord } from './fixtures/records.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const CALLS = ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'linkSync'] as const;
const ERRORS = ['ENOSPC', 'EIO', 'EROFS', 'EACCES', 'EMFILE', 'EDQUOT'] as const;

/** Makes the n-th call of `name` fail as the system would; says whether it came to that. */
function failNth(name: (typeof CALLS)[number], n: number, code: string): () => boolean {
  const real = fs[name] as (...args: unknown[]) => unknown;
  let calls = 0;
  vi.spyOn(fs, name as 'fsyncSync').mockImplementation((...args: unknown[]) => {
    calls += 1;
    if (calls === n) throw Object.assign(new Error(code), { code });
    return real(...args) as undefined;
  });
  return () => calls >= n;
}

describe('writeAtomic', () => {
  it('replaces bytes exactly and keeps the file to the user, also over a loose one', () => {
    const path = join(makeFolder(), 'a.json');
    writeFileSync(path, 'old', { mode: 0o644 });
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    writeAtomic(path, bytes, { durable: true });
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, '..'))).toEqual(['a.json']);
  });

  it('goes on after a write that took only a part', () => {
    const path = join(makeFolder(), 'a.json');
    const real = fs.writeSync as (...args: unknown[]) => number;
    vi.spyOn(fs, 'writeSync').mockImplementation((...args: unknown[]) => {
      const [file, bytes, offset, length] = args;
      return real(file, bytes, offset, Math.min(3, Number(length)));
    });
    writeAtomic(path, 'a longer text', { durable: false });
    expect(readFileSync(path, 'utf8')).toBe('a longer text');
  });

  it('fails with path, errno and remedy, and leaves nothing behind', () => {
    const path = join(makeFolder(), 'a.json');
    mkdirSync(path);
    expect(() => writeAtomic(path, 'x', { durable: false })).toThrow(UserError);
    expect(readdirSync(join(path, '..'))).toEqual(['a.json']);
    expect(() => writeAtomic(join(path, 'no', 'b'), 'x', { durable: false })).toThrow(/no\/b \(ENOENT\)/);
  });
});

describe('createExclusive', () => {
  it('creates once and never touches what is there', () => {
    const path = join(makeFolder(), '1.json');
    expect(createExclusive(path, 'first')).toBe('created');
    expect(createExclusive(path, 'second')).toBe('exists');
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect(readdirSync(join(path, '..'))).toEqual(['1.json']);
  });
});

describe('any call of the system may fail', () => {
  const cases = CALLS.flatMap((name) => ERRORS.map((code) => ({ name, code })));

  it.each(cases)('$code from any $name leaves the old record or the new one', ({ name, code }) => {
    // One round for each call, until a round comes through without reaching it.
    for (let n = 1; n < 50; n += 1) {
      const { store, before } = storeWithJob();
      const reached = failNth(name, n, code);
      const next = { ...before, rev: 2, state: 'preparing' } as const;
      const outcome = attempt(() => publish(store, next));
      vi.restoreAllMocks();
      const now = readJob(store, before.id);
      expect(now.kind === 'ok' && now.record.rev).toBe(outcome === 'published' ? 2 : 1);
      expect(temporaries(store)).toEqual([]);
      if (!reached()) return;
    }
    throw new Error('never came through');
  });

  it.each(ERRORS)('%s while progress is saved keeps the old snapshot', (code) => {
    const { store, before } = storeWithJob();
    failNth('renameSync', 1, code);
    expect(attempt(() => saveProgress(store, { ...before, costUsd: 3 }))).toMatch(
      new RegExp(`${before.id}\\.json \\(${code}\\)`),
    );
    vi.restoreAllMocks();
    const now = readJob(store, before.id);
    expect(now.kind === 'ok' && now.record.costUsd).toBe(0);
  });

  it('a job that cannot be created is not there', () => {
    const store = openStore(makeFolder(), { create: true });
    const record = sampleRecord();
    failNth('linkSync', 1, 'ENOSPC');
    expect(attempt(() => createJob(store, record))).toMatch(/ENOSPC.*free some disk space/);
    vi.restoreAllMocks();
    expect(readJob(store, record.id).kind).toBe('absent');
    expect(existsSync(join(store.jobs, `${record.id}.json`))).toBe(false);
  });
});

function storeWithJob() {
  const store = openStore(makeFolder(), { create: true });
  const before = sampleRecord();
  createJob(store, before);
  return { store, before };
}

function attempt(act: () => string): string {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message;
  }
}

function temporaries(store: Store): string[] {
  return readdirSync(store.root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tmp'),
  );
}
