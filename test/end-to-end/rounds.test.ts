import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ScriptedRequest } from '../../src/engine/scripted/server.ts';
import type { Turn } from '../../src/engine/scripted/turn.ts';
import { git } from '../helpers/repository.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';

const TEST = 'grep -q right out.txt';
const WRONG: Turn = { calls: [write('out.txt', 'wrong\n')] };
const RIGHT: Turn = { calls: [write('out.txt', 'right\n')] };
const DONE: Turn = { text: 'all done' };

const CRITERIA = ['out.txt says right', 'notes.md says why'];
const DONE_MEANS = CRITERIA.map((text) => `- ${text}`).join('\n');

function verdict(given: string, second: { pass: boolean; evidence: string }): Turn {
  const criteria = [
    { text: CRITERIA[0], pass: true, evidence: 'out.txt:1' },
    { text: CRITERIA[1], ...second },
  ];
  return { calls: [{ name: 'verdict', args: { verdict: given, explanation: 'as far as I see', criteria } }] };
}
const REVISE = verdict('needs_revision', { pass: false, evidence: 'there is no notes.md' });
const SATISFIED = verdict('satisfied', { pass: true, evidence: 'notes.md:1' });

const of = (world: World, role: string): readonly ScriptedRequest[] =>
  world.model.requests.filter((request) => request.role === role);

describe('a definition of done', () => {
  it('goes back to the worker with what is missing, and is graded again', async () => {
    const world = await makeWorld({
      script: {
        turns: {
          worker: [RIGHT, DONE, { calls: [write('notes.md', 'because\n')] }, { text: 'now it is' }],
          grader: [{ calls: [{ name: 'read', args: { path: 'out.txt' } }] }, REVISE, SATISFIED],
        },
        end: 'error',
      },
    });
    const id = await world.start(['--test', TEST, '--done', DONE_MEANS]);
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'succeeded', progress: { step: 4, toolCalls: 2 } });
    expect(record.result?.summaryLine).toContain('2 of 2 criteria met');
    expect(git(world.repository, 'rev-parse', record.branch)).toBe(record.result?.commit);
    const result = (await world.run(['result', id, '--json'])).json<Record<string, unknown>>();
    expect(result.rubric).toMatchObject({
      verdict: 'satisfied',
      iterations: 2,
      criteria: [
        { text: CRITERIA[0], pass: true, evidence: 'out.txt:1' },
        { text: CRITERIA[1], pass: true },
      ],
    });
    const told = of(world, 'worker')[2]?.text ?? '';
    expect(told).toContain('grading 1 of at most 6');
    expect(told).toContain('there is no notes.md');
    // The grader hears nothing of what the worker says about its work.
    expect(
      of(world, 'grader')
        .map(({ text }) => text)
        .join(),
    ).not.toContain('all done');
    expect((await world.run(['result', id])).stdout).toContain('2 of 2 criteria met · 2 gradings');
    // Its calls cost money, as everything does.
    expect(record.usage.input).toBe(7 * 100);
  });

  it('that is never met fails after the last grading, with the work kept', async () => {
    const world = await makeWorld({
      script: { turns: { worker: [RIGHT, DONE], grader: [REVISE] } },
    });
    const id = await world.start(['--test', TEST, '--done', DONE_MEANS, '--max-grades', '3']);
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'failed', reason: 'rubric_unsatisfied', result: { files: 1 } });
    expect(of(world, 'grader')).toHaveLength(3);
    const { stdout } = await world.run(['result', id]);
    expect(stdout).toContain('1 of 2 criteria met · needs revision · 3 gradings');
    expect(stdout).toContain('not met: notes.md says why');
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
  });

  it('that nobody can judge is the grader’s failure, not the worker’s; its own model is asked', async () => {
    const world = await makeWorld({
      script: { turns: { worker: [RIGHT, DONE], grader: [{ text: 'Satisfied, I am sure.' }] } },
    });
    const config = join(world.home, '.cc-delegate/config.yaml');
    const text = readFileSync(config, 'utf8').replace(
      '"model":"scripted"',
      '"model":"scripted","graderModel":"judge"',
    );
    writeFileSync(config, text);
    const id = await world.start(['--test', TEST, '--done', DONE_MEANS]);
    expect(await world.ended(id)).toMatchObject({
      state: 'failed',
      reason: 'grader_error',
      result: { files: 1 },
    });
    expect(of(world, 'grader').map(({ body }) => body.model)).toEqual(['judge', 'judge', 'judge']);
  });
});

