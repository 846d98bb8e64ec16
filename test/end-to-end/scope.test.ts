import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { signalRunner } from '../../src/store/liveness.ts';
import { runPaths } from '../../src/store/paths.ts';
import { makeWorld } from '../helpers/world.ts';
import { byTask } from './by-task.ts';

const write = (path: string) => ({ calls: [{ name: 'write', args: { path, content: 'x\n' } }] });

it('a change outside of the scope is flagged, in a later turn and by the salvager too', async () => {
  const world = await makeWorld({
    files: { 'README.md': 'hello\n', 'packages/a/src/a.ts': 'a\n', 'cc-delegate.yaml': 'scope: docs\n' },
    script: byTask({
      keeps: (turn) =>
        [write('packages/a/src/new.ts'), { text: 'done' }, write('other.txt')][turn] ?? { text: 'done' },
      dies: (turn) => (turn === 0 ? write('src/new.ts') : { ending: 'hang' }),
    }),
  });
  const inside = { cwd: join(world.repository, 'packages', 'a') };
  const first = await world.start(['keeps to it', '--scope', 'src'], inside);
  expect((await world.ended(first)).result?.flags).not.toContain('out_of_scope');
  expect(world.model.requests[0]?.text).toContain('Your changes belong in packages/a/src;');
  const next = await world.run(['followup', first, 'and more', '--json']);
  const { id } = next.json<{ id: JobId }>();
  expect((await world.ended(id)).result?.flags).toContain('out_of_scope');
  const { stdout } = await world.run(['result', id]);
  expect(stdout).toContain('out_of_scope');
  const receipt = JSON.parse(readFileSync(runPaths(world.store(), id).receipt, 'utf8'));
  expect(receipt.files.map((file: { path: string; flags: string[] }) => [file.path, file.flags])).toEqual([
    ['other.txt', ['out_of_scope']],
    ['packages/a/src/new.ts', []],
  ]);

  const dying = await world.start(['dies']);
  const { runner } = await world.until(dying, ({ progress }) => progress.toolCalls === 1);
  if (runner) signalRunner(runner, 'SIGKILL');
  expect(await world.ended(dying)).toMatchObject({ reason: 'runner_lost' });
  const taken = await world.until(dying, ({ result }) => result !== null && result.salvaged !== 'pending');
  expect(taken.result?.flags).toContain('out_of_scope');

  const bad = await world.run(['start', 'x', '--scope', '../..']);
  expect(bad).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--scope takes a folder of this repository; ../..;'),
  });
});
