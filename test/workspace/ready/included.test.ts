import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { includedSecrets } from '../../../src/workspace/ready/included-secrets.ts';
import { git, makeFolder, makeRepository, writeFiles } from '../../helpers/repository.ts';
import { everythingOf, listed, work } from '../job.ts';
import { changed, collectReady, openGate, startReadyJob } from './ready-job.ts';

const SECRET = 'TOKEN=s3cr3t-0f-the-user-9141\n';

function repositoryWith(list: string, local: Record<string, string>): string {
  const checkout = makeRepository({ '.gitignore': '.env*\n/local/\n', a: 'a\n', '.worktreeinclude': list });
  writeFiles(checkout, local);
  return checkout;
}

it('SEC-16 without a list no ignored file is in the workspace, and an environment file is named', async () => {
  const job = await startReadyJob(makeRepository({ '.gitignore': '.env\n', a: 'a\n' }));
  expect(job.ready.notices).toEqual([]);
  const checkout = makeRepository({ '.gitignore': '.env\n', a: 'a\n' });
  writeFiles(checkout, { '.env': SECRET });
  const other = await startReadyJob(checkout);
  expect(existsSync(join(other.workspace, '.env'))).toBe(false);
  expect(other.ready.report).toMatchObject({ included: [], environments: ['.env'] });
  expect(other.ready.notices).toEqual([
    'ignored, so not in the workspace: .env; name it in .worktreeinclude if it is needed',
  ]);
});

it('SEC-16 a listed .env is in no patch and in no ref, even forced into a commit and edited; the gate has it as the user has', async () => {
  const checkout = repositoryWith('.env\n', { '.env': SECRET });
  const job = await startReadyJob(checkout);
  const untouched = everythingOf(job.repository);
  expect(work(job, 'cat .env; git status --porcelain')).toBe(SECRET);
  work(
    job,
    `cp .env ../kept; git add -f .env; git commit -qm leak; git branch leak; git switch -qc lost ${job.base}
    echo lost > lost; cp ../kept .env; git add lost; git add -f .env; git commit -qm lost; git rm -q .env; git commit -qm removed
    git switch -q ${job.branch}; echo b >> a; echo EVIL=1 > .env; git add -f .env; git commit -qam work`,
  );
  const collected = changed(await collectReady(job));
  expect(listed(collected)).toEqual(['M a']);
  expect(readFileSync(job.patchFile, 'utf8')).not.toMatch(/TOKEN|EVIL|\.env/);
  expect(collected.notInPatch).toEqual([]);
  // The commit that has work of its own beside the secret is told of, but not taken over.
  expect(collected.extraRefs).toMatchObject([{ name: 'refs/heads/lost', ref: null }]);
  const blob = git(checkout, 'hash-object', '.env');
  expect(() => git(checkout, 'cat-file', '-e', blob)).toThrow();
  expect(everythingOf(job.repository)).toEqual(untouched);
  const { folder } = await openGate(job, collected);
  expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(SECRET);
});

it('commits of the worker that hold lost work and nothing of ours are kept as ever', async () => {
  const job = await startReadyJob(repositoryWith('.env\n', { '.env': SECRET }));
  work(
    job,
    `git switch -qc lost; echo x > lost; git add lost; git commit -qm lost; git switch -q ${job.branch}; echo b >> a`,
  );
  const collected = changed(await collectReady(job));
  expect(collected.extraRefs).toMatchObject([
    { name: 'refs/heads/lost', ref: `refs/delegate/${job.id}/extra/1` },
  ]);
});

