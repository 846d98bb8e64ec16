import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { runPaths, snapshotPath } from '../../src/store/paths.ts';
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
  it('STATE-01 a job whose record is cut in the middle or empty is shown as such, and costs no other job anything', async () => {
    const world = await makeWorld({ script: WORK });
    const store = world.store();
    const good = await finished(world);
    const damaged = [
      { how: 'cut', id: await finished(world), size: (bytes: number) => Math.floor(bytes / 2) },
      { how: 'empty', id: await finished(world), size: () => 0 },
    ].map((each) => ({ ...each, snapshot: snapshotPath(store, each.id) }));
    const other = await finished(world);
    const lengths = new Map<JobId, number>();
    for (const { how, id, size, snapshot } of damaged) {
      const whole = readFileSync(snapshot);
      lengths.set(id, size(whole.length));
      writeFileSync(join(store.jobs, `.${id}.json.99999.1.tmp`), whole.subarray(0, 100));

      // The snapshot alone: the revisions beside it make it good.
      truncateSync(snapshot, size(whole.length));
      const status = await world.run(['status', id, '--json']);
      expect(status.json(), how).toMatchObject({ state: 'succeeded' });

      const { revisions } = runPaths(store, id);
      for (const name of readdirSync(revisions)) {
        const file = join(revisions, name);
        truncateSync(file, size(readFileSync(file).length));
      }
      const list = await world.run(['list', '--json']);
      expect(list.exit, how).toBe(0);
      expect(list.stdout, how).toContain(good);
      expect(list.stdout, how).toContain(other);
      expect(list.json<{ unreadable: string[] }>().unreadable.join(), how).toContain(snapshot);
      expect((await world.run(['status'])).exit, how).toBe(0);
      expect((await world.run(['result', good])).exit, how).toBe(0);
      const unreadable = await world.run(['result', id, '--json']);
      expect(unreadable.exit, how).toBe(6);
      expect(unreadable.json(), how).toMatchObject({ error: { code: 'unreadable' } });
      expect(readFileSync(runPaths(store, id).patch, 'utf8'), how).toContain('a.txt');
    }
    expect((await world.run(['cleanup', '--all-finished', '--force'])).exit).toBe(0);
    // Not deleted: nobody knows what it was.
    for (const { how, id, snapshot } of damaged) {
      expect(readFileSync(snapshot), how).toHaveLength(lengths.get(id) ?? -1);
    }
    await finished(world);
  });

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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The answer to the question.
    return false;
  }
}
