import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pathInside, viewHost } from '../../../src/workspace/sandbox/host-view.ts';
import { toolchainParts } from '../../../src/workspace/sandbox/toolchains.ts';
import { git, makeFolder, makeRepository } from '../../helpers/repository.ts';
import { levelsHere, makeSandbox, textOf } from './helpers.ts';

describe.runIf((await levelsHere()).includes('full'))('at level full', () => {
  it('a private /tmp is the same for all commands of a job, and is its TMPDIR', async () => {
    // Not below /tmp, where /tmp would be another one each time.
    const folder = realpathSync(mkdtempSync(join(shortLived(), 'cc-delegate-full-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'work'));
    const places = {
      workspace: join(folder, 'work'),
      home: join(folder, 'home'),
      temp: join(folder, 'temp'),
    };
    const { bash } = await makeSandbox('full', places);
    const there = { cwd: places.workspace };
    await bash('echo kept >/tmp/x', there);
    expect(textOf((await bash('cat /tmp/x "$TMPDIR/x" /var/tmp/x', there)).stdout)).toBe(
      'kept\nkept\nkept\n',
    );
  });

  it('git works in a clone that borrows its objects, and the objects cannot be touched', async () => {
    const repository = makeRepository({ f: 'f\n' });
    const objects = join(repository, '.git/objects');
    const { bash, workspace } = await makeSandbox('full', { readable: [objects] });
    git(workspace, 'clone', '-q', '--shared', repository, '.');
    const { stdout } = await bash(
      `git log --format=%s; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m w && echo committed
      rm -rf ${objects}/??; touch ${objects}/x; ls -A ${repository} ${repository}/.git`,
    );
    expect(textOf(stdout)).toBe(`first\ncommitted\n${repository}:\n.git\n\n${repository}/.git:\nobjects\n`);
    expect(git(repository, 'fsck', '--full')).toBe('');
  });

  it('a job has the network only if it was granted', async () => {
    const server = createServer((_, response) => response.end('hello'));
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const get = `fetch('http://localhost:${port}').then((r) => r.text()).then(console.log, () => console.log('none'))`;
    for (const [network, seen] of [['full', 'hello\n'] as const, ['none', 'none\n'] as const]) {
      const { run } = await makeSandbox('full', { network });
      expect(textOf((await run([process.execPath, '-e', get])).stdout)).toBe(seen);
    }
  });

  it('a server of the job itself is reached at localhost without a network', async () => {
    const { run } = await makeSandbox('full');
    const script = `const s = require('http').createServer((_, r) => r.end('mine')).listen(0, 'localhost', () =>
      fetch('http://localhost:' + s.address().port).then((r) => r.text()).then((t) => { console.log(t); s.close(); }));`;
    expect(textOf((await run([process.execPath, '-e', script])).stdout)).toBe('mine\n');
  });

  it('a folder that is reached by a link is seen by both of its names', async () => {
    const folder = makeFolder();
    for (const name of ['real', 'real/work', 'granted']) mkdirSync(join(folder, name));
    symlinkSync('real', join(folder, 'alias'));
    const workspace = join(folder, 'alias/work');
    const { run } = await makeSandbox('full', { workspace });
    const { stdout } = await run(['bash', '-c', `pwd -P; echo x >${workspace}/made; cat made`], {
      cwd: workspace,
    });
    expect(textOf(stdout)).toBe(`${folder}/real/work\nx\n`);
  });

  it('a link of the worker does not lead a later mount astray', async () => {
    const secret = makeFolder();
    writeFileSync(join(secret, 'key'), 'secret');
    const { bash, workspace } = await makeSandbox('full');
    symlinkSync(secret, join(workspace, 'link'));
    const inside = { readable: [join(workspace, 'link')], writable: [join(workspace, 'link')] };
    expect(textOf((await bash('cat link/key; true', inside)).stdout)).toBe('');
  });

  it('values that were handed on are in no argument', async () => {
    const { bash } = await makeSandbox('full', { passEnv: { DATABASE_URL: 'postgres://u:hunter2@h/d' } });
    const running = bash('echo "$DATABASE_URL"; sleep 0.5');
    const seen: string[] = [];
    const look = setInterval(() => {
      seen.push(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }));
    }, 100);
    expect(textOf((await running).stdout)).toBe('postgres://u:hunter2@h/d\n');
    clearInterval(look);
    expect(seen.join('')).toContain('--unshare-net');
    expect(seen.join('')).not.toContain('hunter2');
  });

  it('with a network, what tools download goes to the private home', async () => {
    const home = makeFolder();
    mkdirSync(join(home, '.cargo/bin'), { recursive: true });
    const callerEnv = { PATH: process.env.PATH, HOME: home };
    const cargoHome = async (network: 'none' | 'full') => {
      const { bash } = await makeSandbox('full', { network, callerEnv });
      return textOf((await bash('echo "$CARGO_HOME"')).stdout).trim();
    };
    expect(await cargoHome('none')).toBe(join(home, '.cargo'));
    expect(await cargoHome('full')).toBe('');
  });
});

/** A folder for temporary things that is not below /tmp. */
function shortLived(): string {
  return tmpdir().startsWith('/tmp') ? homedir() : tmpdir();
}

describe('what of the host is seen', () => {
  it('is of a toolchain what it takes to use it, and none of its settings', () => {
    const home = makeFolder();
    for (const name of ['bin', 'registry', 'credentials.toml', 'config.toml']) mkdirSync(join(home, name));
    expect(toolchainParts({ CARGO_HOME: home })).toEqual([join(home, 'bin'), join(home, 'registry')]);
    // A variable that leads to everything of the user's shows no more than those parts of it.
    expect(toolchainParts({ JAVA_HOME: home, GOPATH: home, OTHER: home })).toEqual([
      join(home, 'bin'),
      join(home, 'bin'),
    ]);
  });

  it('is never a private key, a password file or the settings of a package manager', () => {
    const seen = viewHost({ PATH: '/usr/bin:/bin' }, 'full').spots.map(({ at }) => at);
    const forbidden = /\/(private|shadow|gshadow|sudoers|npmrc|pip\.conf|gitconfig|ssh|machine-id)(\/|$)/;
    expect(seen.filter((at) => at.startsWith('/etc') && forbidden.test(at))).toEqual([]);
    expect(seen).not.toContain('/etc');
  });

  it('is on PATH by its real name, and what is not seen is not on PATH', () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'seen/bin'), { recursive: true });
    mkdirSync(join(folder, 'unseen/bin'), { recursive: true });
    symlinkSync(join(folder, 'seen/bin'), join(folder, 'link'));
    const path = ['link', 'unseen/bin', 'nowhere', 'seen/bin'].map((name) => join(folder, name));
    expect(pathInside(path.join(delimiter), [join(folder, 'seen')])).toBe(join(folder, 'seen/bin'));
    expect(pathInside('', [])).toBe('/usr/local/bin:/usr/bin:/bin');
  });
});
