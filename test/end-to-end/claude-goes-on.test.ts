import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { signalRunner } from '../../src/store/liveness.ts';
import { runPaths } from '../../src/store/paths.ts';
import { processesOf } from '../helpers/processes.ts';
import { git } from '../helpers/repository.ts';
import { CLAUDE, claudeWorld, filesWith, look, put, shell, toolResults } from './claude-world.ts';

interface Turn {
  readonly id: JobId;
  readonly turn: number;
  readonly state: string;
  readonly answer?: string;
  readonly costUsd?: number;
}

const namesOf = ({ tools }: Record<string, unknown>): string[] =>
  (tools as { name: string }[]).map(({ name }) => name).sort();

describe('a killed runner of the claude engine', () => {
  it('takes the client along, is taken in by the next look, and resume goes on with the conversation', async (test) => {
    const world = await claudeWorld(test, {
      script: [
        { calls: [put('half.txt', 'half\n')] },
        { calls: [shell("trap '' TERM; sleep 300")] },
        { calls: [look('half.txt')] },
        { calls: [put('whole.txt', 'whole\n')] },
        { text: 'all done' },
      ],
    });
    // No socket has a path as long as this: it is elsewhere then.
    world.env.CC_DELEGATE_STATE = join(world.folder, 'state', 'x'.repeat(80));
    // Who names the sub-agents' tool has it, by the client's own name.
    const rules = ['Task', 'Bash', 'Read', 'Write'].flatMap((rule) => ['--allow-tool', rule]);
    const id = await world.start(['--test', 'test -f whole.txt', ...rules, ...CLAUDE]);
    const { runner } = await world.until(id, ({ progress }) => progress.toolCalls === 2);
    const sockets = join('/tmp', `ccd-${id.replaceAll('_', '')}`);
    expect(existsSync(sockets)).toBe(true);
    expect(processesOf(id).some((text) => text.includes('stream-json'))).toBe(true);
    if (runner) signalRunner(runner, 'SIGKILL');
    const killedAt = performance.now();
    expect(await world.ended(id)).toMatchObject({ state: 'failed', reason: 'runner_lost' });
    await world.until(id, () => processesOf(id).length === 0, 2 - (performance.now() - killedAt) / 1000);
    await world.until(id, ({ result }) => result?.salvaged === true);
    expect(existsSync(sockets)).toBe(false);

    const resumed = await world.run(['resume', id, '--json']);
    expect(resumed.exit, resumed.stderr).toBe(0);
    const next = resumed.json<Turn>();
    expect(await world.ended(next.id)).toMatchObject({
      state: 'succeeded',
      engine: 'claude',
      turn: 2,
      result: { files: 2, tests: { exitCode: 0 } },
    });
    for (const { body } of world.model.requests)
      expect(namesOf(body)).toEqual(['Agent', 'Bash', 'Read', 'Write']);
    expect(world.model.requests[2]?.text).toMatch(/do the task.*half\.txt.*go on where you stopped/);
    expect(toolResults(world.model.requests[3]).join()).toContain('half');
    // It goes once the end is on record.
    await world.until(next.id, () => !existsSync(join('/tmp', `ccd-${next.id.replaceAll('_', '')}`)));
  });
});

