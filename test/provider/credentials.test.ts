import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  credentialsPath,
  maskKey,
  readCredentials,
  removeKey,
  setKey,
} from '../../src/provider/credentials.ts';
import { makeFolder } from '../helpers/repository.ts';
import { refusal } from './user-error-of.ts';

const KEY = 'sk-test-0123456789abcdef';
const CHEAP = { kind: 'profile', name: 'cheap' } as const;
const saved = (key: string) => ({ key, provider: 'openrouter', host: 'openrouter.ai' });

function home(): {
  env: { CC_DELEGATE_HOME: string };
  file: string;
  warnings: string[];
  warn: (line: string) => void;
} {
  const env = { CC_DELEGATE_HOME: join(makeFolder(), 'user') };
  const warnings: string[] = [];
  return { env, file: credentialsPath(env), warnings, warn: (line) => void warnings.push(line) };
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

function underUmask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}

describe('saved keys', () => {
  it.each([0o000, 0o022, 0o077])(
    'are in a file of mode 0600 in a folder of mode 0700 under umask %o, at each write',
    async (mask) => {
      underUmask(mask);
      const { env, file, warnings, warn } = home();
      for (const key of [KEY, `${KEY}-2`]) {
        await setKey(env, CHEAP, saved(key), warn);
        expect([modeOf(file), modeOf(env.CC_DELEGATE_HOME)]).toEqual(['600', '700']);
        expect(readCredentials(env, warn).profiles.cheap?.key).toBe(key);
      }
      expect(readdirSync(env.CC_DELEGATE_HOME)).toEqual(['credentials.json']);
      expect(warnings).toEqual([]);
    },
  );

  it('are at no moment in a file that others can read, temporary files included', async () => {
    underUmask(0);
    const { env, warn } = home();
    await setKey(env, CHEAP, saved(KEY), warn);
    const watcher = spawn(process.execPath, ['-e', WATCHER, env.CC_DELEGATE_HOME], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    const ready = new Promise<void>((resolve) => watcher.stdout.once('data', () => resolve()));
    watcher.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const ended = new Promise((resolve) => watcher.once('close', resolve));
    await ready;
    for (let index = 0; index < 150; index += 1) await setKey(env, CHEAP, saved(`${KEY}-${index}`), warn);
    watcher.stdin.end();
    await ended;
    const seen: unknown = JSON.parse(Buffer.concat(chunks).toString().split('\n').at(-1) ?? '');
    expect(seen).toMatchObject({ loose: [] });
    expect(seen).toHaveProperty('temporaries');
  });

  it('close a file and a folder that were open to others, and say so', async () => {
    const { env, file, warnings, warn } = home();
    await setKey(env, CHEAP, saved(KEY), warn);
    chmodSync(file, 0o644);
    chmodSync(env.CC_DELEGATE_HOME, 0o755);
    expect(readCredentials(env, warn).profiles.cheap?.key).toBe(KEY);
    expect([modeOf(file), modeOf(env.CC_DELEGATE_HOME)]).toEqual(['600', '700']);
    expect(warnings.join('\n')).toMatch(/0755[\s\S]*0644/);
    expect(warnings.join('\n')).not.toContain(KEY);
  });

  it('keep a symbolic link, and close and replace the file it leads to', async () => {
    const { env, file, warnings, warn } = home();
    const target = join(makeFolder(), 'keys.json');
    mkdirSync(env.CC_DELEGATE_HOME, { mode: 0o700 });
    writeFileSync(target, '{"schema":1,"profiles":{},"providers":{},"mine":1}', { mode: 0o644 });
    chmodSync(target, 0o644);
    symlinkSync(target, file);
    await setKey(env, CHEAP, saved(KEY), warn);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(modeOf(target)).toBe('600');
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({
      mine: 1,
      profiles: { cheap: { key: KEY } },
    });
    expect(warnings).toHaveLength(1);
  });

  it('follow a symbolic link to a file that is not there yet', async () => {
    const { env, file, warn } = home();
    const target = join(makeFolder(), 'keys.json');
    mkdirSync(env.CC_DELEGATE_HOME, { mode: 0o700 });
    symlinkSync(target, file);
    await setKey(env, CHEAP, saved(KEY), warn);
    expect([lstatSync(file).isSymbolicLink(), modeOf(target)]).toEqual([true, '600']);
  });

  it.each(['', ' ', 'a b', 'a\nb', 'a\r', 'a\u0000b', '\u001b[31m', 'ключ', 'x'.repeat(20_000)])(
    'refuse %j, which cannot be a key, without repeating it',
    async (key) => {
      const { env, file, warn } = home();
      const error = await refusal(() => setKey(env, CHEAP, saved(key), warn));
      expect(error).toMatchObject({ code: 'invalid_key', exit: 2 });
      if (key.trim().length > 1) expect(error.message).not.toContain(key);
      expect(existsSync(file)).toBe(false);
    },
  );

  it.each(['{', '[]', 'null', '{"schema":2,"profiles":{},"providers":{}}', '{"cheap":"sk-older-form"}'])(
    'stay as they are in a file of another form: %s',
    async (text) => {
      const { env, file, warn } = home();
      mkdirSync(env.CC_DELEGATE_HOME, { mode: 0o700 });
      writeFileSync(file, text, { mode: 0o600 });
      for (const act of [
        () => readCredentials(env, warn),
        () => setKey(env, CHEAP, saved(KEY), warn),
        () => removeKey(env, CHEAP, warn),
      ]) {
        const error = await refusal(act);
        expect(error).toMatchObject({ exit: 6, value: file });
        expect(error.message).not.toContain('sk-older');
      }
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('are forgotten one by one', async () => {
    const { env, warn, file } = home();
    await setKey(env, CHEAP, saved(KEY), warn);
    await setKey(env, { kind: 'provider', name: 'openrouter' }, saved('sk-other'), warn);
    expect(await removeKey(env, CHEAP, warn)).toBe(true);
    expect(await removeKey(env, CHEAP, warn)).toBe(false);
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
    expect(readCredentials(env, warn).providers.openrouter?.key).toBe('sk-other');
  });

  it('all survive when many are saved at once', async () => {
    const { env, warn } = home();
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await Promise.all(
      names.map((name) => setKey(env, { kind: 'profile', name }, saved(`key-${name}`), warn)),
    );
    expect(Object.keys(readCredentials(env, warn).profiles).sort()).toEqual([...names].sort());
  });

  it('all survive when several processes save at the same moment', async () => {
    const { env, warn } = home();
    const writers = ['a', 'b', 'c'].map((prefix) => startWriter(env.CC_DELEGATE_HOME, prefix));
    await Promise.all(writers.map(({ ready }) => ready));
    for (const { child } of writers) child.stdin.end();
    expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    expect(Object.keys(readCredentials(env, warn).profiles)).toHaveLength(3 * 10);
  });

  it('are shown by their last four characters, short ones not at all', () => {
    expect(maskKey(KEY)).toBe('…cdef');
    expect(maskKey('hunter2')).toBe('…');
  });
});

/** A process that saves ten keys as soon as its stdin ends. */
function startWriter(folder: string, prefix: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', WRITER, prefix, '10'], {
    env: { ...process.env, CC_DELEGATE_HOME: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ready = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ready, ended };
}

const WRITER = fileURLToPath(new URL('fixtures/key-writer.ts', import.meta.url));

/** Looks at every file of the folder, over and over, until its stdin ends. */
const WATCHER = `
const fs = require('node:fs');
const folder = process.argv[1];
const loose = new Set();
let temporaries = 0;
let ended = false;
process.stdin.on('end', () => { ended = true; }).resume();
process.stdout.write('ready\\n');
const look = () => {
  for (let round = 0; round < 200; round += 1) {
    for (const name of fs.readdirSync(folder)) {
      try {
        const status = fs.statSync(folder + '/' + name);
        if (!status.isFile()) continue;
        if (name.endsWith('.tmp')) temporaries += 1;
        if ((status.mode & 0o077) !== 0) loose.add(name);
      } catch { /* gone meanwhile */ }
    }
  }
  if (ended) process.stdout.write(JSON.stringify({ loose: [...loose], temporaries }));
  else setImmediate(look);
};
look();
`;
