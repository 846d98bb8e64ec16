import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { verb } from '../../src/cli/statusline.ts';
import { bakeLine } from '../../src/notify/line/bake.ts';
import { openStore } from '../../src/store/open.ts';
import { makeFolder, makeRepository } from '../helpers/repository.ts';
import { refusal } from '../provider/user-error-of.ts';
import { sampleRecord } from '../store/fixtures/records.ts';

interface Call {
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** What comes on stdin; null: it stays open and nothing comes. */
  readonly input?: string | null;
  readonly env?: Record<string, string>;
}

async function print({ args = [], cwd = makeFolder(), input = '', env = {} }: Call): Promise<string> {
  const stdin = new PassThrough();
  if (input !== null) stdin.end(input);
  const { text, exit } = await verb.run({
    args,
    cwd,
    env: { HOME: '/nonexistent', ...env },
    json: false,
    program: join(fileURLToPath(new URL('../..', import.meta.url)), 'dist'),
    consent: null,
    // A stream that ends, as a pipe does; the verb uses nothing else of it.
    stdin: stdin as NodeJS.ReadableStream as NodeJS.ReadStream,
    stderr: () => undefined,
    stdout: () => undefined,
  });
  expect(exit).toBe(0);
  return text;
}

function repositoryWith(sessionId: string, repo = makeRepository()): { repo: string; tail: string } {
  openStore(repo, { create: true });
  const updatedAt = new Date().toISOString();
  const record = sampleRecord({ repo, state: 'running', supervisor: { sessionId }, updatedAt });
  bakeLine(record);
  return { repo, tail: record.id.slice(-6) };
}

const payload = (session: string, cwd: string): string =>
  JSON.stringify({ session_id: session, cwd, workspace: { current_dir: cwd, project_dir: cwd } });

describe('the verb statusline (UI-04)', () => {
  it('shows each session the jobs of its repository, its own first', async () => {
    const one = repositoryWith('a');
    const other = repositoryWith('b');
    expect(await print({ input: payload('a', one.repo) })).toContain(one.tail);
    expect(await print({ input: payload('b', other.repo) })).toContain(other.tail);
    const second = repositoryWith('c', one.repo);
    expect(await print({ input: payload('a', one.repo) })).toMatch(new RegExp(`${one.tail}.* \\+1$`));
    expect(await print({ input: payload('c', one.repo) })).toMatch(new RegExp(`${second.tail}.* \\+1$`));
  });

  it.each([
    ['no folder', '{"session_id":"a"}'],
    ['an empty folder', '{"session_id":"a","cwd":""}'],
    ['a folder of another kind', '{"cwd":7,"workspace":null}'],
    ['a folder that is no repository', payload('a', '/')],
    ['a folder that is gone', payload('a', '/nonexistent/folder')],
  ])('shows nothing for %s, wherever it is called', async (_name, input) => {
    const { repo } = repositoryWith('a');
    expect(await print({ cwd: repo, input })).toBe('');
  });

  it.each([
    ['nothing', ''],
    ['what is no JSON', '{"cwd": "/'],
    ['a stdin that stays open', null],
  ])('goes by the folder it is called in when it is told %s', async (_name, input) => {
    const { repo, tail } = repositoryWith('a');
    expect(await print({ cwd: repo, input })).toContain(tail);
  });

  it('shows nothing when the store is gone, and to workers', async () => {
    const { repo } = repositoryWith('a');
    expect(await print({ cwd: repo, env: { CC_DELEGATE_WORKER: '1' } })).toBe('');
    rmSync(join(repo, '.cc-delegate'), { recursive: true });
    expect(await print({ cwd: repo })).toBe('');
  });

  it('installs and takes back, and knows its words', async () => {
    const env = { HOME: makeFolder(), CC_DELEGATE_HOME: join(makeFolder(), 'user') };
    expect(await print({ args: ['install', '--wrap', 'echo mine'], env })).toContain('echo mine');
    expect(await print({ args: ['install'], env })).toContain('already');
    expect(await print({ args: ['uninstall'], env })).toContain('as it was before');
    expect((await refusal(() => print({ args: ['remove'] }))).exit).toBe(2);
    expect((await refusal(() => print({ args: ['--wrap', 'x'] }))).exit).toBe(2);
  });
});
