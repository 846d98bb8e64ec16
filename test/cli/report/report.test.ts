import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verb } from '../../../src/cli/report.ts';
import type { Grant } from '../../../src/notify/consent/grant.ts';
import { createJob } from '../../../src/store/jobs.ts';
import { openStore } from '../../../src/store/open.ts';
import { runPaths } from '../../../src/store/paths.ts';
import { makeFolder, makeRepository } from '../../helpers/repository.ts';
import { refusal } from '../../provider/user-error-of.ts';
import { AT, newId, sampleRecord } from '../../store/fixtures/records.ts';

const INSIDE = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };

/** A repository with one job that has ended, and folders and links where a report may be wanted. */
function scene() {
  const repo = makeRepository();
  const elsewhere = makeFolder();
  const home = makeFolder();
  const record = sampleRecord({
    id: newId(),
    repo,
    checkout: repo,
    cwd: repo,
    state: 'succeeded',
    endedAt: AT,
  });
  const store = openStore(repo, { create: true });
  createJob(store, record);
  mkdirSync(join(repo, 'docs'));
  mkdirSync(join(repo, 'folder.html'));
  writeFileSync(join(repo, 'mine.html'), '<!doctype html>mine');
  symlinkSync(elsewhere, join(repo, 'link'));
  symlinkSync(join(repo, 'mine.html'), join(repo, 'docs', 'to-mine.html'));
  const run = async (
    args: readonly string[],
    { env = {}, cwd = repo, consent = null }: { env?: object; cwd?: string; consent?: Grant | null } = {},
  ) => {
    const { json } = await verb.run({
      args: [record.id, ...args],
      cwd,
      env: {
        HOME: home,
        CC_DELEGATE_HOME: join(home, 'user'),
        CC_DELEGATE_STATE: join(home, 'state'),
        ...env,
      },
      json: false,
      program: '',
      consent,
      stdin: process.stdin,
      stderr: () => undefined,
      stdout: () => undefined,
    });
    return json as { path: string };
  };
  return { repo, elsewhere, record, run, folder: runPaths(store, record.id).folder };
}

describe('where a report is written', () => {
  it('is beside the job, for the user alone', async () => {
    const { run, folder } = scene();
    const { path } = await run([], { env: INSIDE });
    expect(path).toBe(join(folder, 'report.html'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toContain('<h1>Add a parser</h1>');
  });

  it('is where a model names a place in the repository, and again', async () => {
    const { run, repo } = scene();
    for (const _time of [1, 2]) {
      const { path } = await run(['--out', 'docs/r.html'], { env: INSIDE });
      expect(path).toBe(join(repo, 'docs', 'r.html'));
    }
  });

  it.each([
    ['a file that is no report', 'mine.html', 2],
    ['a link to such a file', 'docs/to-mine.html', 2],
    ['a folder', 'folder.html', 2],
    ['what is no page', 'docs/r.js', 2],
    ['a name that is only an ending', '.html', 2],
    ['a folder that is not there', 'no/r.html', 6],
  ])('is never %s', async (_name, out, exit) => {
    const { run, repo } = scene();
    expect(await refusal(() => run(['--out', out]))).toMatchObject({ exit });
    expect(readFileSync(join(repo, 'mine.html'), 'utf8')).toBe('<!doctype html>mine');
    expect(existsSync(join(repo, out, '..', 'r.js'))).toBe(false);
  });

  it('is no place outside that a model reaches by a link, and any that a person names', async () => {
    const { run, elsewhere } = scene();
    expect(await refusal(() => run(['--out', 'link/r.html'], { env: INSIDE }))).toMatchObject({ exit: 5 });
    expect(await refusal(() => run(['--out', join(elsewhere, 'r.html')], { env: INSIDE }))).toMatchObject({
      exit: 5,
    });
    expect(existsSync(join(elsewhere, 'r.html'))).toBe(false);
    expect((await run(['--out', 'link/r.html'])).path).toBe(join(elsewhere, 'r.html'));
  });

  it('is where the person has let a model write it', async () => {
    const { run, elsewhere } = scene();
    const consent: Grant = { kind: 'dialog', argv: [], expiresAt: 0 };
    const { path } = await run(['--out', join(elsewhere, 'r.html')], { env: INSIDE, consent });
    expect(path).toBe(join(elsewhere, 'r.html'));
  });
});
