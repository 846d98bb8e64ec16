import { describe, expect, it } from 'vitest';
import type { JobPlan } from '../../src/cli/job-plan.ts';
import { refuseThirdTry } from '../../src/cli/third-try.ts';
import { openStore } from '../../src/store/open.ts';
import { runPaths } from '../../src/store/paths.ts';
import { writeTask } from '../../src/store/task-file.ts';
import { jobOf } from '../notify/jobs.ts';
import { refusal } from '../provider/user-error-of.ts';
import { NEW, person } from './claude-person.ts';

/** A plan whose worker changed nothing, twice. */
function failedTwice(repo: string, userDir: string, plan: JobPlan): void {
  for (const _ of [1, 2]) {
    const { id } = jobOf(repo, null, userDir, {
      state: 'failed',
      reason: 'no_changes',
      runner: null,
      model: plan.model.name,
      engine: plan.model.engine,
      base: plan.place.base,
      limits: plan.limits,
      gate: { test: plan.test, setup: plan.setup, criteria: false },
    });
    writeTask(runPaths(openStore(repo, { create: false }), id).task, plan.task);
  }
}

describe('a third start of what has failed twice', () => {
  const mode = (name: string) => ['--permission-mode', name];

  it.each([
    ['another permission mode', mode('acceptEdits')],
    ['another engine', [...mode('plan'), '--engine', 'claude']],
    ['other tools', [...mode('plan'), '--allow-tool', 'Edit']],
    ['other tools denied', [...mode('plan'), '--deny-tool', 'Grep']],
    ['another word to the worker', [...mode('plan'), '--append-system-prompt', 'Edit a.txt.']],
  ])('is refused as it was, and not with %s', async (_, changed) => {
    const { repo, userDir, planned } = person(NEW);
    const plan = await planned(...mode('plan'));
    failedTwice(repo, userDir, plan);
    expect(await refusal(async () => refuseThirdTry(plan))).toMatchObject({
      exit: 5,
      code: 'unchanged_retry',
      remedy: expect.stringContaining('the engine, its tools'),
    });
    refuseThirdTry(await planned(...changed));
  });
});
