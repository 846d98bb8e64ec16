import fs, { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SpendRecord } from '../../src/job/spend-record.ts';
import { UserError } from '../../src/job/user-error.ts';
import { appendSpend, offsetBefore, scanSpend, spendPath } from '../../src/store/spend-file.ts';
import { SpendTotals, spendOfJob } from '../../src/store/spend-totals.ts';
import { makeFolder } from '../helpers/repository.ts';
import { bundlePrograms, runProgram } from './fixtures/bundle.ts';
import { spendRecord } from './fixtures/spend.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

function read(userDir: string, from = 0): { calls: SpendRecord[]; next: number; skipped: number } {
  const calls: SpendRecord[] = [];
  return { ...scanSpend(userDir, from, (call) => void calls.push(call)), calls };
}

const jobs = (userDir: string): string[] => read(userDir).calls.map(({ job }) => job);

describe('the record of calls', () => {
  it('is made with its folder, for the user alone, and read back as it was written', () => {
    const userDir = join(makeFolder(), 'home');
    expect(read(userDir)).toEqual({ calls: [], next: 0, skipped: 0 });
    const tiers = [{ above: 200_000, input: 2, output: 20 }];
    const call = spendRecord({ prices: { input: 1, output: 10, tiers }, usd: null, basis: 'unknown' });
    appendSpend(userDir, call);
    expect(read(userDir).calls).toEqual([call]);
    expect(statSync(spendPath(userDir)).mode & 0o777).toBe(0o600);
  });

  it('loses nothing when 32 processes write at once', async () => {
    const [programs, userDir] = [makeFolder(), makeFolder()];
    await bundlePrograms(programs, 'spend-writer');
    const names = Array.from({ length: 32 }, (_, index) => `w${index}`);
    const writers = names.map((name) => runProgram(programs, 'spend-writer', [userDir, name, '40']));
    const codes = await Promise.all(writers.map(({ ended }) => ended.then(({ code }) => code)));
    expect(new Set(codes)).toEqual(new Set([0]));
    expect(read(userDir).skipped).toBe(0);
    expect(new Set(jobs(userDir)).size).toBe(32 * 40);
    expect(jobs(userDir)).toHaveLength(32 * 40);
  }, 180_000);

  it('goes on after a line that a crash tore, and counts what is none of its lines', () => {
    const userDir = makeFolder();
    appendSpend(userDir, spendRecord({ job: 'a' }));
    truncateSync(spendPath(userDir), statSync(spendPath(userDir)).size - 20);
    appendSpend(userDir, spendRecord({ job: 'b' }));
    appendFileSync(spendPath(userDir), 'garbage\n{"schema":1}\n\n[]\n\u0000\n');
    appendSpend(userDir, spendRecord({ job: 'c' }));
    expect(jobs(userDir)).toEqual(['b', 'c']);
    expect(read(userDir).skipped).toBe(5);
  });

  it('is read on from where it was read to, without a line that is still being written', () => {
    const userDir = makeFolder();
    appendSpend(userDir, spendRecord({ job: 'a' }));
    const { next } = read(userDir);
    const line = JSON.stringify(spendRecord({ job: 'b' }));
    appendFileSync(spendPath(userDir), line.slice(0, 50));
    expect(read(userDir, next)).toEqual({ calls: [], next, skipped: 0 });
    appendFileSync(spendPath(userDir), `${line.slice(50)}\n`);
    expect(read(userDir, next).calls).toMatchObject([{ job: 'b' }]);
  });

  it('has a line of at most four kilobytes, whatever the path', () => {
    const userDir = makeFolder();
    appendSpend(userDir, spendRecord({ repo: `/${'x'.repeat(5000)}` }));
    expect(statSync(spendPath(userDir)).size).toBeLessThan(4096);
    expect(read(userDir).calls).toHaveLength(1);
  });

  it('on a full disk keeps what was there, says so, and takes the next call whole', () => {
    const userDir = makeFolder();
    appendSpend(userDir, spendRecord({ job: 'a' }));
    const before = readFileSync(spendPath(userDir));
    const real = fs.writeSync;
    vi.spyOn(fs, 'writeSync').mockImplementation((file, bytes) => {
      // A part of the line was taken, and then there is no room left.
      const part = Buffer.from(String(bytes)).subarray(0, 30);
      return (real as (file: number, bytes: Uint8Array) => number)(file, part);
    });
    const write = (): void => appendSpend(userDir, spendRecord({ job: 'b' }));
    expect(write).toThrow(UserError);
    expect(write).toThrow('ENOSPC');
    vi.restoreAllMocks();
    appendSpend(userDir, spendRecord({ job: 'c' }));
    expect(readFileSync(spendPath(userDir)).subarray(0, before.length)).toEqual(before);
    expect(jobs(userDir)).toEqual(['a', 'c']);
  });
});

