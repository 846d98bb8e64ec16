import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Account, askPause, backoffFolder, pauseLeft } from '../../src/provider/backoff.ts';
import { makeFolder } from '../helpers/repository.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const ACCOUNT: Account = {
  provider: 'openrouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  apiKey: 'sk-or-secret-of-a-test',
};

it('one job asks for a pause, and the others of the same account keep it until it is over', () => {
  const user = makeFolder();
  expect(pauseLeft(user, ACCOUNT, NOW)).toBe(0);
  expect(askPause(user, ACCOUNT, 3000, NOW)).toBeNull();
  expect(pauseLeft(user, ACCOUNT, NOW)).toBe(3000);
  expect(pauseLeft(user, { ...ACCOUNT, baseUrl: 'https://openrouter.ai/other' }, NOW + 1000)).toBe(2000);
  expect(pauseLeft(user, ACCOUNT, NOW + 3001)).toBe(0);
});

it.each([
  { name: 'another key', other: { apiKey: 'sk-or-another' } },
  { name: 'another provider', other: { provider: 'openai' } },
  { name: 'another host', other: { baseUrl: 'https://example.com/v1' } },
  { name: 'another login', other: { login: { owner: 'somebody' } } },
])('$name does not share the pause', ({ other }) => {
  const user = makeFolder();
  askPause(user, ACCOUNT, 3000, NOW);
  expect(pauseLeft(user, { ...ACCOUNT, ...other }, NOW)).toBe(0);
});

it('is ten minutes at the most, and a shorter pause does not end a longer one', () => {
  const user = makeFolder();
  askPause(user, ACCOUNT, 86_400_000, NOW);
  expect(pauseLeft(user, ACCOUNT, NOW)).toBe(600_000);
  askPause(user, ACCOUNT, 1000, NOW);
  expect(pauseLeft(user, ACCOUNT, NOW)).toBe(600_000);
});

it('nothing of the key is in the file or its name', () => {
  const user = makeFolder();
  askPause(user, ACCOUNT, 3000, NOW);
  const [name = ''] = readdirSync(backoffFolder(user));
  expect(name).toMatch(/^openrouter-[0-9a-f]{16}\.json$/);
  const text = name + readFileSync(join(backoffFolder(user), name), 'utf8');
  expect(text).not.toContain('secret');
});

it.each([
  { name: 'broken', text: '{"until": 1' },
  { name: 'of another form', text: '{"until":"tomorrow"}' },
  { name: 'from the future', text: JSON.stringify({ at: NOW + 60_000, until: NOW + 120_000 }) },
  { name: 'longer than any pause', text: JSON.stringify({ at: NOW, until: NOW + 86_400_000 }) },
])('a file that is $name says nothing', ({ text }) => {
  const user = makeFolder();
  askPause(user, ACCOUNT, 3000, NOW);
  const [name = ''] = readdirSync(backoffFolder(user));
  writeFileSync(join(backoffFolder(user), name), text);
  expect(pauseLeft(user, ACCOUNT, NOW)).toBe(0);
  expect(askPause(user, ACCOUNT, 2000, NOW)).toBeNull();
  expect(pauseLeft(user, ACCOUNT, NOW)).toBe(2000);
});

it('says in words that the others cannot be told', () => {
  const user = makeFolder();
  writeFileSync(backoffFolder(user), '');
  expect(askPause(user, ACCOUNT, 3000, NOW)).toContain('backoff');
  expect(pauseLeft(user, ACCOUNT, NOW)).toBe(0);
});
