import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isSafeName } from '../../../src/workspace/ready/submodule-names.ts';
import { git, makeFolder, makeRepository, writeFiles } from '../../helpers/repository.ts';
import { everythingOf, listed, work } from '../job.ts';
import { changed, collectReady, openGate, startReadyJob } from './ready-job.ts';

const LOCAL = ['-c', 'protocol.file.allow=always'];

function addSubmodule(checkout: string, source: string, path: string, ...more: string[]): void {
  git(checkout, ...LOCAL, 'submodule', '--quiet', 'add', ...more, source, path);
  git(checkout, 'commit', '-qm', path);
}

/** `top` with `lib`, which has `deep/inner`; both sources are gone, so that nothing could be fetched. */
function superproject(): string {
  const inner = makeRepository({ i: 'inner\n' });
  const lib = makeRepository({ l: 'lib\n', '.gitignore': 'built\n' });
  addSubmodule(lib, inner, 'deep/inner');
  const checkout = makeRepository({ top: 't\n' });
  addSubmodule(checkout, lib, 'lib', '--name', 'a name/of lib');
  git(checkout, ...LOCAL, 'submodule', '--quiet', 'update', '--init', '--recursive');
  for (const source of [inner, lib]) rmSync(source, { recursive: true });
  return checkout;
}

it('GIT-24 submodules and theirs are there from local objects, as repositories of their own, and are no change', async () => {
  const checkout = superproject();
  const job = await startReadyJob(checkout);
  const untouched = everythingOf(job.repository);
  expect(job.ready.report).toMatchObject({ submodules: ['lib', 'lib/deep/inner'], submodulesMissing: [] });
  expect(job.ready.notices).toEqual([]);
  expect(readFileSync(join(job.workspace, 'lib/deep/inner/i'), 'utf8')).toBe('inner\n');
  expect(
    work(job, 'git -C lib log --format=%s; git -C lib rev-parse --show-toplevel; git status --porcelain'),
  ).toBe(`deep/inner\nfirst\n${job.workspace}/lib\n`);
  expect(
    work(
      job,
      'git -C lib/deep/inner fsck; git -C lib status --porcelain; git submodule update --init --recursive',
    ),
  ).toBe('');
  work(job, 'echo more >> top');
  const collected = changed(await collectReady(job));
  expect(listed(collected)).toEqual(['M top']);
  expect(collected.notInPatch).toEqual([]);
  expect(everythingOf(job.repository)).toEqual(untouched);
  expect(git(checkout, 'status', '--porcelain')).toBe('');
  const { folder, gate } = await openGate(job, collected);
  expect(readFileSync(join(folder, 'lib/deep/inner/i'), 'utf8')).toBe('inner\n');
  expect(gate.notProvided).toEqual([]);
});

it('nothing the worker does in a submodule gets to the user, and it is named', async () => {
  const checkout = superproject();
  const job = await startReadyJob(checkout);
  const modules = git(checkout, 'rev-parse', '--git-path', 'modules/a name/of lib');
  const refs = git(join(checkout, 'lib'), 'for-each-ref');
  work(
    job,
    'echo more >> top; echo evil > lib/l; git -C lib commit -qam evil; git -C lib gc -q --prune=now; git add lib; git commit -qam both',
  );
  const collected = changed(await collectReady(job));
  expect(listed(collected)).toEqual(['M top']);
  expect(collected.notInPatch).toEqual([{ path: 'lib', why: 'in a submodule, which stays as it was' }]);
  expect(git(join(checkout, 'lib'), 'for-each-ref')).toBe(refs);
  git(join(checkout, modules), '--git-dir=.', 'fsck');
  const { folder } = await openGate(job, collected);
  expect(readFileSync(join(folder, 'lib/l'), 'utf8')).toBe('lib\n');
});

it.each([
  ['a file it builds there', 'echo x > lib/built'],
  ['a new mode', 'chmod +x lib/l'],
  ['a change with its time put back', 'touch -r lib/l ../ref; echo LIB > lib/l; touch -r ../ref lib/l'],
  ['a removed folder', 'rm -r lib/deep'],
])('%s in a submodule is seen', async (_what, script) => {
  const job = await startReadyJob(superproject());
  work(job, script);
  expect(await collectReady(job)).toMatchObject({ kind: 'unchanged', notInPatch: [{ path: 'lib' }] });
});

