import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { liveness, signalRunner } from '../../src/store/liveness.ts';
import { makeWorld, type World, write } from '../helpers/world.ts';

const SCRIPT = fileURLToPath(new URL('../../bin/cc-delegate-statusline', import.meta.url));
const ASKS = { calls: [write('a.txt', 'a\n'), { name: 'ask_supervisor', args: { question: 'Keep it?' } }] };

function line({ repository }: World): string {
  const answer = spawnSync('/bin/sh', [SCRIPT], {
    cwd: repository,
    encoding: 'utf8',
    env: { PATH: '/nonexistent' },
  });
  expect([answer.status, answer.stderr]).toEqual([0, '']);
  return answer.stdout;
}

/** The line is written right after the record: what has to be there soon is looked for until it is. */
async function lineSaying(world: World, text: string): Promise<string> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const shown = line(world);
    if (shown.includes(text)) return shown;
    if (performance.now() > deadline) throw new Error(`the line never said ${text}: ${shown}`);
    await sleep(20);
  }
}

/** Every file of the store, with its size and time. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
}

it('shows a job’s question, its end, and nothing once the result was given up', async () => {
  const world = await makeWorld({ script: [ASKS, { text: 'done' }] });
  const id = await world.start(['--no-preflight-wait']);
  expect(await lineSaying(world, 'asks: Keep it?')).toMatch(new RegExp(`^⚠ delegate t_…${id.slice(-6)} · `));
  await world.run(['answer', id, 'yes']);
  await world.ended(id);
  expect(await lineSaying(world, '✓')).toContain('done · 1 file');
  await world.run(['discard', id]);
  expect(line(world)).toBe('');
});

it('shows a killed runner at the first look, and a look changes nothing (UI-03)', async () => {
  const world = await makeWorld({ script: [ASKS, { text: 'done' }] });
  const id = await world.start(['--no-preflight-wait']);
  await lineSaying(world, 'asks: Keep it?');
  const { runner } = world.record(id);
  if (runner === null) throw new Error('no runner');
  signalRunner(runner, 'SIGKILL');
  while (liveness(runner) !== 'dead') await sleep(5);
  const store = join(world.repository, '.cc-delegate');
  const before = contents(store);
  for (let look = 1; look <= 3; look += 1) {
    expect(line(world)).toBe(
      `✗ delegate t_…${id.slice(-6)} · runner died · cc-delegate status ${id.slice(-6)}\n`,
    );
  }
  expect(contents(store)).toEqual(before);
  await world.ended(id);
  expect(await lineSaying(world, '✗')).toContain('the runner died');
  await world.until(id, ({ result }) => result?.salvaged !== 'pending');
  expect((await world.run(['cleanup', id, '--force'])).exit).toBe(0);
  expect(existsSync(join(store, 'lines', id))).toBe(false);
  expect(readFileSync(join(store, '.gitignore'), 'utf8')).toBe('*\n');
});
