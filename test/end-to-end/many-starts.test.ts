import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { git } from '../helpers/repository.ts';
import { makeWorld, type World, write } from '../helpers/world.ts';

const MANY = 32;

/** Lists again and again until it is over; how many jobs each list had. */
async function countJobs(world: World, over: { now: boolean }): Promise<number[]> {
  const counts: number[] = [];
  while (!over.now) {
    const list = await world.run(['list', '--limit', '100', '--json']);
    const { conversations } = list.json<{ conversations?: unknown[] }>();
    counts.push(conversations?.length ?? 0);
    // Without a pause the reader would take a core from the jobs.
    await sleep(250);
  }
  return counts;
}

it('GIT-51, STATE-04 32 starts at once are 32 jobs that all end, each with its own work, though config is locked; no read meanwhile sees a torn or a smaller list', {
  timeout: 400_000,
}, async () => {
  const world = await makeWorld({
    // Each job asks with its own prompt; what comes back is told by the request alone.
    script: ({ body, text }) => {
      const [, number = '?'] = /task number (\d+)/.exec(text) ?? [];
      const first = !body.messages.some(({ role }) => role === 'tool');
      return first ? { calls: [write(`w${number}.txt`, `${number}\n`)] } : { text: 'done' };
    },
  });
  const { repository } = world;
  git(repository, 'config', 'branch.autoSetupMerge', 'always');
  const config = join(repository, '.git/config.lock');
  writeFileSync(config, '');
  const over = { now: false };
  const counting = countJobs(world, over);
  const started = await Promise.all(
    Array.from({ length: MANY }, (_, number) =>
      world.run(['start', `task number ${number}.`, '--json', '--no-preflight-wait', '--max-steps', '5']),
    ),
  );
  expect(started.map(({ exit, stderr }) => `${exit} ${stderr}`)).toEqual(Array(MANY).fill('0 '));
  const ids = started.map((answer) => answer.json<{ id: JobId }>().id);
  expect(new Set(ids).size).toBe(MANY);
  const waited = await world.run(['wait', ...ids, '--timeout', '300', '--json']);
  expect(waited.exit).toBe(0);
  over.now = true;
  const counts = await counting;
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(counts.at(-1)).toBe(MANY);

  for (const [number, id] of ids.entries()) {
    const record = world.record(id);
    expect(record).toMatchObject({
      state: 'succeeded',
      title: `task number ${number}.`,
      result: { files: 1 },
    });
    expect(git(repository, 'show', `delegate/${id}:w${number}.txt`)).toBe(`${number}`);
  }
  expect(readdirSync(join(repository, '.cc-delegate/jobs'))).toHaveLength(MANY);
  expect(readdirSync(join(repository, '.cc-delegate/active'))).toEqual([]);
  const files = readdirSync(join(repository, '.cc-delegate'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  expect(
    git(repository, 'for-each-ref', '--format=%(refname)', 'refs/heads/delegate').split('\n'),
  ).toHaveLength(MANY);
  expect(git(repository, 'fsck', '--full', '--strict')).toBe('');
  expect(git(repository, 'status', '--porcelain')).toBe('');
});