it('the gate gets the files of the start, whatever the user and the worker made of theirs', async () => {
  const checkout = repositoryWith('/local/*.json\n!/local/not.json\n', {
    'local/a.json': '{"port":1}',
    'local/not.json': '{}',
    'local/b.txt': 'b',
  });
  const job = await startReadyJob(checkout);
  expect(job.ready.report.included).toEqual(['local/a.json']);
  expect(job.ready.notices).toEqual(['.worktreeinclude: the worker gets local/a.json']);
  writeFileSync(join(checkout, 'local/a.json'), '{"port":2}');
  work(job, 'echo >> a; echo evil > local/a.json; echo more > local/new.json');
  const collected = changed(await collectReady(job));
  expect(listed(collected)).toEqual(['M a']);
  const { folder, gate } = await openGate(job, collected);
  expect(readFileSync(join(folder, 'local/a.json'), 'utf8')).toBe('{"port":1}');
  expect(existsSync(join(folder, 'local/new.json'))).toBe(false);
  expect(gate.notProvided).toEqual([]);
});

it('copies are for their owner alone: files 0600, folders 0700, in the workspace, the snapshot and the gate', async () => {
  const checkout = repositoryWith('local/\n', { 'local/deep/run.sh': '#!/bin/sh\n' });
  chmodSync(join(checkout, 'local/deep/run.sh'), 0o755);
  const job = await startReadyJob(checkout);
  work(job, 'echo >> a');
  const { folder } = await openGate(job, changed(await collectReady(job)));
  for (const top of [job.workspace, job.ready.snapshot.folder, folder]) {
    expect(statSync(join(top, 'local/deep/run.sh')).mode & 0o777).toBe(0o600);
    expect(statSync(join(top, 'local/deep')).mode & 0o777).toBe(0o700);
  }
  expect(lstatSync(join(job.ready.folder)).mode & 0o077).toBe(0);
});

it('no link is followed; one that stays in the checkout is kept, others are named; a pipe is no file', async () => {
  const outside = join(makeFolder(), 'outside');
  writeFileSync(outside, SECRET);
  const checkout = repositoryWith('.env*\n', { '.env': SECRET });
  symlinkSync('.env', join(checkout, '.env.inner'));
  symlinkSync(outside, join(checkout, '.env.outer'));
  symlinkSync(join(checkout, '.env'), join(checkout, '.env.absolute'));
  symlinkSync('../../../etc/passwd', join(checkout, '.env.up'));
  execFileSync('mkfifo', [join(checkout, '.env.pipe')]);
  const job = await startReadyJob(checkout);
  expect(job.ready.report.included).toEqual(['.env', '.env.inner']);
  expect(readlinkSync(join(job.workspace, '.env.inner'))).toBe('.env');
  expect(Object.fromEntries(job.ready.report.notIncluded.map(({ path, why }) => [path, why]))).toEqual({
    '.env.outer': 'a link that leads out of the checkout',
    '.env.absolute': 'a link into your checkout',
    '.env.up': 'a link that leads out of the checkout',
  });
  for (const name of ['.env.outer', '.env.absolute', '.env.up', '.env.pipe']) {
    expect(lstatSync(join(job.workspace, name), { throwIfNoEntry: false })).toBeUndefined();
  }
});

it.each([
  ['fileBytes', { fileBytes: 5, totalBytes: 100, files: 9 }, ['.env.small'], ['.env.big (over 1 MB)']],
  [
    'totalBytes',
    { fileBytes: 99, totalBytes: 8, files: 9 },
    ['.env.big'],
    ['.env.small (over the limit of 1 MB in sum)'],
  ],
  [
    'files',
    { fileBytes: 99, totalBytes: 99, files: 1 },
    ['.env.big'],
    ['.env.small (over the limit of 1 file)'],
  ],
])('the limit %s leaves out what is over it, by name', async (_name, included, taken, named) => {
  const checkout = repositoryWith('.env*\n', { '.env.big': '1234567', '.env.small': '123' });
  const { ready } = await startReadyJob(checkout, { limits: { included } });
  expect(ready.report.included).toEqual(taken);
  expect(ready.notices[1]).toBe(`.worktreeinclude: not copied: ${named.join(', ')}`);
});

