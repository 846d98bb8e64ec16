import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_PROGRESS, NO_RESULT } from '../../src/job/record.ts';
import { makeBell } from '../../src/notify/bell.ts';
import { deliver, forget, heardOf, lookedAt } from '../../src/notify/deliver.ts';
import { activeFor, claim, keptFor } from '../../src/notify/deliveries.ts';
import { adopt, heirsFrom, ownersFor, reclaim } from '../../src/notify/heirs.ts';
import { ownerFolder, terminalOwner } from '../../src/notify/places.ts';
import { storeFolder } from '../../src/store/paths.ts';
import { Scene } from './scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

const whats = (owner: string) => keptFor(scene.userDir, [owner]).map(({ what }) => what.split('-')[0]);
const untold = (owner: string) => keptFor(scene.userDir, [owner]).filter(({ isTold }) => !isTold).length;

function tellAll(owner: string): void {
  for (const kept of keptFor(scene.userDir, [owner])) claim(scene.userDir, kept);
}

describe('the notices of a budget', () => {
  const spent = (costUsd: number | null) => ({ costUsd, progress: { ...NO_PROGRESS, step: 1 } });
  const budgets = () => keptFor(scene.userDir, ['s1']).map(({ what }) => what);
  const rings = () => readFileSync(bell(), 'utf8').length;
  const bell = () => join(scene.userDir, 'bells', 's1');

  it('are one at 50 and one at 80 per cent, however often the record is saved; only the second wakes', () => {
    makeBell(scene.userDir, 's1');
    const job = scene.job('s1');
    const seen: string[][] = [];
    for (const usd of [null, 2.4, 2.5, 2.6, 3.9, 4, 4.2, 4.9]) {
      deliver(scene.userDir, { ...job, ...spent(usd) });
      seen.push(budgets());
      if (usd !== null && usd < 4) expect(rings()).toBe(0);
    }
    const [half, most] = ['budget50-500', 'budget80-500'];
    expect(seen).toEqual([[], [], [half], [half], [half], [most], [most], [most]]);
    expect(rings()).toBe(1);
  });

  it('are not told twice, and begin anew when the budget is raised', () => {
    const job = scene.job('s1');
    deliver(scene.userDir, { ...job, ...spent(4.5) });
    expect(untold('s1')).toBe(1);
    tellAll('s1');
    deliver(scene.userDir, { ...job, ...spent(4.6) });
    expect(untold('s1')).toBe(0);
    const raised = { ...job, limits: { ...job.limits, budgetUsd: 10 } };
    deliver(scene.userDir, { ...raised, ...spent(4.9) });
    expect(untold('s1')).toBe(0);
    deliver(scene.userDir, { ...raised, ...spent(5) });
    expect(budgets()).toEqual(['budget50-1000']);
    expect(untold('s1')).toBe(1);
  });

  it('stand beside a question, and go with the end', () => {
    const job = { ...scene.job('s1'), ...spent(4.5) };
    const asking = scene.ask(job);
    expect(whats('s1').sort()).toEqual(['budget80', 'q1']);
    scene.save(asking, { state: 'succeeded', result: NO_RESULT });
    expect(whats('s1')).toEqual(['ended']);
  });
});

