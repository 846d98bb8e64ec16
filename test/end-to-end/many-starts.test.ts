import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { git } from '../helpers/repository.ts';
import { makeWorld, write } from '../helpers/world.ts';

const MANY = 32;

it('GIT-51 32 starts at once are 32 jobs that all end, each with its own work, though config is locked', {
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
  expect(
    git(repository, 'for-each-ref', '--format=%(refname)', 'refs/heads/delegate').split('\n'),
  ).toHaveLength(MANY);
  expect(git(repository, 'fsck', '--full', '--strict')).toBe('');
  expect(git(repository, 'status', '--porcelain')).toBe('');
});