describe('ask on the claude engine', () => {
  it('sees the checkout as it stands and changes nothing, in the followup as well', async (test) => {
    const world = await claudeWorld(test, {
      files: { 'a.txt': 'old\n', 'private.key': 'NEVER-SENT-LINE-1234\n', 'AGENTS.md': 'PROJECT-ORDERS\n' },
      config: { neverSend: ['*.key'] },
      script: ({ index }) => {
        const turns = [look('a.txt'), look('private.key'), put('pwned.txt', 'x\n'), shell('touch pwned')];
        return index % 2 === 0 ? { calls: turns } : { text: `answer ${index}` };
      },
    });
    writeFileSync(join(world.repository, 'a.txt'), 'CHANGED\n');
    const before = git(world.repository, 'status', '--porcelain');
    const asked = await world.run(['ask', 'what is new?', '--json', ...CLAUDE]);
    expect(asked.exit, asked.stderr).toBe(0);
    const first = asked.json<Turn>();
    expect(first).toMatchObject({ state: 'succeeded', answer: 'answer 1' });
    const said = await world.run(['followup', first.id, 'and now?', '--json', '--wait', '60']);
    expect(said.exit, said.stderr).toBe(0);
    const second = said.json<Turn>();
    expect(await world.ended(second.id)).toMatchObject({ state: 'succeeded', engine: 'claude', turn: 2 });
    expect(readFileSync(runPaths(world.store(), second.id).answer, 'utf8')).toContain('answer 3');

    expect(world.model.requests).toHaveLength(4);
    expect(world.model.requests[2]?.text).toMatch(/what is new\?.*answer 1.*and now\?/);
    for (const request of world.model.requests) {
      expect(namesOf(request.body)).toEqual(['Glob', 'Grep', 'Read']);
      expect(request.text).not.toContain('NEVER-SENT-LINE-1234');
    }
    for (const request of [world.model.requests[1], world.model.requests[3]]) {
      const results = toolResults(request);
      expect(results).toHaveLength(4);
      expect(results.join('\n')).toContain('CHANGED');
      expect(results.filter((text) => /denied/.test(text))).toHaveLength(1);
      expect(results.filter((text) => /No such tool available: (Write|Bash)/.test(text))).toHaveLength(2);
    }
    expect(world.model.requests[0]?.text).toContain('PROJECT-ORDERS');
    expect(git(world.repository, 'status', '--porcelain')).toBe(before);
    expect(filesWith('NEVER-SENT-LINE-1234', join(world.repository, '.cc-delegate'))).toEqual([]);
    for (const { id } of [first, second]) expect(processesOf(id)).toEqual([]);
  });

  it('has the one tool it is allowed, in the followup as well, which can only take away', async (test) => {
    const world = await claudeWorld(test, {
      files: { 'a.txt': 'SEEN\n' },
      script: ({ index }) =>
        index % 2 === 0
          ? { calls: [look('a.txt'), { name: 'Grep', args: { pattern: 'SEEN' } }] }
          : { text: `answer ${index}` },
    });
    const asked = await world.run(['ask', 'what?', '--json', '--allow-tool', 'Read', ...CLAUDE]);
    expect(asked.exit, asked.stderr).toBe(0);
    const { id } = asked.json<Turn>();
    const next = (...args: string[]) =>
      world.run(['followup', id, 'and?', '--json', '--wait', '60', ...args]);
    expect(await next('--allow-tool', 'Grep')).toMatchObject({ exit: 5 });
    const said = await next();
    expect(said.exit, said.stderr).toBe(0);
    expect(said.json<Turn>()).toMatchObject({ turn: 2, state: 'succeeded', answer: 'answer 3' });
    expect(world.model.requests.map(({ body }) => namesOf(body))).toEqual(Array(4).fill(['Read']));
    for (const request of [world.model.requests[1], world.model.requests[3]]) {
      const results = toolResults(request);
      expect(results).toHaveLength(2);
      expect(results.join('\n')).toMatch(/No such tool available: Grep/);
      expect(results.join('\n')).toContain('SEEN');
    }
    const { conversations } = (await world.run(['list', '--json'])).json<{
      conversations: { jobs: Turn[] }[];
    }>();
    expect(conversations.map(({ jobs }) => jobs.length)).toEqual([2]);
  });

  it('without tools it is one request of the other kind: no client, no workspace', async (test) => {
    const world = await claudeWorld(test, { script: [{ text: 'fourty-two' }] });
    const asked = await world.run(['ask', 'what?', '--no-tools', '--json', ...CLAUDE]);
    expect(asked.exit, asked.stderr).toBe(0);
    expect(asked.json()).toMatchObject({ state: 'succeeded', answer: 'fourty-two' });
    expect(world.model.requests).toHaveLength(1);
    expect(world.model.requests[0]?.text).not.toContain('Claude Agent SDK');
  });
});
