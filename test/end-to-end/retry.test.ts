import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { runPaths } from '../../src/store/paths.ts';
import { git } from '../helpers/repository.ts';
import { makeWorld } from '../helpers/world.ts';

it('retry makes a new job from the same brief; the third equal failure is refused until something changes', async () => {
  const world = await makeWorld({ script: [{ text: 'done without doing' }] });
  const rules = ['--allow-tool', 'Read', '--deny-tool', 'Grep', '--permission-mode', 'acceptEdits'];
  const own = ['--append-system-prompt', 'Be brief.', '--client-prompt', 'full', '--small-model', 'tiny'];
  const brief = ['--test', 'true', '--done', 'it works', '--max-steps', '9', '--title', 'A title'];
  const options = [...brief, ...rules, ...own];
  const first = await world.start(options);
  expect(await world.ended(first)).toMatchObject({ state: 'failed', reason: 'no_changes' });

  const retried = await world.run(['retry', first, '--json', '--wait', '60']);
  expect(retried.exit, retried.stderr).toBe(1);
  const second = world.record(retried.json<{ id: JobId }>().id);
  const before = world.record(first);
  expect(second).toMatchObject({
    turn: 1,
    parent: null,
    title: 'A title',
    limits: before.limits,
    gate: before.gate,
    model: before.model,
    modelSource: before.modelSource,
    reason: 'no_changes',
  });
  expect(second.conversationId).not.toBe(before.conversationId);
  const taskFile = (id: JobId) => JSON.parse(readFileSync(runPaths(world.store(), id).task, 'utf8'));
  expect(taskFile(second.id)).toEqual(taskFile(first));
  expect(taskFile(second.id)).toMatchObject({
    allowTools: ['Read'],
    denyTools: ['Grep'],
    permissionMode: 'acceptEdits',
    appendSystemPrompt: 'Be brief.',
    clientPrompt: 'full',
    smallModel: 'tiny',
  });

  const refused = await world.run(['retry', first]);
  expect(refused).toMatchObject({ exit: 5, stderr: expect.stringContaining('the worker changed nothing') });
  expect(await world.run(['start', 'do the task', ...options])).toMatchObject({ exit: 5 });
  // Another model is a change, and one of the person's own choosing.
  const asModel = { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' } };
  expect((await world.run(['retry', first, '--anyway'], asModel)).exit).toBe(5);
  const other = await world.run([
    'retry',
    first,
    '--model',
    'openai-compatible:other',
    '--json',
    '--wait',
    '60',
  ]);
  expect(other.exit, other.stderr).toBe(1);
  expect(world.record(other.json<{ id: JobId }>().id)).toMatchObject({
    model: 'openai-compatible:other',
    state: 'failed',
    reason: 'no_changes',
  });
  // So is another base.
  writeFileSync(join(world.repository, 'README.md'), 'moved on\n');
  git(world.repository, 'commit', '-qam', 'later');
  const later = await world.run(['retry', first, '--json', '--wait', '60']);
  expect(later.exit, later.stderr).toBe(1);
  expect(world.record(later.json<{ id: JobId }>().id)).toMatchObject({
    base: git(world.repository, 'rev-parse', 'HEAD'),
    state: 'failed',
    reason: 'no_changes',
  });
});
