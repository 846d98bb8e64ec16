import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type JobId, makeJobId } from '../../src/job/ids.ts';
import type { Concurrency } from '../../src/job/queue.ts';
import type { RunnerIdentity } from '../../src/job/record.ts';
import { identify } from '../../src/store/liveness.ts';
import { claimPath, giveBackSlot, type Holder, readClaims, takeSlot } from '../../src/store/slot-claims.ts';
import { Slots } from '../../src/store/slots.ts';
import { makeFolder } from '../helpers/repository.ts';
import { bundlePrograms, runProgram } from './fixtures/bundle.ts';

let born = 0;
function newId(): JobId {
  born += 1;
  return makeJobId(1_700_000_000_000 + born, born);
}

function slotsOf(folder: string, limits: Partial<Concurrency>, self: Partial<Holder> = {}): Slots {
  const whole = { total: 9, perProvider: 9, queueTimeout: 60, ...limits };
  return new Slots(folder, { job: newId(), provider: 'p', runner: identify(), ...self }, whole);
}

/** The identity of a process that is dead. */
async function dead(): Promise<RunnerIdentity> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const identity = identify(child.pid);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  return identity;
}

const held = (folder: string) => readClaims(folder, Date.now()).filter(({ holder }) => holder !== null);

describe('slots', () => {
  it('lets in as many as the limit says, and the next when one leaves', () => {
    const folder = makeFolder();
    const [a, b, c] = [
      slotsOf(folder, { total: 2 }),
      slotsOf(folder, { total: 2 }),
      slotsOf(folder, { total: 2 }),
    ];
    expect(a.tryTake().kind).toBe('yes');
    expect(b.tryTake().kind).toBe('yes');
    expect(c.tryTake()).toEqual({ kind: 'wait', why: 'waiting for a slot: 2 of 2 jobs run' });
    a.leave();
    expect(c.tryTake().kind).toBe('yes');
    expect(b.tryTake().kind).toBe('wait');
  });

  it('counts a provider on its own, and a busy one does not hold up the others', () => {
    const folder = makeFolder();
    const one = (provider: string): Slots => slotsOf(folder, { total: 3, perProvider: 1 }, { provider });
    expect(one('a').tryTake().kind).toBe('yes');
    const waits = one('a');
    expect(waits.tryTake()).toEqual({ kind: 'wait', why: 'waiting for a slot: 1 of 1 jobs use a' });
    waits.standInLine();
    expect(one('b').tryTake().kind).toBe('yes');
    // One place is left, and the older one cannot use it.
    expect(one('c').tryTake().kind).toBe('yes');
  });

  it('lets the oldest of those who wait go first, unless it is dead', async () => {
    const folder = makeFolder();
    const gone = slotsOf(folder, { total: 1 }, { runner: await dead() });
    const [old, young, runs] = [1, 2, 3].map(() => slotsOf(folder, { total: 1 }));
    runs?.tryTake();
    for (const each of [gone, young, old]) each?.standInLine();
    expect(young?.tryTake().kind).toBe('wait');
    runs?.leave();
    expect(young?.tryTake()).toEqual({ kind: 'wait', why: 'waiting for a slot: 1 job before it' });
    expect(old?.tryTake().kind).toBe('yes');
    old?.leave();
    expect(young?.tryTake().kind).toBe('yes');
    expect(readdirSync(folder).filter((name) => name.startsWith('wait.'))).toEqual([]);
  });

  it('does not let a newcomer in before the one who waits', () => {
    const folder = makeFolder();
    const runs = slotsOf(folder, { total: 1 });
    const waits = slotsOf(folder, { total: 1 });
    expect(runs.tryTake().kind).toBe('yes');
    waits.standInLine();
    runs.leave();
    expect(slotsOf(folder, { total: 1 }).tryTake().kind).toBe('wait');
    expect(waits.tryTake().kind).toBe('yes');
  });

  it('heeds those who run above a limit that was lowered', () => {
    const folder = makeFolder();
    const running = [1, 2, 3].map(() => slotsOf(folder, { total: 3 }));
    for (const each of running) expect(each.tryTake().kind).toBe('yes');
    running[0]?.leave();
    expect(slotsOf(folder, { total: 2 }).tryTake().kind).toBe('wait');
    running[1]?.leave();
    expect(slotsOf(folder, { total: 2 }).tryTake().kind).toBe('yes');
  });

  it('gives the provider slot back when the other one was taken meanwhile', () => {
    const folder = makeFolder();
    const slow = slotsOf(folder, { total: 1 });
    const rival: Holder = { job: newId(), provider: 'q', runner: identify() };
    let looks = 0;
    const now = (): number => {
      looks += 1;
      // Between its look and its claim on the second pool another job, of another provider, is let in.
      if (looks === 2) takeSlot(folder, { pool: 'all', number: 1, generation: 0 }, rival, Date.now());
      return Date.now();
    };
    const self = { job: newId(), provider: 'p', runner: identify() };
    const late = new Slots(folder, self, { total: 1, perProvider: 1, queueTimeout: 1 }, now);
    expect(late.tryTake().kind).toBe('wait');
    expect(held(folder).map(({ pool }) => pool)).toEqual(['all']);
    expect(slow.tryTake().kind).toBe('wait');
  });
});