describe('a long record', () => {
  const DAY_MS = 24 * 3600 * 1000;
  const START = Date.parse('2026-11-01T12:00:00.000Z');
  const at = (n: number): string => new Date(START + n * 60_000).toISOString();

  /** A call a minute, for a week. */
  function longRecord(): string {
    const userDir = makeFolder();
    const lines = Array.from({ length: 7 * 24 * 60 }, (_, n) =>
      JSON.stringify(spendRecord({ job: `j${n}`, at: at(n), usd: 0.01 })),
    );
    mkdirSync(userDir, { recursive: true });
    writeFileSync(spendPath(userDir), `${lines.join('\n')}\n`);
    return userDir;
  }

  it('is read from near its end for what is young, and no call is missed', () => {
    const userDir = longRecord();
    const { size } = statSync(spendPath(userDir));
    const since = START + 6.5 * DAY_MS;
    const offset = offsetBefore(userDir, since);
    expect(offset).toBeGreaterThan(size / 2);
    const young = read(userDir, offset);
    expect(young.skipped).toBe(0);
    expect(young.calls.filter((call) => Date.parse(call.at) >= since)).toHaveLength(12 * 60);
    expect(offsetBefore(userDir, START)).toBe(0);
    expect(offsetBefore(makeFolder(), START)).toBe(0);
  });

  it('is added up by the day where the user is, and goes on when a day begins', () => {
    const userDir = longRecord();
    let now = new Date(2026, 10, 5, 18).getTime();
    const totals = new SpendTotals(userDir, '/home/user/project', () => now);
    const all = read(userDir).calls.filter((call) => new Date(call.at).getDate() === 5);
    expect(totals.today()).toBeCloseTo(all.length * 0.01);
    appendSpend(userDir, spendRecord({ at: new Date(2026, 10, 5, 18).toISOString(), usd: 1 }));
    expect(totals.today()).toBeCloseTo(all.length * 0.01 + 1);
    now = new Date(2026, 11, 1, 0, 5).getTime();
    expect(totals.today()).toBe(0);
    appendSpend(userDir, spendRecord({ at: new Date(now).toISOString(), usd: 2, repo: '/other' }));
    appendSpend(userDir, spendRecord({ at: new Date(now).toISOString(), usd: null, basis: 'unknown' }));
    expect(totals.today()).toBe(2);
    expect(totals.repository()).toBeCloseTo(7 * 24 * 60 * 0.01 + 1);
    expect(totals.repository()).toBeCloseTo(7 * 24 * 60 * 0.01 + 1);
  });

  it('tells what one job has spent', () => {
    const userDir = longRecord();
    for (const usd of [1, 2]) appendSpend(userDir, spendRecord({ job: 'mine', at: at(11_000), usd }));
    const { calls, spend } = spendOfJob(userDir, { id: 'mine', createdAt: at(10_990) });
    expect({ calls, usd: spend.usd }).toEqual({ calls: 2, usd: 3 });
  });
});