describe('the notices of a job', () => {
  it('are one for each question and one for the end, however often the record is saved', () => {
    const job = scene.job('s1');
    expect(activeFor(scene.userDir, ['s1'])).toEqual([{ owner: 's1', job: job.id, repo: scene.repo }]);
    const asking = scene.ask(job);
    deliver(scene.userDir, asking);
    deliver(scene.userDir, { ...asking, progress: { ...asking.progress, step: 2 } });
    expect(whats('s1')).toEqual(['q1']);
    const running = scene.save(asking, { state: 'running' });
    expect(whats('s1')).toEqual([]);
    const again = scene.ask(running, 'And v2?', 'q2');
    const ended = scene.save(again, { state: 'succeeded', result: NO_RESULT });
    deliver(scene.userDir, ended);
    expect(whats('s1')).toEqual(['ended']);
    expect(activeFor(scene.userDir, ['s1'])).toEqual([]);
  });

  it('tell of the same question again when it is asked again, after an answer', () => {
    const asking = scene.ask(scene.job('s1'));
    tellAll('s1');
    const running = scene.save(asking, { state: 'running' });
    expect(scene.deliveries('s1')).toHaveLength(1);
    scene.ask({ ...running, rev: running.rev }, 'x');
    expect(untold('s1')).toBe(1);
  });

  it('are not made again once they were looked at, when the ended job is saved for another reason', () => {
    const ended = scene.save(scene.job('s1'), { state: 'failed', reason: 'runner_lost' });
    lookedAt(scene.userDir, ended, 's1');
    expect(scene.deliveries('s1')).toBeNull();
    scene.save(ended, { state: 'failed', reason: 'runner_lost', result: { ...NO_RESULT, salvaged: true } });
    expect(scene.deliveries('s1')).toBeNull();
  });

  it('are not made for a job that its session saw end before its runner came to announce it', () => {
    const job = scene.job('s1');
    const ended = {
      ...job,
      state: 'succeeded',
      endedAt: new Date().toISOString(),
      result: NO_RESULT,
    } as const;
    lookedAt(scene.userDir, ended, 's1');
    deliver(scene.userDir, ended);
    expect(untold('s1')).toBe(0);
    const question = scene.job('s1');
    const asked = scene.ask(question);
    lookedAt(scene.userDir, asked, 's1');
    expect(untold('s1')).toBe(0);
    expect(whats('s1')).toEqual(['q1']);
  });

  it('stay untouched when somebody else looks before the session was told, and go when it was', () => {
    const ended = scene.save(scene.job('s1'), { state: 'succeeded', result: NO_RESULT });
    lookedAt(scene.userDir, ended, null);
    lookedAt(scene.userDir, ended, 's2');
    expect(untold('s1')).toBe(1);
    tellAll('s1');
    lookedAt(scene.userDir, ended, null);
    expect(scene.deliveries('s1')).toBeNull();
  });

  it('that its session has heard of are kept for its next beginning, also when it heard before the runner came', () => {
    const { userDir } = scene;
    const job = scene.job('s1');
    const ended = { ...job, state: 'succeeded', endedAt: job.createdAt, result: NO_RESULT } as const;
    for (const session of [null, 's2']) heardOf(userDir, ended, session);
    heardOf(userDir, scene.ask(scene.job('s1')), null);
    expect(untold('s1')).toBe(1);
    heardOf(userDir, ended, 's1');
    deliver(userDir, ended);
    heardOf(userDir, ended, 's1');
    expect(whats('s1').sort()).toEqual(['ended', 'q1']);
    expect(untold('s1')).toBe(1);
    lookedAt(userDir, ended, 's1');
    heardOf(userDir, ended, 's1');
    expect(scene.deliveries('s1')?.filter((name) => name.startsWith(job.id))).toEqual([]);
  });

  it('of a job without a session wait for the next one of the repository, under the repository’s name', () => {
    const ended = scene.save(scene.job(null), { state: 'succeeded', result: NO_RESULT });
    expect(whats(terminalOwner(scene.repo))).toEqual(['ended']);
    lookedAt(scene.userDir, ended, null);
    expect(scene.deliveries(terminalOwner(scene.repo))).toBeNull();
  });

  it('go with the job when it is cleaned up', () => {
    const job = scene.job('s1');
    scene.ask(job);
    forget(scene.userDir, job);
    expect(scene.deliveries('s1')).toBeNull();
  });

  it('are never an error for the job, where they cannot be written', () => {
    const job = scene.job('s1');
    writeFileSync(join(dirname(scene.userDir), 'file'), '');
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const ended = { ...job, state: 'succeeded', result: NO_RESULT } as const;
    expect(() => deliver(join(dirname(scene.userDir), 'file'), { ...ended, question: null })).not.toThrow();
    mkdirSync(join(scene.userDir, 'deliveries'), { recursive: true });
    writeFileSync(join(scene.userDir, 'deliveries', 's9'), 'a file, no folder');
    const other = scene.job('s9');
    expect(() => scene.ask(other)).not.toThrow();
    expect(written).toHaveBeenCalled();
    written.mockRestore();
  });

  it('are left out when they are torn, foreign, a link, or stand under another name', () => {
    const asking = scene.ask(scene.job('s1'));
    const folder = ownerFolder(scene.userDir, 's1');
    const [name = ''] = (scene.deliveries('s1') ?? []).filter((file) => file.endsWith('.json'));
    const good = readFileSync(join(folder, name), 'utf8');
    const id = asking.id;
    writeFileSync(join(folder, `${id}.torn-1.json`), good.slice(0, 40));
    writeFileSync(join(folder, `${id}.ended-1.json`), good);
    writeFileSync(join(folder, 't_000000_aaaaaa.q1-1.json'), good);
    writeFileSync(join(folder, 'evil.json'), good);
    writeFileSync(join(folder, '..adopted'), '');
    symlinkSync(join(folder, name), join(folder, `${id}.link-1.json`));
    symlinkSync('/dev/zero', join(folder, `${id}.zero-1.json`));
    mkdirSync(join(folder, `${id}.folder-1.json`));
    expect(whats('s1')).toEqual(['q1']);
    expect(ownersFor(scene.userDir, 's1')).toEqual(['s1']);
  });
});