describe('claims', () => {
  it('a claim made from a look that is long past is no claim', () => {
    const folder = makeFolder();
    const self: Holder = { job: newId(), provider: 'p', runner: identify() };
    const slot = (generation: number) => ({ pool: 'all', number: 1, generation });
    for (let generation = 0; generation < 40; generation += 2) {
      expect(takeSlot(folder, slot(generation), self, Date.now())).toBe(generation + 1);
      giveBackSlot(folder, slot(generation + 1));
    }
    expect(readdirSync(folder).length).toBeLessThan(12);
    expect(takeSlot(folder, slot(3), self, Date.now())).toBeNull();
    expect(existsSync(claimPath(folder, slot(4)))).toBe(false);
    expect(held(folder)).toEqual([]);
  });

  it('a holder that cannot be seen from here counts while it shows that it lives', () => {
    const folder = makeFolder();
    const runner = { ...identify(), pidNamespace: '1' };
    const away = slotsOf(folder, { total: 1 }, { runner });
    expect(away.tryTake().kind).toBe('yes');
    const old = new Date(Date.now() - 11 * 60_000);
    expect(slotsOf(folder, { total: 1 }).tryTake().kind).toBe('wait');
    for (const { pool, number, generation } of held(folder)) {
      utimesSync(claimPath(folder, { pool, number, generation }), old, old);
    }
    away.beat();
    expect(slotsOf(folder, { total: 1 }).tryTake().kind).toBe('wait');
    for (const claim of held(folder)) utimesSync(claimPath(folder, claim), old, old);
    expect(slotsOf(folder, { total: 1 }).tryTake().kind).toBe('yes');
  });

  it('a broken claim bars its slot for ten minutes only', () => {
    const folder = makeFolder();
    const path = join(folder, 'all.1.1.json');
    writeFileSync(path, '{"runner"');
    expect(slotsOf(folder, { total: 1 }).tryTake().kind).toBe('wait');
    const old = new Date(Date.now() - 11 * 60_000);
    utimesSync(path, old, old);
    expect(slotsOf(folder, { total: 1 }).tryTake().kind).toBe('yes');
  });
});

describe('many processes', () => {
  it('50 times, of six processes that race for the slot of a dead one, exactly one gets it', {
    timeout: 120_000,
  }, async () => {
    const [folder, programs] = [makeFolder(), makeFolder()];
    await bundlePrograms(programs, 'slot-racer');
    const [rounds, racers] = [50, 6];
    const gone: Holder = { job: newId(), provider: 'p', runner: await dead() };
    for (let round = 0; round < rounds; round += 1) {
      const slots = join(folder, String(round));
      mkdirSync(slots);
      for (const pool of ['all', 'of-p']) takeSlot(slots, { pool, number: 1, generation: 0 }, gone, 0);
    }
    const running = Array.from({ length: racers }, () =>
      runProgram(programs, 'slot-racer', [folder, newId(), String(rounds)]),
    );
    for (let round = 0; round <= rounds; round += 1) {
      const isReady = (name: string): boolean => name.startsWith(`ready.${round}.`);
      while (readdirSync(folder).filter(isReady).length < racers) await sleep(1);
      writeFileSync(join(folder, round < rounds ? `shot.${round}` : 'over'), '');
    }
    const ends = await Promise.all(running.map(({ ended }) => ended));
    const won = ends.flatMap(({ stdout }) => stdout.trim().split('\n').filter(Boolean).map(Number));
    expect(won.sort((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, round) => round));
  });

  it('20 processes with limit 3, killed at random, are never more than 3 inside and leak no slot', {
    timeout: 240_000,
  }, async () => {
    const [folder, inside, programs] = [makeFolder(), makeFolder(), makeFolder()];
    await bundlePrograms(programs, 'slot-worker');
    const ids = Array.from({ length: 20 }, newId);
    let kills = 0;
    const runs = ids.map(async (id, index) => {
      await sleep(index * 20);
      const stay = index % 4 === 0 ? '60000' : '50';
      const run = runProgram(programs, 'slot-worker', [folder, inside, id, '3', stay]);
      // More than half of them: inside, perhaps on their way out, or anywhere.
      if (index % 2 === 0) {
        void run.ready.then(async () => {
          await sleep(Math.random() * 200);
          kills += run.child.kill('SIGKILL') ? 1 : 0;
        });
      } else if (index % 6 === 1) {
        void sleep(Math.random() * 2000).then(() => run.child.kill('SIGKILL'));
      }
      return run.ended;
    });
    const ends = await Promise.all(runs);
    const counts = ends.flatMap(({ stdout }) => stdout.trim().split('\n').filter(Boolean).map(Number));
    const calm = ends.filter((_, index) => index % 2 === 1 && index % 6 !== 1);
    expect(calm.every(({ code }) => code === 0)).toBe(true);
    expect(Math.max(...counts)).toBe(3);
    expect(kills).toBeGreaterThanOrEqual(5);
    const free = slotsOf(folder, { total: 3, perProvider: 3 });
    const all = [free, ...[1, 2].map(() => slotsOf(folder, { total: 3, perProvider: 3 }))];
    expect(all.map((slots) => slots.tryTake().kind)).toEqual(['yes', 'yes', 'yes']);
    expect(held(folder)).toHaveLength(6);
  });
});
