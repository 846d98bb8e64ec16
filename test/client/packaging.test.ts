import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/job/version.ts';
import { identify } from '../../src/store/liveness.ts';
import { git, makeFolder } from '../helpers/repository.ts';
import { clientHome, needsClient, runClient } from './client.ts';
import { copyCheckout, packTarball, unpack, VERSIONED } from './package.ts';

interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with nothing of this machine's but PATH. */
function run(program: string, args: readonly string[]): Promise<Ran> {
  return new Promise((done) => {
    const child = spawn(program, args, { env: { PATH: process.env.PATH, HOME: '/nonexistent' } });
    const out = { stdout: '', stderr: '' };
    child.stdout.on('data', (text) => (out.stdout += text));
    child.stderr.on('data', (text) => (out.stderr += text));
    child.once('close', (exit) => done({ exit, ...out }));
  });
}

/** The hook that is started for most events. */
const EVERY_TIME = 'src/notify/hook/main.ts';

describe('one version', () => {
  it.each(VERSIONED)('%s says it', (file) => {
    const found = JSON.parse(readFileSync(file, 'utf8')) as { version?: string; plugins?: object[] };
    expect(found.plugins?.[0] ?? found).toMatchObject({ version: VERSION });
  });

  it('the changelog begins with it, or with what is not released yet', () => {
    const [, newest] = /^## (.+)$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
    expect(newest).toMatch(new RegExp(`^(Unreleased|${VERSION.replaceAll('.', '\\.')}( |$))`));
  });

  it('the plugin and its package say the same about themselves', () => {
    const { description, license } = JSON.parse(readFileSync('package.json', 'utf8'));
    const plugin = JSON.parse(readFileSync('.claude-plugin/plugin.json', 'utf8'));
    const market = JSON.parse(readFileSync('.claude-plugin/marketplace.json', 'utf8'));
    expect(plugin).toMatchObject({ name: 'cc-delegate', description, license });
    expect(market.plugins).toMatchObject([{ name: 'cc-delegate', source: './', description }]);
  });
});

describe('the tarball', () => {
  let temporary: string;
  let folder: string;

  beforeAll(() => {
    temporary = mkdtempSync(join(tmpdir(), 'cc-delegate-packaging-'));
    folder = unpack(packTarball(temporary), temporary);
  });

  afterAll(() => rmSync(temporary, { recursive: true }));

  it('is the whole plugin: it runs by itself, brings no dependency and no script that an install would run', async () => {
    const here = new Set(readdirSync(folder));
    for (const part of ['.claude-plugin', 'bin', 'dist', 'docs', 'hooks', 'README.md', 'LICENSE']) {
      expect(here).toContain(part);
    }
    for (const part of ['src', 'test', 'node_modules', 'package-lock.json', 'CLAUDE.md', '.claude']) {
      expect(here).not.toContain(part);
    }
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const field of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']) {
      expect(manifest[field]).toBeUndefined();
    }
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
      expect(manifest.scripts[script]).toBeUndefined();
    }
    const ran = await run(join(folder, 'bin', 'cc-delegate'), ['--version']);
    expect(ran).toEqual({ exit: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it('is clean for `claude plugin validate --strict`, and so is the checkout', async (test) => {
    const client = needsClient(test);
    const home = clientHome({ client, url: 'http://127.0.0.1:9', trusted: [] });
    for (const plugin of [folder, copyCheckout()]) {
      const { exit, stdout } = await runClient(home, ['plugin', 'validate', plugin, '--strict'], {
        cwd: plugin,
      });
      expect({ plugin, exit, stdout }).toMatchObject({ exit: 0, stdout: expect.stringContaining('passed') });
    }
  });

  it('has hooks of our own sources and builtins alone, but for the shell parser of the guard', async () => {
    const { hooks } = JSON.parse(readFileSync('hooks/hooks.json', 'utf8')) as { hooks: object };
    expect(JSON.stringify(hooks)).toContain('{CLAUDE_PLUGIN_ROOT}/hooks/hook.sh');
    const entryPoints = readdirSync('src/notify/hook').filter((name) => name.endsWith('main.ts'));
    const { metafile } = await build({
      entryPoints: entryPoints.map((name) => join('src/notify/hook', name)),
      outdir: 'nowhere',
      bundle: true,
      platform: 'node',
      metafile: true,
      write: false,
    });
    const foreign = Object.keys(metafile.inputs).filter((path) => !path.startsWith('src/'));
    expect(foreign.filter((path) => !path.includes('node_modules/unbash/'))).toEqual([]);
    // What starts for every event goes without that one too.
    const everyTime = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === EVERY_TIME);
    expect(Object.keys(everyTime?.inputs ?? {}).filter((path) => !path.startsWith('src/'))).toEqual([]);
    expect(everyTime?.bytes).toBeGreaterThan(0);
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    const outside = imports.filter(({ external }) => external).map(({ path }) => path);
    expect(outside.filter((path) => !path.startsWith('node:'))).toEqual([]);
  });
});

it('a git checkout whose sources have changed since it was built says so in doctor', async () => {
  const checkout = copyCheckout();
  cpSync(process.env.CC_DELEGATE_TEST_DIST ?? 'dist', join(checkout, 'dist'), { recursive: true });
  const program = async (): Promise<object> => {
    const { stdout, stderr } = await run(join(checkout, 'bin', 'cc-delegate'), ['doctor', '--json']);
    expect(stderr).toBe('');
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'program');
  };
  expect(await program()).toMatchObject({ ok: true, note: false, text: `cc-delegate ${VERSION}` });
  appendFileSync(join(checkout, 'src', 'cli', 'main.ts'), '\n');
  expect(await program()).toMatchObject({
    ok: true,
    note: true,
    text: expect.stringContaining('built from older sources'),
    remedy: `run: cd '${checkout}' && npm ci && npm run build`,
  });
});

