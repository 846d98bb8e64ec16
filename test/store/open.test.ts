import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createJob } from '../../src/store/jobs.ts';
import { openStore } from '../../src/store/open.ts';
import { listJobs } from '../../src/store/read-job.ts';
import { git, makeFolder, makeRepository } from '../helpers/repository.ts';
import { sampleRecord } from './fixtures/records.ts';

const isRoot = process.getuid?.() === 0;

describe('openStore', () => {
  it('makes a store that git does not see', () => {
    const repo = makeRepository();
    const store = openStore(repo, { create: true });
    createJob(store, sampleRecord());
    expect(git(repo, 'status', '--porcelain', '--untracked-files=all')).toBe('');
    expect(readFileSync(join(store.root, '.gitignore'), 'utf8')).toBe('*\n');
  });

  const umask = process.umask();
  afterAll(() => process.umask(umask));

  it.each([0o000, 0o022, 0o077])('gives folders to the user alone under umask %o', (mask) => {
    process.umask(mask);
    const store = openStore(makeFolder(), { create: true });
    const record = sampleRecord();
    createJob(store, record);
    process.umask(umask);
    for (const folder of [store.root, store.jobs, store.active, store.runs, store.comm]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    expect(statSync(join(store.jobs, `${record.id}.json`)).mode & 0o777).toBe(0o600);
  });

  it('tightens a store that others can look into', () => {
    const repo = makeFolder();
    mkdirSync(join(repo, '.cc-delegate'), { mode: 0o755 });
    expect(statSync(openStore(repo, { create: true }).root).mode & 0o777).toBe(0o700);
  });

  it('reads a missing store as an empty one and makes nothing', () => {
    const repo = makeFolder();
    const store = openStore(repo, { create: false });
    expect(listJobs(store)).toEqual([]);
    expect(existsSync(store.root)).toBe(false);
  });

  it('is the same store through a symbolic link and with blanks in the path', () => {
    const folder = makeFolder();
    const real = join(folder, 'sp ace', 're po');
    mkdirSync(real, { recursive: true });
    symlinkSync(real, join(folder, 'link'));
    const record = sampleRecord();
    createJob(openStore(join(folder, 'link'), { create: true }), record);
    const seen = openStore(real, { create: false });
    expect(seen.repo).toBe(real);
    expect(listJobs(seen).map((job) => job.id)).toEqual([record.id]);
    expect(openStore(join(folder, 'link'), { create: false }).repo).toBe(real);
  });

  it.each(['.cc-delegate', '.cc-delegate/jobs', '.cc-delegate/removed'])(
    'refuses a symbolic link at %s',
    (path) => {
      const repo = makeFolder();
      const elsewhere = makeFolder();
      openStore(repo, { create: true });
      rmSync(join(repo, path), { recursive: true, force: true });
      symlinkSync(elsewhere, join(repo, path));
      for (const create of [true, false]) {
        expect(() => openStore(repo, { create })).toThrow(
          expect.objectContaining({
            explanation: expect.objectContaining({ code: 'store_symlink', exit: 5 }),
          }),
        );
      }
    },
  );

  it('refuses a file in the place of the store', () => {
    const repo = makeFolder();
    writeFileSync(join(repo, '.cc-delegate'), '');
    expect(() => openStore(repo, { create: true })).toThrow(/not a folder/);
  });

  it.skipIf(!isRoot)('refuses the store of another user (needs root to make one)', () => {
    const repo = makeFolder();
    const { root } = openStore(repo, { create: true });
    chownSync(root, 65534, 65534);
    expect(() => openStore(repo, { create: false })).toThrow(/another user/);
  });

  it('names a folder that does not exist', () => {
    const missing = join(makeFolder(), 'missing');
    expect(() => openStore(missing, { create: true })).toThrow(`${missing} (ENOENT)`);
  });
});
