import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ScriptedRequest } from '../../src/engine/scripted/server.ts';
import type { JobId } from '../../src/job/ids.ts';
import { runPaths } from '../../src/store/paths.ts';
import { readTask } from '../../src/store/task-file.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';

const offered = (request: ScriptedRequest | undefined): string[] =>
  ((request?.body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name).sort();

const SUPERVISOR = ['ask_supervisor', 'report_blocker', 'report_progress'];

it('a worker of our own loop has what the rules leave it, in the later turns as well, and never more', async () => {
  const world = await makeWorld({
    files: { 'a.txt': 'SEEN\n' },
    script: [
      { calls: [bash('cat a.txt'), bash('cat a.txt; touch ran'), write('b.txt', 'b\n')] },
      { text: 'wrote b' },
      { calls: [bash('cat a.txt'), write('b.txt', 'c\n')] },
      { text: 'looked' },
    ],
  });
  const rules = ['Read', 'Write', 'Bash(cat *)'].flatMap((rule) => ['--allow-tool', rule]);
  const id = await world.start([...rules, '--deny-tool', 'Glob']);
  const ended = await world.ended(id);
  expect(ended).toMatchObject({ state: 'succeeded', engine: 'native', result: { files: 1 } });
  expect(offered(world.model.requests[0])).toEqual([...SUPERVISOR, 'bash', 'read', 'write'].sort());
  const told = world.model.requests[1]?.text ?? '';
  for (const words of ['SEEN', 'not among the commands that may be run (cat *): touch ran'])
    expect(told).toContain(words);
  expect(existsSync(join(ended.workspace, 'ran'))).toBe(false);

  const wider = await world.run(['followup', id, 'more', '--allow-tool', 'Bash']);
  expect(wider).toMatchObject({
    exit: 5,
    stderr: expect.stringMatching(/--allow-tool Bash \(before: Read Write /),
  });
  expect(world.model.requests).toHaveLength(2);
  const said = await world.run([
    'followup',
    id,
    'look',
    '--json',
    '--allow-tool',
    'read',
    '--allow-tool',
    'write',
  ]);
  expect(said.exit, said.stderr).toBe(0);
  const next = said.json<{ id: JobId }>().id;
  await world.ended(next);
  expect(offered(world.model.requests[2])).toEqual([...SUPERVISOR, 'read', 'write'].sort());
  expect(world.model.requests[3]?.text).toContain('There is no tool named');
  expect(readTask(runPaths(world.store(), next).task)).toMatchObject({
    value: { allowTools: ['Read', 'Write'], denyTools: ['Glob'] },
  });
});
