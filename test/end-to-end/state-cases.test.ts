import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { runPaths, snapshotPath } from '../../src/store/paths.ts';
import { git } from '../helpers/repository.ts';
import { makeWorld, type World, write } from '../helpers/world.ts';
import { byTask } from './by-task.ts';

const WORK = byTask({ task: [{ calls: [write('a.txt', 'x')] }, { text: 'done' }] });

/** Starts a job and waits for its end. */
async function finished(world: World): Promise<JobId> {
  const id = await world.start();
  expect((await world.ended(id)).state).toBe('succeeded');
  return id;
}

describe('damaged files of the store', () => {
  it.each([
    ['cut in the middle', (bytes: number) => Math.floor(bytes / 2)],
    ['empty', () => 0],
  ])(
    'STATE-01 a job whose record is %s is shown as such, and costs no other job anything',
    async (_how, size) => {
      const world = await makeWorld({ script: WORK });
      const [good, torn, other] = [await finished(world), await finished(world), await finished(world)];
      const store = world.store();
      const snapshot = snapshotPath(store, torn);
      const whole = readFileSync(snapshot);
      writeFileSync(join(store.jobs, `.${torn}.json.99999.1.tmp`), whole.subarray(0, 100));

      // The snapshot alone: the revisions beside it make it good.
      truncateSync(snapshot, size(whole.length));
      expect((await world.run(['status', torn, '--json'])).json()).toMatchObject({ state: 'succeeded' });

      const { revisions, patch } = runPaths(store, torn);
      for (const name of readdirSync(revisions)) {
        const file = join(revisions, name);
        truncateSync(file, size(readFileSync(file).length));
      }
      const list = await world.run(['list', '--json']);
      expect(list.exit).toBe(0);
      expect(list.stdout).toContain(good);
      expect(list.stdout).toContain(other);
      expect(list.json<{ unreadable: string[] }>().unreadable.join()).toContain(snapshot);
      expect((await world.run(['status'])).exit).toBe(0);
      expect((await world.run(['result', good])).exit).toBe(0);
      const unreadable = await world.run(['result', torn, '--json']);
      expect(unreadable.exit).toBe(6);
      expect(unreadable.json()).toMatchObject({ error: { code: 'unreadable' } });
      expect(readFileSync(patch, 'utf8')).toContain('a.txt');
      expect((await world.run(['cleanup', '--all-finished', '--force'])).exit).toBe(0);
      // Not deleted: nobody knows what it was.
      expect(readFileSync(snapshot)).toHaveLength(size(whole.length));
      await finished(world);
    },
  );

  it('STATE-03 after a torn line of the log the next one stands alone, and the cost so far is kept', async () => {
    const world = await makeWorld({
      script: [
        {
          calls: [{ name: 'ask_supervisor', args: { question: 'which?' } }],
          usage: { prompt: 1000, output: 0 },
        },
        { calls: [write('a.txt', 'x')], usage: { prompt: 1000, output: 0 } },
        { text: 'done', usage: { prompt: 1000, output: 0 } },
      ],
    });
    const id = await world.start();
    await world.until(id, ({ state }) => state === 'needs_input');
    await world.until(id, () => world.events(id, 'question').length === 1);
    const { events } = runPaths(world.store(), id);
    appendFileSync(events, '{"at":"2026-01-01T00:00:00.000Z","t":"spe');
    expect((await world.run(['answer', id, 'this'])).exit).toBe(0);
    const record = await world.ended(id);
    expect(record.costUsd).toBeCloseTo(0.003, 9);
    const lines = readFileSync(events, 'utf8').trimEnd().split('\n');
    const broken = lines.filter((line) => !isJson(line));
    expect(broken).toEqual(['{"at":"2026-01-01T00:00:00.000Z","t":"spe']);
    expect(world.events(id, 'answer')).toHaveLength(1);
    const log = await world.run(['log', id]);
    expect(log).toMatchObject({ exit: 0 });
    expect(log.stdout).toContain('(1 torn or foreign');
  });
});

describe('many at once', () => {
  it('STATE-04 parallel starts lose no job, and no read meanwhile sees a torn or a smaller list', async () => {
    const world = await makeWorld({ script: WORK });
    const over = { now: false };
    const counts: number[] = [];
    const reading = (async () => {
      while (!over.now) {
        const list = await world.run(['list', '--limit', '100', '--json']);
        const { conversations } = list.json<{ conversations?: unknown[] }>();
        counts.push(conversations?.length ?? 0);
      }
    })();
    const started = await Promise.all(Array.from({ length: 12 }, () => world.start(['--no-preflight-wait'])));
    const records = await Promise.all(started.map((id) => world.ended(id, 150)));
    over.now = true;
    await reading;
    expect(new Set(started).size).toBe(12);
    expect(records.map(({ state }) => state)).toEqual(started.map(() => 'succeeded'));
    expect(git(world.repository, 'branch', '--list', 'delegate/*').split('\n')).toHaveLength(12);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    const store = world.store();
    expect(readdirSync(store.active)).toEqual([]);
    expect(
      readdirSync(store.root, { recursive: true }).filter((name) => String(name).endsWith('.tmp')),
    ).toEqual([]);
  }, 240_000);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The answer to the question.
    return false;
  }
}