/** A checkout that was never built, with the packages of this one. */
function unbuilt(): string {
  const checkout = copyCheckout();
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'));
  return checkout;
}

describe('a git checkout without dist', () => {
  it('is built by its first call, once however many come at the same time, and says so in one line', async () => {
    const checkout = unbuilt();
    const program = join(checkout, 'bin', 'cc-delegate');
    const ran = await Promise.all([1, 2, 3].map(() => run(program, ['--version'])));
    for (const { exit, stdout } of ran) expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${VERSION}\n` });
    const said = ran.map(({ stderr }) => stderr).join('');
    expect(said).toBe('cc-delegate: first call in this git checkout: building it, once\n');
    expect(await run(program, ['--version'])).toEqual({ exit: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect(git(process.cwd(), '-c', 'safe.directory=*', 'check-ignore', '.first-build/', 'dist/')).toBe(
      '.first-build/\ndist/',
    );
  });

  it('is built by the next call when a builder was killed', async () => {
    const checkout = unbuilt();
    const folder = join(checkout, '.first-build');
    mkdirSync(join(folder, 'dist.1'), { recursive: true });
    const killed = spawn('sleep', ['60']);
    const identity = identify(killed.pid);
    killed.kill('SIGKILL');
    await new Promise((gone) => killed.once('exit', gone));
    writeFileSync(join(folder, 'claim.1.json'), JSON.stringify(identity));
    const ran = await run(join(checkout, 'bin', 'cc-delegate'), ['--version']);
    expect(ran).toMatchObject({ exit: 0, stdout: `${VERSION}\n` });
    expect(existsSync(join(folder, 'dist.1'))).toBe(false);
  });

  it('says what to run where its packages are not installed, and where the program of a package is lost', async () => {
    const checkout = copyCheckout();
    const ran = await run(join(checkout, 'bin', 'cc-delegate'), ['status']);
    expect(ran).toMatchObject({ exit: 6, stdout: '' });
    expect(ran.stderr).toContain(
      `cd '${checkout}/' && npm ci --include=dev --ignore-scripts && npm run build`,
    );
    const lost = makeFolder();
    execFileSync('cp', ['-r', join(checkout, 'bin'), join(checkout, 'package.json'), lost]);
    expect(await run(join(lost, 'bin', 'cc-delegate'), ['status'])).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining('install cc-delegate again'),
    });
  });
});