describe('the bell', () => {
  it('is rung when the notice is on the disk, and a second time, only where a session has one', async () => {
    makeBell(scene.userDir, 's1');
    const asking = scene.ask(scene.job('s1'));
    expect([scene.rings('s1'), untold('s1')]).toEqual([1, 1]);
    deliver(scene.userDir, asking);
    expect(scene.rings('s1')).toBe(1);
    await vi.waitUntil(() => scene.rings('s1') === 2, { timeout: 5000 });
    scene.ask(scene.job('s2'));
    expect(existsSync(scene.bell('s2'))).toBe(false);
  });

  it('is not rung for a job without a session', () => {
    makeBell(scene.userDir, 's1');
    makeBell(scene.userDir, terminalOwner(scene.repo));
    scene.ask(scene.job(null));
    expect([scene.rings('s1'), scene.rings(terminalOwner(scene.repo))]).toEqual([0, 0]);
  });

  it('that is a link rings nowhere else', () => {
    makeBell(scene.userDir, 's1');
    const other = join(storeFolder(scene.repo), 'other');
    scene.job('s2');
    writeFileSync(other, '');
    symlinkSync(other, scene.bell('s2'));
    scene.ask(scene.job('s2'));
    expect(readFileSync(other, 'utf8')).toBe('');
  });
});

describe('heirs', () => {
  it('are woken for the sessions before them, and find what those got, even when there was nothing at first', () => {
    for (const session of ['s1', 's2', 's3']) makeBell(scene.userDir, session);
    expect(adopt(scene.userDir, 's1', 's2')).toBe(true);
    expect(adopt(scene.userDir, 's2', 's3')).toBe(true);
    expect(adopt(scene.userDir, 's1', 's9')).toBe(false);
    expect(scene.deliveries('s3')).toBeNull();
    const job = scene.job('s1');
    rmSync(ownerFolder(scene.userDir, 's3'), { recursive: true });
    scene.ask(job);
    expect(heirsFrom(scene.userDir, 's1')).toEqual(['s1', 's2', 's3']);
    expect(ownersFor(scene.userDir, 's3')).toEqual(['s3', 's2', 's1']);
    expect(scene.rings('s3')).toBe(1);
  });

  it('lose them again when the session goes on by itself', () => {
    scene.job('s1');
    adopt(scene.userDir, 's1', 's2');
    expect(ownersFor(scene.userDir, 's2')).toEqual(['s2', 's1']);
    reclaim(scene.userDir, 's1');
    expect(ownersFor(scene.userDir, 's2')).toEqual(['s2']);
    expect(heirsFrom(scene.userDir, 's1')).toEqual(['s1']);
    expect(adopt(scene.userDir, 's1', 's3')).toBe(true);
  });

  it('in a circle, as nobody should have made it, are walked once', () => {
    adopt(scene.userDir, 's1', 's2');
    adopt(scene.userDir, 's2', 's1');
    scene.ask(scene.job('s1'));
    expect(heirsFrom(scene.userDir, 's1')).toEqual(['s1', 's2']);
    expect(ownersFor(scene.userDir, 's2')).toEqual(['s2', 's1']);
  });
});
