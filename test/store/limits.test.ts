import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createJob, publish } from '../../src/store/jobs.ts';
import { openStore } from '../../src/store/open.ts';
import { readJob } from '../../src/store/read-job.ts';
import { makeFolder } from '../helpers/repository.ts';
import { bundlePrograms, runProgram } from './fixtures/bundle.ts';
import { sampleRecord } from './fixtures/records.ts';

const isRoot = process.getuid?.() === 0;
// Root is bound by no permission: the same tests run as nobody then.
const uid = isRoot ? 65534 : process.getuid?.();
const asPlainUser = isRoot && uid !== undefined ? { uid } : {};
const NO_MOUNT = 'a small file system cannot be mounted here';

let programs = '';

beforeAll(async () => {
  programs = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
  await bundlePrograms(programs, 'probe');
  return () => execFileSync('rm', ['-r', programs]);
});

/** What the probe says, run as a plain user. */
async function probe(...args: string[]) {
  const { ended } = runProgram(programs, 'probe', args, asPlainUser);
  const { stdout, code } = await ended;
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

/** A folder of that user's. */
function userFolder(): string {
  const folder = makeFolder();
  if (isRoot && uid !== undefined) chownSync(folder, uid, uid);
  onTestFinished(() => void execFileSync('chmod', ['-R', 'u+rwX', folder]));
  return folder;
}

describe('without permission', () => {
  it('a repository that cannot be written is refused before anything is made, with path and errno', async () => {
    const repo = userFolder();
    chmodSync(repo, 0o555);
    const { error } = await probe('create', repo);
    expect(error).toMatchObject({
      code: 'storage',
      exit: 6,
      value: `${join(repo, '.cc-delegate')} (EACCES)`,
    });
    expect(readdirSync(repo)).toEqual([]);
  });

  it('a store that cannot be written is refused, and still read', async () => {
    const repo = userFolder();
    expect(await probe('create', repo)).toEqual({ ok: 'created' });
    const root = join(repo, '.cc-delegate');
    execFileSync('chmod', ['-R', 'a-w', root]);
    expect((await probe('create', repo)).error).toMatchObject({
      code: 'storage',
      exit: 6,
      value: `${root} (EACCES)`,
    });
    expect(await probe('read', repo)).toEqual({ ok: ['ok'] });
    expect(readdirSync(join(root, 'jobs'))).toHaveLength(1);
  });

  it('a record that cannot be read is shown as such', async () => {
    const repo = userFolder();
    await probe('create', repo);
    execFileSync('chmod', ['-R', '000', join(repo, '.cc-delegate/jobs'), join(repo, '.cc-delegate/runs')]);
    chmodSync(join(repo, '.cc-delegate/jobs'), 0o500);
    expect((await probe('read', repo)).error ?? 'listed').toBeDefined();
    chmodSync(join(repo, '.cc-delegate/runs'), 0o700);
    expect(await probe('read', repo)).toEqual({ ok: ['unreadable'] });
  });

  it('a home that cannot be written costs a warning only', async () => {
    const home = userFolder();
    chmodSync(home, 0o555);
    const { ok } = await probe('register', '/repo', join(home, '.cc-delegate'));
    expect(ok).toMatch(/will not be found from elsewhere.*EACCES/);
  });
});

describe('without space', () => {
  it('a file size limit keeps the old record and names path, errno and remedy', () => {
    const store = openStore(makeFolder(), { create: true });
    const record = sampleRecord();
    createJob(store, record);
    const command = ['ulimit -f 1 && exec "$@"', 'sh', process.execPath, join(programs, 'probe.mjs')];
    const ran = spawnSync('bash', ['-c', ...command, 'publish', store.repo, record.id], { encoding: 'utf8' });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      error: {
        code: 'storage',
        exit: 6,
        value: expect.stringMatching(/2\.json \(EFBIG\)/),
        remedy: expect.stringMatching(/ulimit/),
      },
    });
    expect(readJob(store, record.id)).toEqual({ kind: 'ok', id: record.id, record });
    expect(
      readdirSync(store.root, { recursive: true }).filter((name) => String(name).endsWith('.tmp')),
    ).toEqual([]);
  });

  it('a full disk loses no record, and goes on when there is space again', (context) => {
    const disk = mountSmall(64);
    if (disk === null) return context.skip(NO_MOUNT);
    const repo = join(disk, 'repo');
    mkdirSync(repo);
    const store = openStore(repo, { create: true });
    let current = sampleRecord({ state: 'running' });
    createJob(store, current);
    const fill = (): number => {
      for (let round = 0; round < 1000; round += 1) {
        const next = { ...current, rev: current.rev + 1, costUsd: round };
        try {
          publish(store, next);
        } catch (error) {
          expect(error).toMatchObject({
            explanation: { code: 'storage', value: expect.stringMatching(/ENOSPC/) },
          });
          return round;
        }
        current = next;
      }
      throw new Error('the disk never got full');
    };
    expect(fill()).toBeGreaterThan(0);
    expect(readJob(store, current.id)).toMatchObject({ kind: 'ok', record: current });
    execFileSync('mount', ['-o', 'remount,size=1m', disk]);
    expect(publish(store, { ...current, rev: current.rev + 1 })).toBe('published');
  });

  it('a file system that became read-only is named, and still read', (context) => {
    const disk = mountSmall(256);
    if (disk === null) return context.skip(NO_MOUNT);
    const store = openStore(disk, { create: true });
    const record = sampleRecord();
    createJob(store, record);
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    expect(() => openStore(disk, { create: true })).toThrow(/EROFS.*read-only/);
    expect(readJob(openStore(disk, { create: false }), record.id).kind).toBe('ok');
  });
});

/** A file system of so many KB; null where it cannot be mounted. */
function mountSmall(kilobytes: number): string | null {
  const folder = makeFolder();
  const mounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder]).status === 0;
  if (!mounted) return null;
  onTestFinished(() => void spawnSync('umount', [folder]));
  return folder;
}
