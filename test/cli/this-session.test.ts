import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findOnlyJob } from '../../src/cli/find-job.ts';
import { verb as status } from '../../src/cli/status.ts';
import { verb as steer } from '../../src/cli/steer.ts';
import { verb as wait } from '../../src/cli/wait.ts';
import { NO_RESULT } from '../../src/job/record.ts';
import { adopt, heirsFrom } from '../../src/notify/heirs.ts';
import { Scene } from '../notify/scene.ts';
import { refusal } from '../provider/user-error-of.ts';
import { contextOf } from './context.ts';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

const called = (session: string, args: readonly string[] = []) =>
  contextOf({
    cwd: scene.repo,
    userDir: scene.userDir,
    args,
    env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session },
  });

async function waitedFor(session: string): Promise<unknown> {
  const { json } = await wait.run(called(session, ['--timeout', '0']));
  return (json as { jobs: { id: string }[] }).jobs.map(({ id }) => id);
}

describe('without an id', () => {
  it('a session means the jobs of the sessions it took over too, and no others', async () => {
    const job = scene.job('s1');
    const other = scene.job('s9');
    adopt(scene.userDir, 's1', 's2');
    adopt(scene.userDir, 's2', 's3');
    expect(heirsFrom(scene.userDir, 's1')).toContain('s3');
    for (const session of ['s1', 's2', 's3']) {
      expect((await findOnlyJob(called(session), 'active')).record.id).toBe(job.id);
      expect(await waitedFor(session)).toEqual([job.id]);
    }
    expect((await findOnlyJob(called('s9'), 'active')).record.id).toBe(other.id);
    expect(await refusal(() => findOnlyJob(called('s4'), 'active'))).toMatchObject({ exit: 3 });
  });
});

describe('an end', () => {
  /** What is there for the session: `json` a notice, `told` its mark. */
  const kept = (owner: string) => {
    const folder = join(scene.userDir, 'deliveries', owner);
    return existsSync(folder) ? readdirSync(folder).map((name) => name.split('.').at(-1)) : [];
  };
  const ended = () => scene.save(scene.job('s1'), { state: 'succeeded', result: NO_RESULT });

  it('that the session has waited for is told to it no more, and stays until it looks', async () => {
    const { id } = ended();
    await wait.run(called('s1', [id]));
    expect(kept('s1').sort()).toEqual(['json', 'told']);
    await status.run(called('s1', [id]));
    expect(kept('s1')).toEqual([]);
    await wait.run(called('s1', [id]));
    expect(kept('s1')).toEqual([]);
  });

  it('is still to be told when another session has waited, or a message came too late', async () => {
    const { id } = ended();
    await wait.run(called('s2', [id]));
    expect(await refusal(() => steer.run(called('s1', [id, 'more']))).then(({ exit }) => exit)).toBe(4);
    expect(kept('s1')).toEqual(['json']);
  });
});
