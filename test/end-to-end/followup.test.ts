import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { mint } from '../../src/notify/consent/grants.ts';
import { runPaths } from '../../src/store/paths.ts';
import { readTask } from '../../src/store/task-file.ts';
import { git } from '../helpers/repository.ts';
import { bash, makeWorld, satisfied, type World, write } from '../helpers/world.ts';

interface Turn {
  readonly id: JobId;
  readonly conversationId: string;
  readonly turn: number;
  readonly base: string;
  readonly branch: string;
  readonly budgetUsd: number;
  readonly notices: readonly string[];
  readonly answer?: string;
}

const AS_MODEL = (session: string) => ({ env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session } });

/** Changes the user's settings, as they would in their editor. */
function configure(world: World, change: (config: Record<string, unknown>) => void): void {
  const path = join(world.home, '.cc-delegate/config.yaml');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  change(config);
  writeFileSync(path, JSON.stringify(config));
}

describe('followup', () => {
  it('goes on from the files of the turn before, on the first base, with one patch for all turns', async () => {
    const world = await makeWorld({
      script: {
        turns: {
          worker: [
            { calls: [write('a.txt', 'one\n')] },
            { text: 'wrote a' },
            { calls: [bash('cat a.txt; git diff --cached --stat; echo two > b.txt')] },
            { text: 'wrote b' },
          ],
          grader: [satisfied(['a file'], 'a.txt:1')],
        },
      },
    });
    const options = [
      '--test',
      'test -f a.txt',
      '--done',
      'a file',
      '--max-steps',
      '50',
      '--deny-tool',
      'Grep',
    ];
    const first = await world.start(options, AS_MODEL('s1'));
    await world.ended(first);
    // What the user does meanwhile is not the base of the next turn.
    writeFileSync(join(world.repository, 'README.md'), 'moved on\n');
    git(world.repository, 'commit', '-qam', 'later');

    const said = await world.run(
      [
        'followup',
        first.slice(-6),
        'now b, $(touch pwned)',
        '--max-steps',
        '20',
        '--deny-tool',
        'Glob',
        '--json',
      ],
      AS_MODEL('s1'),
    );
    expect(said.exit, said.stderr).toBe(0);
    const second = said.json<Turn>();
    const before = world.record(first);
    expect(second).toMatchObject({ conversationId: before.conversationId, turn: 2, base: before.base });
    expect(second.notices.join('\n')).toMatch(/conversation so far is sent again: about .*k input tokens/);
    const record = await world.ended(second.id);
    expect(record).toMatchObject({
      state: 'succeeded',
      kind: 'task',
      parent: first,
      branch: `delegate/${second.id}`,
      gate: before.gate,
      limits: { ...before.limits, maxSteps: 20 },
      result: { files: 2 },
    });
    // The new turn's own request ends a history that has the first one whole.
    const requests = world.model.requests.filter(({ role }) => role === 'worker');
    const request = requests[2];
    const roles = request?.body.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(JSON.stringify(request?.body.messages.at(-1))).toContain('now b, $(touch pwned)');
    const tools = request?.body.tools as { function: { name: string } }[];
    for (const denied of ['grep', 'glob'])
      expect(tools.map((tool) => tool.function.name)).not.toContain(denied);
    expect(requests[3]?.text).toMatch(/one\\n a\.txt/);
    const names = (await world.run(['diff', second.id, '--name-only'])).stdout.trim().split('\n');
    expect(names).toEqual(['a.txt', 'b.txt']);
    const task = readTask(runPaths(world.store(), second.id).task);
    expect(task).toMatchObject({
      value: {
        goesOn: { job: first, how: 'followup', start: before.result?.commit },
        denyTools: ['Grep', 'Glob'],
      },
    });
    const list = (await world.run(['list', '--json'])).json<{ conversations: { jobs: unknown[] }[] }>();
    expect(list.conversations.map(({ jobs }) => jobs.length)).toEqual([2]);
  });

  it('continues an ask by its conversation id, and lets a model neither into others’ nor beyond the turn before', async () => {
    const world = await makeWorld({
      script: ['blue', 'because', 'indeed', 'so', 'yes'].map((text) => ({ text })),
    });
    const asked = await world.run(
      ['ask', 'which colour?', '--no-tools', '--budget', '2', '--json'],
      AS_MODEL('s1'),
    );
    const { id, conversationId } = asked.json<Turn>();
    const next = (args: string[], options = {}) =>
      world.run(['followup', conversationId, 'why?', '--json', ...args], options);
    const foreign = await next([], AS_MODEL('s2'));
    expect(foreign).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('a session may go on only with'),
    });
    expect(foreign.stderr).toContain(`cc-delegate followup ${id.slice(-6)}`);
    expect((await next(['--budget', '3'], AS_MODEL('s1'))).exit).toBe(5);
    expect((await next([], { env: { CLAUDECODE: '1' } })).exit).toBe(5);
    expect(world.model.requests).toHaveLength(1);

    const second = (await next(['--budget', '1'], AS_MODEL('s1'))).json<Turn>();
    expect(second).toMatchObject({ turn: 2, answer: 'because', budgetUsd: 1 });
    const messages = JSON.stringify(world.model.requests[1]?.body.messages);
    expect(messages).toMatch(/which colour\?.*blue.*why\?/);
    // A person in a terminal may have more; a name of an earlier turn means the conversation.
    const third = await world.run(['followup', id, 'sure?', '--budget', '3', '--json']);
    expect(third.json<Turn>()).toMatchObject({ turn: 3, answer: 'indeed', budgetUsd: 3 });
    expect(third.json<Turn>().notices.join()).toContain('goes on from turn 2');
    // With the person's yes in the client's dialog a model may, in this call and no other.
    const argv = ['followup', conversationId, 'why?', '--json', '--budget', '9'];
    const expiresAt = Date.now() + 60_000;
    mint(world.env.CC_DELEGATE_HOME ?? '', 's1', { kind: 'dialog', argv, expiresAt });
    const fourth = await next(['--budget', '9'], AS_MODEL('s1'));
    expect(fourth.json<Turn>()).toMatchObject({ turn: 4, budgetUsd: 9 });
    const fifth = (await next([], AS_MODEL('s1'))).json<Turn>();
    expect(fifth).toMatchObject({ turn: 5, budgetUsd: 5 });
    expect(fifth.notices.join()).toContain('the budget is $5.00, as the user has set it');

    configure(world, (config) => {
      config.allowedModels = ['openrouter:other'];
    });
    expect(await next([])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('not among the allowed'),
    });
    configure(world, (config) => {
      config.mode = 'off';
    });
    expect(await next([])).toMatchObject({ exit: 5, stderr: expect.stringContaining('switched off') });
    expect((await world.run(['ask', 'q', '--no-tools'])).exit).toBe(5);
  });

  it('is refused while a turn runs, and of two at once one goes on', async () => {
    const world = await makeWorld({ script: [{ text: 'first', firstByteMs: 3000 }, { text: 'next' }] });
    const { id } = (await world.run(['ask', 'q', '--no-tools', '--wait', '0', '--json'])).json<Turn>();
    const busy = await world.run(['followup', id, 'more']);
    expect(busy).toMatchObject({ exit: 4, stderr: expect.stringContaining('cc-delegate steer') });
    await world.ended(id);
    const both = await Promise.all(['a', 'b'].map((text) => world.run(['followup', id, text, '--json'])));
    expect(both.map(({ exit }) => exit).sort()).toEqual([0, 4]);
    expect(world.model.requests).toHaveLength(2);
  });
});
