import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needs } from '../helpers/needs.ts';
import { startProxy } from '../helpers/proxy.ts';
import { makeWorld, type World, write } from '../helpers/world.ts';

/** The world's model as one that is not on this machine: under a name that only a proxy knows. */
async function faraway(): Promise<{ world: World; env: Record<string, string>; proxied: () => number }> {
  const world = await makeWorld({ script: [{ calls: [write('a.txt', 'a\n')] }, { text: 'done' }] });
  const proxy = await startProxy({ password: 'me:proxy-password' });
  const file = join(world.home, '.cc-delegate', 'config.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('127.0.0.1', 'model.test'));
  const env = { HTTP_PROXY: `http://me:proxy-password@${proxy.address}` };
  return { world, env, proxied: () => proxy.passed.length };
}

const WHERE = 'go to openai-compatible (model.test)';

it('a job through a proxy says once where files go, and its requests go that way', async () => {
  const { world, env, proxied } = await faraway();
  const first = await world.run(['start', 'do it', '--wait', '90'], { env });
  expect([first.exit, first.stderr]).toEqual([0, expect.stringContaining(WHERE)]);
  expect(proxied()).toBe(2);
  const again = await world.run(['ask', 'why?', '--wait', '0', '--json'], { env });
  expect(again.json()).toMatchObject({ notices: [] });
});

it('a person at a terminal who says no has started nothing', async (test) => {
  needs(test, 'script');
  const { world, env } = await faraway();
  const command = [process.execPath, world.program, 'start', 'doit'].join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: world.repository,
    env: { ...world.env, ...env },
  });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const asked = shown.includes('[y/N]');
    shown += chunk.toString();
    if (!asked && shown.includes('[y/N]')) child.stdin.write('n\r');
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  expect([code, shown]).toEqual([5, expect.stringContaining(WHERE)]);
  expect(existsSync(join(world.repository, '.cc-delegate'))).toBe(false);
  expect(existsSync(join(world.home, '.cc-delegate', 'sent'))).toBe(false);
});
