import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listJobs } from '../../src/store/read-job.ts';
import { bash, makeWorld, type World } from '../helpers/world.ts';

/** A program of the world's, where bubblewrap cannot be executed. Needs root, for a mount of its own. */
function withoutBubblewrap(world: World, args: readonly string[]): Promise<{ exit: number; text: string }> {
  const hide = 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"';
  const argv = ['--mount', 'sh', '-c', hide, 'sh', process.execPath, world.program, ...args];
  return new Promise((resolve) => {
    const options = { cwd: world.repository, env: world.env };
    const child = execFile('unshare', argv, options, (_error, stdout, stderr) =>
      resolve({ exit: child.exitCode ?? -1, text: stdout + stderr }),
    );
  });
}

function configure(world: World, sandbox: Record<string, unknown>): void {
  const path = join(world.home, '.cc-delegate/config.yaml');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), sandbox }));
}

describe('the network of a job', () => {
  it('is not there, or is there for set-up, worker and gate alike, and is shown', async () => {
    const count = 'grep -c : /proc/net/dev';
    const turns = [{ calls: [bash(`${count} > devices`)] }, { text: 'done' }];
    const world = await makeWorld({ script: ({ index }) => turns[index % 2] ?? { text: 'done' } });
    const test = `${count}; cat devices 2>/dev/null; true`;
    const devicesOf = (id: Parameters<World['record']>[0]) => world.patch(id).toString();

    const none = await world.start(['--test', test, '--setup', `test "$(${count})" = 1`]);
    expect(await world.ended(none)).toMatchObject({ state: 'succeeded', sandbox: 'full', network: 'none' });
    expect(devicesOf(none)).toMatch(/^\+1$/m);

    const full = await world.start(['--test', test, '--network', 'full']);
    expect(await world.ended(full)).toMatchObject({ state: 'succeeded', network: 'full' });
    expect(devicesOf(full)).not.toMatch(/^\+1$/m);
    expect((await world.run(['status', full, '--json'])).json()).toMatchObject({ network: 'full' });
    expect((await world.run(['status', full])).stdout).toContain('--network full');
    expect((await world.run(['result', full])).stdout).toMatch(/network +full/);
  });

  it('is asked for in the words there are', async () => {
    const world = await makeWorld();
    const refused = await world.run(['start', 'x', '--network', 'some', '--json']);
    expect(refused.exit).toBe(2);
  });
});

describe.runIf(process.getuid?.() === 0)('where bubblewrap is missing', () => {
  it('a start asks for consent and names the remedy, unless the container is the boundary', async () => {
    const world = await makeWorld({ script: [{ calls: [bash('echo x > a')] }, { text: 'done' }] });
    configure(world, {});
    const refused = await withoutBubblewrap(world, ['start', 'x', '--json']);
    expect(refused.exit).toBe(5);
    expect(refused.text).toContain('apt-get install bubblewrap');
    const doctor = await withoutBubblewrap(world, ['doctor']);
    expect(doctor.text).toMatch(/✗ sandbox: process \(unshare\), not full: bubblewrap is not installed/);

    configure(world, { boundary: 'container' });
    const started = await withoutBubblewrap(world, ['start', 'x', '--test', 'true']);
    expect(started.text).toMatch(/sandbox +process \(unshare\): the container is the boundary/);
    const [job] = listJobs(world.store());
    if (job?.kind !== 'ok') throw new Error('there is no job');
    const record = await world.ended(job.record.id);
    expect(record).toMatchObject({ state: 'succeeded', sandbox: 'process', boundary: 'container' });
    expect(record.result?.flags).not.toContain('unsandboxed');
  });
});
