import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { liveness, signalRunner } from '../../src/store/liveness.ts';
import { git } from '../helpers/repository.ts';
import { makeWorld, type World, write } from '../helpers/world.ts';

function setConcurrency(world: World, concurrency: object): void {
  const path = join(world.home, '.cc-delegate/config.yaml');
  const config = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...config, concurrency }));
}

/** Hands a task over; a job that has to wait answers at once. */
async function hand(world: World, prompt: string, ...args: string[]) {
  const answer = await world.run(['start', prompt, '--json', ...args]);
  expect(`${answer.exit} ${answer.stderr}`).toBe('0 ');
  return answer.json<{ id: JobId; state: string; note?: string }>();
}

function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it('with limit 1 jobs wait for each other, are cancelled and die in the line, and nobody starts too early', {
  timeout: 240_000,
}, async () => {
  const release = gate();
  const world = await makeWorld({
    script: async ({ text }) => {
      if (text.includes('first job')) await release.opened;
      return { text: 'done' };
    },
  });
  setConcurrency(world, { total: 1 });
  const first = await hand(world, 'first job');
  expect(first.note).toBeUndefined();
  const cancelled = await hand(world, 'second job', '--timeout', '1');
  expect(cancelled).toMatchObject({ state: 'queued', note: 'waiting for a slot: 1 of 1 jobs run' });
  const killed = await hand(world, 'third job');
  const orphan = await hand(world, 'next job', '--after', killed.id);
  const last = await hand(world, 'fourth job');

  const status = await world.run(['status']);
  expect(status.stdout).toMatch(/queued .*waiting for a slot: 1 of 1 jobs/);
  const { runner } = world.record(killed.id);
  if (runner === null) throw new Error('a queued job has its runner');
  signalRunner(runner, 'SIGKILL');
  await expect.poll(() => liveness(runner)).toBe('dead');
  // Nobody reads: who waits for it notices its death.
  expect(await world.ended(orphan.id)).toMatchObject({ state: 'failed', reason: 'dependency_failed' });
  expect(world.record(killed.id)).toMatchObject({ state: 'failed', reason: 'runner_lost' });
  // Its time limit, of a second, has passed: what counts is the time at work.
  expect(world.record(cancelled.id).state).toBe('queued');
  expect((await world.run(['cancel', cancelled.id])).exit).toBe(0);
  expect(await world.ended(cancelled.id)).toMatchObject({ state: 'cancelled', startedAt: null });
  expect(await world.ended(killed.id)).toMatchObject({ state: 'failed', reason: 'runner_lost' });
  expect(world.record(last.id)).toMatchObject({ state: 'queued', startedAt: null });

  release.open();
  const [before, after] = [await world.ended(first.id), await world.ended(last.id)];
  expect([before.reason, after.reason]).toEqual(['no_changes', 'no_changes']);
  expect(Date.parse(after.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(before.endedAt ?? 'x'));
  expect(after.progress.note).not.toContain('slot');
});

it('a queue that does not move in time ends the job with timeout/queue', { timeout: 120_000 }, async () => {
  const release = gate();
  const world = await makeWorld({ script: async () => release.opened.then(() => ({ text: 'done' })) });
  setConcurrency(world, { total: 1, queueTimeout: 1 });
  await hand(world, 'first job');
  const late = await hand(world, 'second job');
  expect(await world.ended(late.id)).toMatchObject({ state: 'timeout', reason: 'queue', startedAt: null });
  release.open();
});

it('a chain goes on from the result before it, and stops at a middle that fails; --after names one job of this repository, and no base beside it', {
  timeout: 240_000,
}, async () => {
  const release = gate();
  const world = await makeWorld({
    script: async ({ text, body }) => {
      if (text.includes('job two')) return { status: 401, body: { error: { message: 'bad key' } } };
      await release.opened;
      const first = !body.messages.some(({ role }) => role === 'tool');
      return first ? { calls: [write('one.txt', 'one\n')] } : { text: 'done' };
    },
  });
  const one = await hand(world, 'job one');
  const two = await hand(world, 'job two', '--after', one.id);
  const three = await hand(world, 'job three', '--after', two.id.slice(-6));
  expect([two.note, three.note]).toEqual([`waits for ${one.id.slice(-6)}`, `waits for ${two.id.slice(-6)}`]);
  const shown = await world.run(['start', 'job four', '--after', three.id]);
  expect(shown.stdout).toContain(`what ${three.id.slice(-6)} makes`);
  release.open();

  const end = await world.ended(three.id);
  expect(end).toMatchObject({ state: 'failed', reason: 'dependency_failed', startedAt: null });
  expect(end.result?.error).toContain(`${two.id}, did not succeed: failed/auth`);
  const result = await world.ended(one.id);
  expect(await world.ended(two.id)).toMatchObject({
    state: 'failed',
    reason: 'auth',
    base: result.result?.commit,
  });
  expect(git(world.repository, 'branch', '--list', 'delegate/*')).not.toContain(three.id);

  const late = await hand(world, 'job five', '--after', one.id, '--no-preflight-wait');
  // It writes what is there already.
  expect(await world.ended(late.id)).toMatchObject({ reason: 'no_changes', base: result.result?.commit });

  const exits = async (...args: string[]): Promise<number> => (await world.run(['start', 'x', ...args])).exit;
  expect(await exits('--after', 't_00000000_000000')).toBe(3);
  expect(await exits('--after', one.id, '--after', one.id)).toBe(2);
  expect(await exits('--after', one.id, '--base', 'HEAD')).toBe(2);
});