describe('a gate that fails', () => {
  it('hands the end of the output to the worker, in the same conversation', async () => {
    const world = await makeWorld({
      script: { turns: { worker: [WRONG, DONE, RIGHT, DONE] }, end: 'error' },
    });
    const id = await world.start(['--test', `${TEST} || { echo out.txt is not right; exit 3; }`]);
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'succeeded', progress: { step: 4 } });
    const third = of(world, 'worker')[2];
    expect(third?.text).toContain('ended with exit code 3');
    expect(third?.text).toContain('out.txt is not right');
    expect(third?.body.messages.filter(({ role }) => role === 'assistant')).toHaveLength(2);
    expect(world.patch(id).toString()).toContain('+right');
    expect(git(world.repository, 'rev-parse', record.branch)).toBe(record.result?.commit);
  });

  it('three times in the same way is a question, and its answer goes to the worker', async () => {
    const world = await makeWorld({
      script: { turns: { worker: [WRONG, DONE, DONE, DONE, RIGHT, DONE] }, end: 'error' },
    });
    const id = await world.start(['--test', TEST]);
    const asks = await world.until(id, ({ state }) => state === 'needs_input');
    expect(asks.question).toMatchObject({ kind: 'blocker', message: expect.stringContaining('3 times') });
    expect(of(world, 'worker')).toHaveLength(4);
    expect((await world.run(['answer', id, 'write the word right'])).exit).toBe(0);
    expect(await world.ended(id)).toMatchObject({ state: 'succeeded' });
    expect(of(world, 'worker')[4]?.text).toContain('write the word right');
  });

  it('costs the steps of the job, and ends with them', async () => {
    const world = await makeWorld({ script: { turns: { worker: [WRONG, DONE] } } });
    const id = await world.start(['--test', TEST, '--max-steps', '3']);
    expect(await world.ended(id)).toMatchObject({
      state: 'failed',
      reason: 'max_steps',
      progress: { step: 3 },
      result: { files: 1 },
    });
  });
});

describe('sub-agents of a job', () => {
  it('work in its workspace, each within its bounds, on one account', async () => {
    const task = (role: string) => ({ name: 'task', args: { role, prompt: `do what a ${role} does` } });
    // The tester's shell tries the source by its name, and by where the workspace really is.
    const attack =
      'echo hacked > out.txt; echo hacked > "$(dirname "$(dirname "$(dirname "$PWD")")")/work/out.txt"; cat test/new.test.sh out.txt; git status --short';
    const world = await makeWorld({
      files: { 'README.md': 'hello\n', 'out.txt': 'right\n' },
      script: {
        turns: {
          worker: [{ calls: [task('tester'), task('reviewer')] }, DONE],
          tester: [
            { calls: [write('test/new.test.sh', 'exit 0\n'), write('out.txt', 'hacked\n')] },
            { calls: [bash('pwd'), bash(attack)] },
            { text: 'one test' },
          ],
          reviewer: [{ calls: [bash('echo hacked > out.txt')] }, { text: 'looks good' }],
        },
        end: 'error',
      },
    });
    const id = await world.start(['--test', TEST]);
    const record = await world.ended(id);
    expect(record).toMatchObject({
      state: 'succeeded',
      result: { files: 1 },
      progress: { step: 7, toolCalls: 7 },
    });
    expect(record.usage.input).toBe(7 * 100);
    expect(world.patch(id).toString()).not.toContain('hacked');
    const [, , shell] = of(world, 'tester');
    if (record.sandbox === 'full') {
      expect(shell?.text).toContain('exit 0');
      expect(shell?.text).toContain('/copies/tester-1/work');
    } else {
      expect(shell?.text).toContain('There is no tool named');
    }
    expect(of(world, 'worker')[1]?.text).toContain('looks good');
    const progress = (await world.run(['progress', id, '--json'])).json<{ subagents: unknown[] }>();
    expect(progress.subagents).toMatchObject([
      { name: 'tester#1', role: 'tester', steps: 3, toolCalls: 4 },
      { name: 'reviewer#2', role: 'reviewer', steps: 2 },
    ]);
    expect(existsSync(join(record.workspace, '../copies/tester-1'))).toBe(false);
  });
});
