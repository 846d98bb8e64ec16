import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it, vi } from 'vitest';
import { KEY_PROVIDERS } from '../../src/notify/key-providers.ts';
import { keyProgress, takeOverKey } from '../../src/notify/key-takeover.ts';
import { PROVIDERS } from '../../src/provider/providers.ts';
import { makeFolder } from '../helpers/repository.ts';

const KEY = 'sk-or-planted-0123456789abcdef';

const BEGUN = /^cc-delegate: the key .* is being taken over for openrouter$/;
const TAKEN = /^cc-delegate: the key .* is taken over for openrouter$/;

function person(
  env: Record<string, string> = { CLAUDE_PLUGIN_OPTION_API_KEY: KEY },
  program = process.env.CC_DELEGATE_TEST_DIST ?? 'dist',
) {
  const userDir = join(makeFolder(), 'home');
  const take = (more: Record<string, string> = {}) =>
    takeOverKey({
      userDir,
      session: 'session-1',
      env: { PATH: process.env.PATH ?? '', CLAUDECODE: '1', CC_DELEGATE_HOME: userDir, ...env, ...more },
      program: resolve(program),
      now: Date.now(),
    });
  const saved = () => {
    const file = join(userDir, 'credentials.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).providers : {};
  };
  return { userDir, take, saved };
}

/** The program has said what it did. */
const said = (userDir: string) =>
  vi.waitUntil(() => readFileSync(join(userDir, 'plugin-key-saved'), 'utf8') !== '', { timeout: 20_000 });

it('takes the key of the plugin’s settings into the file of saved keys, once, and says so once it sees it there', async () => {
  const { userDir, take, saved } = person();
  expect(take()).toMatch(BEGUN);
  await said(userDir);
  expect(saved()).toMatchObject({ openrouter: { key: KEY } });
  expect(statSync(join(userDir, 'credentials.json')).mode & 0o777).toBe(0o600);
  expect(take()).toMatch(TAKEN);
  expect(take()).toBeNull();
  // The grant is used up, and the key stands nowhere else.
  const files = readdirSync(userDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(userDir, name)).isFile(),
  );
  expect(files.filter((name) => name.startsWith('grants/'))).toEqual([]);
  const holding = files.filter((name) => readFileSync(join(userDir, name), 'utf8').includes(KEY));
  expect(holding).toEqual(['credentials.json']);
});

it('takes a key for the provider that was named', async () => {
  const { userDir, take, saved } = person({
    CLAUDE_PLUGIN_OPTION_API_KEY: KEY,
    CLAUDE_PLUGIN_OPTION_PROVIDER: 'deepseek',
  });
  expect(take()).toMatch(/being taken over for deepseek$/);
  await said(userDir);
  expect(saved()).toMatchObject({ deepseek: { key: KEY } });
});

it.each([
  ['before a session has seen it saved', 0],
  ['after one has', 1],
])('does not put a key back that was removed or changed %s, and takes a new one', async (_, sessions) => {
  const { userDir, take, saved } = person();
  take();
  await said(userDir);
  for (let at = 0; at < sessions; at += 1) take();
  const other = { openrouter: { key: 'other', provider: 'openrouter', host: 'x' } };
  for (const providers of [{}, other]) {
    writeFileSync(join(userDir, 'credentials.json'), JSON.stringify({ schema: 1, profiles: {}, providers }));
    for (const again of [take(), take()]) expect(again).toBeNull();
  }
  expect(take({ CLAUDE_PLUGIN_OPTION_API_KEY: `${KEY}2` })).toMatch(BEGUN);
  await vi.waitFor(() => expect(saved()).toMatchObject({ openrouter: { key: `${KEY}2` } }), 20_000);
});

it('gives up after three tries that saved nothing, says why, and what to do, once', async () => {
  const folder = makeFolder();
  // It reads the key, as the program does, and fails.
  writeFileSync(
    join(folder, 'cli.js'),
    "process.stdin.resume().on('end', () => { console.error('no space left'); process.exit(6); });",
  );
  const { userDir, take } = person(undefined, folder);
  for (let tries = 0; tries < 3; tries += 1) {
    expect(take()).toMatch(BEGUN);
    await vi.waitUntil(() => readFileSync(join(userDir, 'plugin-key-error'), 'utf8') !== '', {
      timeout: 20_000,
    });
  }
  expect(take()).toMatch(/could not be taken over .*no space left.*cc-delegate config key set openrouter$/);
  expect(take()).toBeNull();
});

it('leaves a key alone that was set by hand after a try had failed', () => {
  const memory = { digest: 'd', tries: 1 };
  expect(keyProgress('d', memory, false, 'none')).toEqual({ kind: 'try', before: 1 });
  expect(keyProgress('d', memory, false, 'other')).toEqual({ kind: 'failed' });
});

it('says so, and touches nothing, when the provider is not known', () => {
  const { userDir, take } = person({
    CLAUDE_PLUGIN_OPTION_API_KEY: KEY,
    CLAUDE_PLUGIN_OPTION_PROVIDER: 'open router\n"x',
  });
  mkdirSync(userDir);
  const text = take() ?? '';
  expect(text).toMatch(/^cc-delegate: .*"open router "x", which is not known.* openrouter, minimax/);
  expect(text).not.toContain(KEY);
  expect(readdirSync(userDir)).toEqual([]);
});

it('knows the providers that a key can be saved for', () => {
  const withEndpoint = PROVIDERS.filter(
    ({ endpoints, needsKey }) => endpoints[0]?.baseUrl && needsKey !== 'login',
  );
  expect(KEY_PROVIDERS).toEqual(withEndpoint.map(({ id }) => id));
});

it('takes nothing where nothing was entered', () => {
  const { userDir, take } = person({});
  mkdirSync(userDir);
  expect(take()).toBeNull();
  expect(take({ CLAUDE_PLUGIN_OPTION_API_KEY: ' ' })).toBeNull();
  expect(readdirSync(userDir)).toEqual([]);
});
