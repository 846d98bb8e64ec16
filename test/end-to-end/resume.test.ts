import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { mint } from '../../src/notify/consent/grants.ts';
import { signalRunner } from '../../src/store/liveness.ts';
import { makeWorld, satisfied, write } from '../helpers/world.ts';

interface Turn {
  readonly id: JobId;
  readonly turn: number;
  readonly budgetUsd: number;
}

describe('resume', () => {
  it('goes on with a job whose runner was killed: same conversation, same files, the same brief', async () => {
    const world = await makeWorld({
      script: {
        turns: {
          worker: [
            { calls: [write('half.txt', 'half\n')] },
            { text: 'never heard', ending: 'hang' },
            { calls: [{ name: 'read', args: { path: 'half.txt' } }] },
            { calls: [write('whole.txt', 'whole\n')] },
            { text: 'all done' },
          ],
          grader: [satisfied(['both files'], 'half.txt:1')],
        },
      },
    });
    const id = await world.start(['--test', 'test -f half.txt && test -f whole.txt', '--done', 'both files']);
    const { runner } = await world.until(id, ({ progress }) => progress.step === 2);
    expect((await world.run(['steer', id, 'mind the spelling'])).exit).toBe(0);
    await world.until(id, () => world.events(id, 'steer').length === 1);
    if (runner) signalRunner(runner, 'SIGKILL');
    expect(await world.ended(id)).toMatchObject({ state: 'failed', reason: 'runner_lost' });
    await world.until(id, ({ result }) => result?.salvaged === true);

    expect((await world.run(['result', id])).stdout).toContain('the worker never read: mind the spelling');
    const resumed = await world.run(['resume', id, '--json']);
    expect(resumed.exit, resumed.stderr).toBe(0);
    const next = resumed.json<Turn & { notices: readonly string[] }>();
    expect(next.notices.join()).toContain('1 message that the worker had not read yet');
    expect(next.turn).toBe(2);
    expect(await world.ended(next.id)).toMatchObject({
      state: 'succeeded',
      parent: id,
      title: world.record(id).title,
      result: { files: 2, tests: { exitCode: 0 } },
    });
    const request = world.model.requests[2];
    expect(JSON.stringify(request?.body.messages)).toMatch(
      /do the task.*both files.*half\.txt.*go on where you stopped.*not read it yet:\\n- mind the spelling/,
    );
    expect(world.model.requests[3]?.text).toContain('half');
    // It has ended well, and what came before has gone on already.
    expect(await world.run(['resume', next.id])).toMatchObject({ exit: 4 });
    expect(await world.run(['resume', id])).toMatchObject({ exit: 4 });
  });

  it('counts what was spent: a used-up budget needs more, and more than the settings needs the person', async () => {
    const world = await makeWorld({
      script: ({ index }) =>
        index < 2
          ? { calls: [write(`f${index}`, 'x\n')], usage: { prompt: 1_000_000, output: 0 } }
          : { text: 'done' },
    });
    const asModel = { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' } };
    const id = await world.start(['--budget', '2', '--ask-timeout', '0'], asModel);
    expect(await world.ended(id)).toMatchObject({ state: 'failed', reason: 'over_budget', costUsd: 2 });
    expect(await world.run(['resume', id], asModel)).toMatchObject({
      exit: 4,
      stderr: expect.stringMatching(/budget is used up.*--raise-budget USD .*\$2\.00/),
    });
    expect((await world.run(['resume', id, '--raise-budget', '6'], asModel)).exit).toBe(5);
    expect(
      (await world.run(['resume', id, '--raise-budget', '5', '--raise-timeout', '2h'], asModel)).exit,
    ).toBe(5);
    // The person says yes to both in the client's dialog.
    const argv = ['resume', id, '--raise-budget', '12', '--raise-timeout', '2h', '--json'];
    const expiresAt = Date.now() + 60_000;
    mint(world.env.CC_DELEGATE_HOME ?? '', 's1', { kind: 'dialog', argv, expiresAt });
    const resumed = await world.run(argv, asModel);
    const next = resumed.json<Turn>();
    expect(next).toMatchObject({ turn: 2, budgetUsd: 10 });
    expect(await world.ended(next.id)).toMatchObject({
      state: 'succeeded',
      limits: { timeout: 7200 },
      result: { files: 2 },
    });
  });
});
