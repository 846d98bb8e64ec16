import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { NO_RESULT } from '../../src/job/record.ts';
import { makeBell } from '../../src/notify/bell.ts';
import { identify } from '../../src/store/liveness.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';
import { jobOf } from '../notify/jobs.ts';
import { fakeClient } from '../notify/scene.ts';

const SESSION = { env: { CLAUDE_CODE_SESSION_ID: 's1' } };

/** What the session of these tests has waiting: the names, without the job's id and the time. */
function waiting({ env }: World): string[] {
  const folder = join(env.CC_DELEGATE_HOME ?? '', 'deliveries', 's1');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => name.replace(/^t_\w+?_\w{6}\./, '').replace(/-\w+\./, '.'));
}

describe('a job of a session', () => {
  it('is noted while it runs, rings when it asks and when it ends, and is done with once its session has looked', async () => {
    const world = await makeWorld({
      script: [
        { calls: [{ name: 'ask_supervisor', args: { question: 'Keep the v1 API?' } }] },
        { calls: [write('a.txt', 'kept\n')] },
        { text: 'done' },
      ],
    });
    const bell = makeBell(world.env.CC_DELEGATE_HOME ?? '', 's1');
    const rings = () => readFileSync(bell).length;
    const id = await world.start([], SESSION);
    await vi.waitUntil(() => waiting(world).includes('q1.json'), 60_000);
    expect(waiting(world).sort()).toEqual(['active', 'q1.json']);
    await vi.waitUntil(() => rings() === 2, 10_000);
    // A terminal that looks does not keep the session from being told; the session's own look does.
    await world.run(['status', id]);
    expect(waiting(world)).not.toContain('q1.told');
    expect((await world.run(['answer', id, 'yes'], SESSION)).exit).toBe(0);
    await vi.waitUntil(() => waiting(world).includes('ended.json'), 60_000);
    expect(waiting(world)).toEqual(['ended.json']);
    await vi.waitUntil(() => rings() === 4, 10_000);
    await world.run(['result', id]);
    expect(waiting(world)).toEqual(['ended.json']);
    await world.run(['result', id], SESSION);
    expect(waiting(world)).toEqual([]);
  });

  it('that its session waits for is not told a second time, and is kept until it looks', async () => {
    const world = await makeWorld({
      script: [{ calls: [bash('true'), write('a.txt', 'x')] }, { text: 'done' }],
    });
    const id = await world.start(['--wait', '60'], SESSION);
    await vi.waitUntil(() => waiting(world).includes('ended.json'), 10_000);
    expect(waiting(world)).toContain('ended.told');
    expect((await world.run(['wait', id], SESSION)).exit).toBe(0);
    expect(waiting(world).sort()).toEqual(['ended.json', 'ended.told']);
    await world.run(['result', id], SESSION);
    expect(waiting(world)).toEqual([]);
  });
});

describe('wait --any', () => {
  it('ends with the first of the jobs, whatever the others do', async () => {
    const world = await makeWorld();
    const runner = identify(fakeClient().pid);
    const running = jobOf(world.repository, null, world.env.CC_DELEGATE_HOME ?? '', { runner });
    const ended = jobOf(world.repository, null, world.env.CC_DELEGATE_HOME ?? '', {
      state: 'succeeded',
      result: NO_RESULT,
      endedAt: running.createdAt,
    });
    const started = performance.now();
    const answer = await world.run(['wait', running.id, ended.id, '--any', '--timeout', '60', '--json']);
    expect(answer.json()).toMatchObject({ jobs: [{ id: ended.id }] });
    expect(answer.exit).toBe(0);
    expect(performance.now() - started).toBeLessThan(50_000);
  });
});