it('never stands over what the base tracks, nor goes through a link of the base', async () => {
  const outside = makeFolder();
  const checkout = makeRepository({ x: 'tracked\n', '.worktreeinclude': 'x\nway/in\n' });
  symlinkSync(outside, join(checkout, 'way'));
  git(checkout, 'add', '-A');
  git(checkout, 'commit', '-qm', 'link');
  git(checkout, 'rm', '-q', '--cached', 'x', 'way');
  git(checkout, 'commit', '-qm', 'untracked now');
  execFileSync('rm', [join(checkout, 'way')]);
  writeFiles(checkout, { x: 'mine\n', 'way/in': 'mine\n' });
  const job = await startReadyJob(checkout, { rev: 'HEAD^' });
  expect(job.ready.report.notIncluded).toEqual([
    { path: 'way/in', why: 'way is no folder in the commit' },
    { path: 'x', why: 'the commit has this path itself' },
  ]);
  expect(readFileSync(join(job.workspace, 'x'), 'utf8')).toBe('tracked\n');
  expect(existsSync(join(outside, 'in'))).toBe(false);
  work(job, 'echo work > x');
  expect(listed(changed(await collectReady(job)))).toEqual(['M x']);
});

it('the gate names what the result left no place for', async () => {
  const job = await startReadyJob(repositoryWith('new/file.local\n', { 'new/file.local': 'x\n' }));
  work(job, 'rm -r new; echo mine > new');
  const collected = changed(await collectReady(job));
  expect(listed(collected)).toEqual(['A new']);
  const { gate } = await openGate(job, collected);
  expect(gate.notProvided).toEqual([{ path: 'new/file.local', why: 'new is no folder in the commit' }]);
});

it('names lines of the list that name nothing, and reads no list through a link', async () => {
  const checkout = repositoryWith('.env\n# a comment\nlocal/none.json\n*.none\n.env.test\na\n', {
    '.env': SECRET,
  });
  const { ready } = await startReadyJob(checkout);
  expect(ready.report.includeMisses).toEqual(['local/none.json', '.env.test']);
  const linked = makeRepository({ '.gitignore': '.env\nlist\n' });
  writeFiles(linked, { '.env': SECRET, list: '.env\n' });
  symlinkSync('list', join(linked, '.worktreeinclude'));
  expect((await startReadyJob(linked)).ready.report.included).toEqual([]);
});

it.each(['a [x]* b', '#hash', '!bang', 'ends with space ', 'ü'])(
  'a file called "%s" is provided, and the worker does not add it by accident',
  async (name) => {
    const checkout = makeRepository({ '.worktreeinclude': '/dir/**\n', a: 'a\n' });
    writeFiles(checkout, { [`dir/${name}`]: 'x\n', '.cc-delegate/config.json': '{}' });
    const job = await startReadyJob(checkout);
    expect(job.ready.report.included).toEqual([`dir/${name}`]);
    expect(work(job, 'git status --porcelain -uall')).toBe('');
    work(job, 'echo >> a; touch "dir/ax b" hash bang');
    expect(listed(changed(await collectReady(job)))).toEqual(['A bang', 'A dir/ax b', 'A hash', 'M a']);
  },
);

it('knows the secrets of an environment file, for the redaction', async () => {
  const job = await startReadyJob(repositoryWith('.env\nlocal/\n', { '.env': SECRET, 'local/x': 'A=b' }));
  expect((await includedSecrets(job.ready.snapshot)).map(({ value }) => value)).toEqual([
    's3cr3t-0f-the-user-9141',
  ]);
});

it('says nothing of contents: neither in the report nor in a line', async () => {
  const checkout = repositoryWith('.env\n', { '.env': SECRET });
  mkdirSync(join(checkout, 'sub'));
  const { ready } = await startReadyJob(checkout);
  expect(JSON.stringify([ready.report, ready.notices])).not.toContain('s3cr3t');
});