it('a submodule that is not initialised, or lacks the commit, is an empty folder and named with the remedy', async () => {
  const source = superproject();
  const fresh = join(makeFolder(), 'fresh');
  git(source, 'clone', '-q', source, fresh);
  const { report, notices } = (await startReadyJob(fresh)).ready;
  expect(report.submodules).toEqual([]);
  expect(notices).toEqual([
    'submodules not in the workspace: lib (not initialised in your checkout: git submodule update --init)',
  ]);
  const commit = '1234567890123456789012345678901234567890';
  git(source, 'update-index', '--cacheinfo', `160000,${commit},lib`);
  git(source, 'commit', '-qm', 'unknown');
  const job = await startReadyJob(source);
  expect(job.ready.report.submodulesMissing).toEqual([
    { path: 'lib', why: 'the objects of commit 12345678 are not all here: git submodule update --init' },
  ]);
  expect(work(job, 'ls -A lib; git status --porcelain')).toBe('');
});

it('is found from a linked worktree, and where the submodule holds its own git directory', async () => {
  const checkout = superproject();
  const linked = join(makeFolder(), 'linked');
  git(checkout, 'worktree', 'add', '-q', linked);
  expect((await startReadyJob(linked)).ready.report.submodules).toEqual(['lib', 'lib/deep/inner']);
  const old = makeRepository({ top: 't\n' });
  mkdirSync(join(old, 'lib'));
  makeRepository({ l: 'old\n' }, join(old, 'lib'));
  git(old, 'add', 'lib');
  git(old, 'commit', '-qm', 'lib');
  const job = await startReadyJob(old);
  expect(job.ready.report.submodules).toEqual(['lib']);
  expect(readFileSync(join(job.workspace, 'lib/l'), 'utf8')).toBe('old\n');
});

it('runs no hook and no filter of the submodule', async () => {
  const source = makeRepository({ '.gitattributes': '* filter=evil\n', l: 'l\n' });
  const checkout = makeRepository();
  addSubmodule(checkout, source, 'lib');
  const trap = join(makeFolder(), 'ran');
  const modules = join(checkout, '.git/modules/lib');
  git(checkout, 'config', '-f', join(modules, 'config'), 'filter.evil.smudge', `touch '${trap}'; cat`);
  git(checkout, 'config', '-f', join(modules, 'config'), 'core.fsmonitor', `touch '${trap}'; false`);
  writeFiles(modules, { 'hooks/post-checkout': `#!/bin/sh\ntouch '${trap}'\n` });
  const job = await startReadyJob(checkout);
  expect(job.ready.report.submodules).toEqual(['lib']);
  work(job, 'git -C lib status');
  expect(existsSync(trap)).toBe(false);
});

it('a name that leads out of .git/modules is not followed', async () => {
  const elsewhere = makeRepository({ secret: 's\n' });
  const checkout = makeRepository({ top: 't\n' });
  const commit = git(elsewhere, 'rev-parse', 'HEAD');
  const name = `../../../../../../../../..${elsewhere}/.git`;
  writeFileSync(join(checkout, '.gitmodules'), `[submodule "${name}"]\n\tpath = lib\n\turl = ./x\n`);
  git(checkout, 'add', '.gitmodules');
  git(checkout, 'update-index', '--add', '--cacheinfo', `160000,${commit},lib`);
  git(checkout, 'commit', '-qm', 'evil');
  const { report } = (await startReadyJob(checkout)).ready;
  expect(report).toMatchObject({ submodules: [], submodulesMissing: [{ path: 'lib' }] });
});

it.each([
  ['lib', true],
  ['a/b c', true],
  ['..b', true],
  ['', false],
  ['..', false],
  ['a/../b', false],
  ['a\\..\\b', false],
  ['/abs', false],
  ['a//b', false],
])('the name %j is safe: %s', (name, safe) => {
  expect(isSafeName(name)).toBe(safe);
});
