import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { backendFor, bestLevel } from '../../../src/workspace/sandbox/levels.ts';
import { runtimeSettings } from '../../../src/workspace/sandbox/sandbox-runtime.ts';
import { needs } from '../../helpers/needs.ts';
import { makeFolder } from '../../helpers/repository.ts';
import { makeSandbox } from './helpers.ts';

const manifest = createRequire(import.meta.url).resolve('@anthropic-ai/sandbox-runtime/package.json');
const RUNTIME = join(dirname(manifest), 'dist/cli.js');

// The runtime puts an empty /dev over what it was told to show below it, and the gate's files are in /dev/shm.
if (tmpdir().startsWith('/dev/')) process.env.TMPDIR = '/var/tmp';

const text = ({ bytes }: { bytes: Uint8Array }): string => Buffer.from(bytes).toString();

describe('the sandbox runtime, as a backend of level process', () => {
  beforeEach((test) => {
    for (const program of ['bwrap', 'socat', 'rg']) needs(test, program);
  });

  it('passes its trial, and is not preferred where level full is to be had', async () => {
    expect(await backendFor('process', RUNTIME)).toMatchObject({
      level: 'process',
      backend: 'sandbox-runtime',
    });
    expect(await bestLevel(RUNTIME)).toMatchObject({ level: 'full', backend: 'bubblewrap' });
  });

  it('a program that holds nothing fails the trial: nothing runs in its place', async () => {
    const open = join(makeFolder(), 'open.mjs');
    // Runs what it is given, without any sandbox.
    writeFileSync(
      open,
      `import { spawnSync } from 'node:child_process';
      const [program, ...args] = process.argv.slice(process.argv.indexOf('--') + 1);
      process.exit(spawnSync(program, args, { stdio: 'inherit' }).status ?? 1);`,
    );
    await expect(backendFor('process', open)).rejects.toMatchObject({
      explanation: {
        code: 'sandbox_unavailable',
        value: expect.stringContaining('a file of the user can be read'),
      },
    });
  });

  it('gives a command its workspace, and nothing of the user’s', async () => {
    const secret = mkdtempSync(join(homedir(), '.cc-delegate-test-'));
    onTestFinished(() => rmSync(secret, { recursive: true }));
    writeFileSync(join(secret, 'key'), 'the key\n');
    const { bash, workspace, folder } = await makeSandbox('process', { runtime: RUNTIME });
    writeFileSync(join(folder, 'other-job'), 'of another job\n');
    const seen = await bash(
      `cat '${secret}/key' '${folder}/other-job'; echo x > made; echo x > '${folder}/outside'; echo said; echo oops >&2; exit 3`,
    );
    expect(seen.exitCode).toBe(3);
    expect(text(seen.stdout)).toBe('said\n');
    expect(text(seen.stderr)).toContain('oops');
    expect(readdirSync(workspace)).toEqual(['made']);
    expect(existsSync(join(folder, 'outside'))).toBe(false);
    // Without it the same command reads both.
    const open = await makeSandbox('none');
    expect(text((await open.bash(`cat '${secret}/key' '${folder}/other-job'`)).stdout)).toBe(
      'the key\nof another job\n',
    );
  });

  it('has no way to a server of this machine', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { bash } = await makeSandbox('process', { runtime: RUNTIME });
    const reached = await bash(`exec 3<>/dev/tcp/127.0.0.1/${port}`);
    expect(reached.exitCode).not.toBe(0);
    expect(connections).toBe(0);
    const open = await makeSandbox('none');
    expect((await open.bash(`exec 3<>/dev/tcp/127.0.0.1/${port}`)).exitCode).toBe(0);
  });

  it('ends what a command left in the background, and a command at its limit', async () => {
    const { bash } = await makeSandbox('process', { runtime: RUNTIME });
    const mark = `7${process.pid}`;
    await bash(`setsid sleep ${mark}.1 & disown; sleep 0.2`);
    const late = await bash(`sleep ${mark}.2`, { timeoutMs: 3_000 });
    expect(late).toMatchObject({ exitCode: 124, timedOut: true });
    const left = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
    expect(left.filter((line) => line.startsWith(`sleep ${mark}`))).toEqual([]);
  });
});

describe('its settings', () => {
  const place = {
    workspace: '/state/hash/job/work',
    home: '/state/hash/job/home',
    temp: '/state/hash/job/tmp',
    readable: ['/repo/.git/objects'],
    environment: { PATH: '/usr/bin' },
  };
  const command = {
    cwd: place.workspace,
    writable: ['/state/hash/job/collector'],
    readable: ['/runtime/files.mjs'],
  };

  it('let a command write its own folders, and read what it is given', () => {
    const { network, filesystem } = runtimeSettings({ ...place, network: 'none' }, command, RUNTIME);
    expect(network.allowedDomains).toEqual([]);
    expect(filesystem.allowWrite).toEqual([
      '/state/hash/job/work',
      '/state/hash/job/home',
      '/state/hash/job/tmp',
      '/state/hash/job/collector',
    ]);
    expect(filesystem.allowRead).toEqual(
      expect.arrayContaining(['/repo/.git/objects', '/runtime/files.mjs', '/state/hash/job/work']),
    );
  });

  it('open the network when it was granted', () => {
    expect(runtimeSettings({ ...place, network: 'full' }, command, RUNTIME).network.allowedDomains).toEqual([
      '*',
    ]);
  });
});
