import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findClient } from '../../src/provider/claude-client.ts';
import { speaksAnthropic } from '../../src/provider/endpoint.ts';
import { makeFolder } from '../helpers/repository.ts';
import { refusal } from './user-error-of.ts';

function program(body: string): { folder: string; path: string } {
  const folder = makeFolder();
  const path = join(folder, 'claude');
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return { folder, path };
}

/** For this test our own node is elsewhere. */
function nodeIsAt(path: string): void {
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = path;
}

describe('the client of the claude engine', () => {
  it('is the one on the PATH, asked with nothing of our environment', async () => {
    const { folder, path } = program('test -z "$SECRET" && echo "2.1.332 (Claude Code)"');
    const found = await findClient({ PATH: `.:${folder}`, SECRET: 'x' }, null);
    expect(found).toEqual({ path, version: '2.1.332' });
  });

  it('is never one the repository brings', async () => {
    const { folder } = program('echo 2.1.332');
    expect(await refusal(() => findClient({ PATH: folder }, null, folder))).toMatchObject({
      code: 'client_missing',
      exit: 6,
    });
  });

  it('may be a script whose interpreter is found where our own node is, and nowhere else', async () => {
    const { path } = program('');
    writeFileSync(path, '#!/usr/bin/env own-node\n');
    const beside = join(dirname(path), 'own-node');
    writeFileSync(beside, '#!/bin/sh\necho 2.1.332\n', { mode: 0o755 });
    // Beside the client it is not looked for: in the sandbox it would not be there.
    expect(await refusal(() => findClient({}, path))).toMatchObject({
      code: 'client_broken',
      what: expect.stringContaining('own-node'),
    });
    nodeIsAt(join(dirname(path), 'node'));
    expect(await findClient({}, path)).toEqual({ path, version: '2.1.332' });
  });

  it('is said to be missing where the path that was set leads to nothing', async () => {
    const path = join(makeFolder(), 'claude');
    expect(await refusal(() => findClient({}, path))).toMatchObject({
      code: 'client_missing',
      value: path,
      remedy: expect.stringContaining('config unset claude.path'),
    });
  });

  it.each([
    ['echo 2.1.142', 'client_old'],
    ['echo nothing', 'client_broken'],
    ['echo 2.1.332; exit 1', 'client_broken'],
  ])('with "%s" is refused as %s', async (body, code) => {
    const { path } = program(body);
    expect(await refusal(() => findClient({}, path))).toMatchObject({ code, exit: 6 });
  });
});

it.each([
  ['deepseek', undefined, true],
  ['ollama', undefined, false],
  ['bedrock', undefined, false],
  ['deepseek', { provider: 'deepseek', baseUrl: 'https://x.example/v1' }, false],
  ['deepseek', { provider: 'deepseek', baseUrl: 'https://x.example/v1', api: 'anthropic' as const }, true],
])('%s with %j speaks the protocol: %s', (provider, profile, speaks) => {
  expect(speaksAnthropic({ provider, model: 'm', profile: null }, profile)).toBe(speaks);
});
