import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it, vi } from 'vitest';
import { takeOverKey } from '../../src/notify/key-takeover.ts';
import { makeFolder } from '../helpers/repository.ts';

const KEY = 'sk-or-planted-0123456789abcdef';

function person(env: Record<string, string> = { CLAUDE_PLUGIN_OPTION_API_KEY: KEY }) {
  const userDir = join(makeFolder(), 'home');
  const take = (more: Record<string, string> = {}) =>
    takeOverKey({
      userDir,
      session: 'session-1',
      env: { PATH: process.env.PATH ?? '', CLAUDECODE: '1', CC_DELEGATE_HOME: userDir, ...env, ...more },
      program: resolve(process.env.CC_DELEGATE_TEST_DIST ?? 'dist'),
      now: Date.now(),
    });
  const saved = () => {
    const file = join(userDir, 'credentials.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).providers : {};
  };
  return { userDir, take, saved };
}

it('takes the key of the plugin’s settings into the file of saved keys, once', async () => {
  const { userDir, take, saved } = person();
  expect(take()).toBe('openrouter');
  await vi.waitFor(() => expect(saved()).toMatchObject({ openrouter: { key: KEY } }), 20_000);
  expect(statSync(join(userDir, 'credentials.json')).mode & 0o777).toBe(0o600);
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
  const { take, saved } = person({
    CLAUDE_PLUGIN_OPTION_API_KEY: KEY,
    CLAUDE_PLUGIN_OPTION_PROVIDER: 'deepseek',
  });
  expect(take()).toBe('deepseek');
  await vi.waitFor(() => expect(saved()).toMatchObject({ deepseek: { key: KEY } }), 20_000);
});

it('does not put a key back that was changed by other means, and takes a new one', async () => {
  const { userDir, take, saved } = person();
  take();
  await vi.waitFor(() => expect(saved()).toHaveProperty('openrouter'), 20_000);
  const other = {
    schema: 1,
    profiles: {},
    providers: { openrouter: { key: 'other', provider: 'openrouter', host: 'x' } },
  };
  writeFileSync(join(userDir, 'credentials.json'), JSON.stringify(other));
  expect(take()).toBeNull();
  expect(take({ CLAUDE_PLUGIN_OPTION_API_KEY: `${KEY}2` })).toBe('openrouter');
  await vi.waitFor(() => expect(saved()).toMatchObject({ openrouter: { key: `${KEY}2` } }), 20_000);
});

it('takes nothing where nothing was entered', () => {
  const { userDir, take } = person({});
  mkdirSync(userDir);
  expect(take()).toBeNull();
  expect(take({ CLAUDE_PLUGIN_OPTION_API_KEY: ' ' })).toBeNull();
  expect(take({ CLAUDE_PLUGIN_OPTION_API_KEY: KEY, CLAUDE_PLUGIN_OPTION_PROVIDER: '../x' })).toBeNull();
  expect(readdirSync(userDir)).toEqual([]);
});
