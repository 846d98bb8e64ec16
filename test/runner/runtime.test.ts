import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { runtimeCopy } from '../../src/runner/runtime.ts';
import { makeFolder } from '../helpers/repository.ts';

const DAY_MS = 24 * 3600 * 1000;

/** A built program, with one chunk of this name, and this in what runs beside the client. */
function built(chunk: string, inside = 'inside.mjs'): string {
  const folder = makeFolder();
  mkdirSync(join(folder, 'runner', 'chunks'), { recursive: true });
  for (const name of ['runner.mjs', 'files.mjs', `chunks/${chunk}`])
    writeFileSync(join(folder, 'runner', name), name);
  writeFileSync(join(folder, 'runner', 'inside.mjs'), inside);
  return folder;
}

it('copies the whole runner once for each build', () => {
  const state = makeFolder();
  const program = built('one-AAAA1111.mjs');
  const first = runtimeCopy(program, state);
  expect(readFileSync(join(dirname(first), 'chunks/one-AAAA1111.mjs'), 'utf8')).toBe(
    'chunks/one-AAAA1111.mjs',
  );
  for (const name of ['files.mjs', 'inside.mjs']) expect(existsSync(join(dirname(first), name))).toBe(true);
  expect(runtimeCopy(program, state)).toBe(first);
  expect(runtimeCopy(built('one-BBBB2222.mjs'), state)).not.toBe(first);
  expect(runtimeCopy(built('one-AAAA1111.mjs', 'changed'), state)).not.toBe(first);
  expect(readdirSync(join(state, 'runtime'))).toHaveLength(3);
});

it('takes away what no runner was started from for a month, when a new build comes', () => {
  const state = makeFolder();
  const now = Date.now();
  const unused = runtimeCopy(built('one-AAAA1111.mjs'), state);
  const used = built('one-BBBB2222.mjs');
  const kept = runtimeCopy(used, state);
  for (const runner of [unused, kept]) {
    const then = (now - 40 * DAY_MS) / 1000;
    utimesSync(dirname(runner), then, then);
  }
  runtimeCopy(used, state, now - DAY_MS);
  const fresh = runtimeCopy(built('one-CCCC3333.mjs'), state, now);
  expect([unused, kept, fresh].map((runner) => existsSync(runner))).toEqual([false, true, true]);
});
