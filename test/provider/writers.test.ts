import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/provider/config-file.ts';
import { readCredentials } from '../../src/provider/credentials.ts';
import { makeFolder } from '../helpers/repository.ts';

const CONFIG = `# mine
defaultProfile: shared # always
profiles:
  shared:
    provider: openrouter
    model: vendor/model
    headers:
      X-First: one # kept
`;

/** In one file a writer is up in a tenth of the time: thirty-two of them are to meet each other. */
async function built(): Promise<string> {
  const program = join(makeFolder(), 'writer.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('fixtures/settings-writer.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return program;
}

async function home() {
  const program = await built();
  const folder = join(makeFolder(), 'user');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'config.yaml'), CONFIG, { mode: 0o600 });
  return {
    env: { CC_DELEGATE_HOME: folder, HOME: '/home/someone' },
    text: (name: string) => readFileSync(join(folder, name), 'utf8'),
    writer: (env: Record<string, string>, args: readonly string[], limitKb?: number) =>
      startWriter(program, env, args, limitKb),
  };
}

function startWriter(
  program: string,
  env: Record<string, string>,
  args: readonly string[],
  limitKb?: number,
) {
  const limit = limitKb === undefined ? '' : `ulimit -f ${limitKb}; `;
  const child = spawn('bash', ['-c', `${limit}exec "$0" "$@"`, process.execPath, program, ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ready = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  const ended = new Promise<{ exit: number | null; said: string }>((resolve) =>
    child.once('close', (exit) => resolve({ exit, said })),
  );
  return { ready, ended, go: () => void child.stdin.end() };
}

describe('thirty-two processes that write at the same moment', () => {
  it('lose nothing of the configuration, its comments, or the keys', async () => {
    const { env, text, writer } = await home();
    const names = Array.from({ length: 16 }, (_, index) => `n${index}`);
    const writers = names.flatMap((name) => [
      writer(env, ['config', `X-${name}`, `value of ${name}`]),
      writer(env, ['key', name, `sk-${name}-0123456789`]),
    ]);
    await Promise.all(writers.map(({ ready }) => ready));
    for (const { go } of writers) go();
    const ended = await Promise.all(writers.map((each) => each.ended));
    expect(ended.filter(({ exit }) => exit !== 0)).toEqual([]);
    const headers = readConfig(env).profiles?.shared?.headers ?? {};
    expect(headers).toEqual({
      'X-First': 'one',
      ...Object.fromEntries(names.map((name) => [`X-${name}`, `value of ${name}`])),
    });
    const { profiles } = readCredentials(env, () => undefined);
    expect(Object.keys(profiles).sort()).toEqual([...names].sort());
    for (const comment of ['# mine', '# always', '# kept']) expect(text('config.yaml')).toContain(comment);
    // No lock and no temporary file is left.
    expect(readdirSync(env.CC_DELEGATE_HOME).sort()).toEqual(['config.yaml', 'credentials.json']);
  });
});

const LONG = [
  ['config', 'X-Long', 'config.yaml'],
  ['key', 'long', 'credentials.json'],
] as const;

describe('a disk that takes no more', () => {
  it.each(LONG)('keeps what was there before: %s', async (what, name, file) => {
    const { env, text, writer } = await home();
    const first = writer(env, ['key', 'before', 'sk-before-0123456789']);
    first.go();
    expect((await first.ended).exit).toBe(0);
    const before = text(file);
    const full = writer(env, [what, name, 'x'.repeat(4000)], 1);
    full.go();
    const { exit, said } = await full.ended;
    // The kernel may end a process at this limit before it can say anything.
    expect(exit).not.toBe(0);
    expect(said).not.toContain('xxxx');
    expect(text(file)).toBe(before);
    expect(readConfig(env).profiles?.shared?.headers).toEqual({ 'X-First': 'one' });
  });

  it.each(LONG)('says so when it is full: %s', async (what, name, file) => {
    const disk = small();
    if (disk === null) return;
    const { env, writer } = await home();
    const there = { ...env, CC_DELEGATE_HOME: join(disk, 'user') };
    cpSync(env.CC_DELEGATE_HOME, there.CC_DELEGATE_HOME, { recursive: true });
    const first = writer(there, ['key', 'before', 'sk-before-0123456789']);
    first.go();
    expect((await first.ended).exit).toBe(0);
    const path = join(there.CC_DELEGATE_HOME, file);
    const before = readFileSync(path, 'utf8');
    spawnSync('bash', ['-c', 'head -c 10000000 /dev/zero > "$0"', join(disk, 'filler')]);
    const full = writer(there, [what, name, 'x'.repeat(8000)]);
    full.go();
    const { exit, said } = await full.ended;
    expect([exit, said]).toEqual([6, expect.stringMatching(/^exit 6: .*ENOSPC/)]);
    expect(said).not.toContain('xxxx');
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(there.CC_DELEGATE_HOME).sort()).toEqual(['config.yaml', 'credentials.json']);
  });
});

/** A file system of 64 KB; null, and said so, where it cannot be mounted. */
function small(): string | null {
  const folder = makeFolder();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
  if (!mounted) {
    process.stderr.write('not tried: a small file system can be mounted by root alone\n');
    return null;
  }
  onTestFinished(() => void spawnSync('umount', [folder]));
  return folder;
}
