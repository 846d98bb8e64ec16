import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { makeJobId } from '../../src/job/ids.ts';
import { createClone } from '../../src/workspace/clone.ts';
import { findRepository } from '../../src/workspace/repository.ts';
import { git, makeFolder, makeRepository, writeFiles } from '../helpers/repository.ts';
import { collectChanged, everythingOf, expectRoundTrip, listed, startJob, work } from './job.ts';

afterEach(() => vi.unstubAllEnvs());

it('is a checkout of the base on the branch of the job, clean, without a remote, a hook or a link to the user', async () => {
  const checkout = makeRepository({ 'a b': 'x\n', 'dir/f': 'f\n' });
  git(checkout, 'remote', 'add', 'origin', 'https://example.invalid/x.git');
  const untouched = everythingOf(await findRepository(checkout));
  const job = await startJob(checkout);
  const { workspace } = job;
  expect(git(workspace, 'status', '--porcelain=v2', '--branch')).toBe(
    `# branch.oid ${job.base}\n# branch.head delegate/${job.id}`,
  );
  expect(git(workspace, 'remote')).toBe('');
  expect(git(workspace, 'log', '--format=%s')).toBe('first');
  expect(readdirSync(join(workspace, '.git'))).not.toContain('hooks');
  expect(lstatSync(join(workspace, '.git')).isDirectory()).toBe(true);
  expect(readdirSync(join(workspace, '.git/objects')).filter((name) => name.length === 2)).toEqual([]);
  expect(everythingOf(job.repository)).toEqual(untouched);
  expect(git(checkout, 'status', '--porcelain')).toBe('');
});

it('lets the worker commit under an identity of its own, whatever the user has set (GIT-33, GIT-34)', async () => {
  const checkout = makeRepository();
  git(checkout, 'config', 'user.useConfigOnly', 'true');
  git(checkout, 'config', 'commit.gpgSign', 'true');
  git(checkout, 'config', 'gpg.program', '/bin/false');
  const job = await startJob(checkout);
  work(job, 'echo w > w; git add w; git commit -qm w');
  expect(git(job.workspace, 'log', '-1', '--format=%an <%ae>')).toBe(
    'cc-delegate worker <worker@cc-delegate.invalid>',
  );
  const collected = await collectChanged(job);
  expect(git(checkout, 'log', '-1', '--format=%an <%ce>%n%B', collected.commit).trim()).toBe(
    'cc-delegate worker <worker@cc-delegate.invalid>\nThe work',
  );
});

it('runs no hook of the user, neither to clone nor to collect (GIT-32)', async () => {
  const checkout = makeRepository({ b: 'b\n' });
  const trap = join(makeFolder(), 'ran');
  mkdirSync(join(checkout, '.husky'));
  for (const hook of ['post-checkout', 'pre-commit', 'reference-transaction', 'post-index-change']) {
    writeFileSync(join(checkout, '.husky', hook), `#!/bin/sh\necho ${hook} >> '${trap}'\nexit 3\n`, {
      mode: 0o755,
    });
  }
  git(checkout, 'add', '-A');
  git(checkout, 'commit', '-qm', 'hooks');
  git(checkout, 'config', 'core.hooksPath', '.husky');
  const job = await startJob(checkout);
  work(job, 'echo w > b');
  await collectChanged(job);
  expect(() => readFileSync(trap)).toThrow(/ENOENT/);
  expect(git(checkout, 'config', 'core.hooksPath')).toBe('.husky');
});

it.each([
  ['color.ui', 'always'],
  ['color.diff', 'always'],
  ['diff.external', '/bin/echo'],
  ['diff.noprefix', 'true'],
  ['diff.mnemonicPrefix', 'true'],
  ['diff.renames', 'copies'],
  ['diff.relative', 'true'],
  ['diff.context', '0'],
  ['core.quotePath', 'false'],
  ['core.autocrlf', 'true'],
  ['core.excludesFile', '/dev/null'],
])('a global setting %s=%s has no part in the patch (GIT-13, GIT-21)', async (key, value) => {
  const home = makeFolder();
  vi.stubEnv('HOME', home);
  const patches = [];
  for (const setting of [null, value]) {
    writeFileSync(join(home, '.gitconfig'), '');
    if (setting !== null) git(home, 'config', '-f', '.gitconfig', key, setting);
    const job = await startJob(makeRepository({ 'a ü.txt': 'one\ntwo\n', 'crlf.txt': 'a\r\nb\r\n' }));
    work(job, "mv 'a ü.txt' b.txt; sed -i s/b/B/ crlf.txt");
    const collected = await collectChanged(job);
    expectRoundTrip(job, collected);
    patches.push(readFileSync(job.patchFile));
  }
  expect(patches[0]?.equals(patches[1] ?? Buffer.alloc(0))).toBe(true);
  expect(patches[0]?.length).toBeGreaterThan(100);
});

it('writes the patch for its owner alone', async () => {
  const job = await startJob(makeRepository());
  work(job, 'echo w > w');
  await collectChanged(job);
  expect(statSync(job.patchFile).mode & 0o777).toBe(0o600);
});

it('knows the ignore rules of the user, and its own', async () => {
  const home = makeFolder();
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  writeFiles(home, { '.config/git/ignore': '*.global\n' });
  const checkout = makeRepository();
  appendFileSync(join(checkout, '.git/info/exclude'), '/local\n');
  const job = await startJob(checkout);
  work(job, 'mkdir d node_modules; touch x.global local d/local node_modules/x x.pyc .DS_Store');
  expect(git(job.workspace, 'status', '--porcelain', '-uall')).toBe('?? d/local');
});

it('of a sparse checkout is the whole tree', async () => {
  const checkout = makeRepository({ 'in/a': 'a\n', 'out/b': 'b\n' });
  git(checkout, 'sparse-checkout', 'set', 'in');
  const job = await startJob(checkout);
  expect(git(job.workspace, 'status', '--porcelain')).toBe('');
  work(job, 'echo B > out/b');
  expect(listed(await collectChanged(job))).toEqual(['M out/b']);
});

it.each(['sha1', 'sha256'])(
  'of a %s repository that is shallow, in a path with spaces, from a linked worktree',
  async (format) => {
    const source = makeFolder();
    git(source, 'init', '-q', '-b', 'main', `--object-format=${format}`);
    for (const number of [1, 2, 3]) {
      writeFiles(source, { f: `${number}\n` });
      git(source, 'add', '-A');
      git(source, 'commit', '-qm', `${number}`);
    }
    const shallow = join(makeFolder(), 'with space');
    git(source, 'clone', '-q', '--depth=2', `file://${source}`, shallow);
    const linked = join(makeFolder(), 'linked one');
    git(shallow, 'worktree', 'add', '-q', '-b', 'feat', linked);
    writeFiles(linked, { feat: 'feat\n' });
    git(linked, 'add', '-A');
    git(linked, 'commit', '-qm', 'feat');
    const link = join(makeFolder(), 'link');
    symlinkSync(linked, link);
    const job = await startJob(link);
    const untouched = everythingOf(job.repository);
    expect(git(job.workspace, 'log', '--format=%s')).toBe('feat\n3\n2');
    work(job, 'echo more >> feat; git commit -qam more');
    const collected = await collectChanged(job);
    expect(listed(collected)).toEqual(['M feat']);
    expectRoundTrip(job, collected);
    expect(git(shallow, 'rev-parse', job.branch)).toBe(collected.commit);
    expect(everythingOf(job.repository)).toEqual(untouched);
  },
);

it('of a repository that borrows its objects has all of them', async () => {
  const first = makeRepository({ f: 'f\n' });
  const second = join(makeFolder(), 'second');
  git(first, 'clone', '-q', '--shared', first, second);
  const job = await startJob(second);
  work(job, 'git fsck; echo w > f');
  expectRoundTrip(job, await collectChanged(job));
});

it('lives on when the user deletes the base and prunes, and knows nothing of what they commit (GIT-05)', async () => {
  const checkout = makeRepository({ f: 'f\n' });
  git(checkout, 'switch', '-qc', 'doomed');
  writeFiles(checkout, { f: 'doomed\n' });
  git(checkout, 'commit', '-qam', 'doomed');
  const job = await startJob(checkout);
  git(checkout, 'switch', '-q', 'main');
  git(checkout, 'branch', '-D', 'doomed');
  git(checkout, 'branch', '-D', job.branch);
  git(checkout, 'reflog', 'expire', '--expire=now', '--all');
  git(checkout, 'gc', '-q', '--prune=now');
  writeFiles(checkout, { other: 'o\n' });
  git(checkout, 'add', '-A');
  git(checkout, 'commit', '-qm', 'other');
  work(job, 'git fsck; echo w > w.txt');
  const collected = await collectChanged(job);
  expect(listed(collected)).toEqual(['A w.txt']);
  expect(collected.branchMove).toEqual({ kind: 'left', why: 'gone' });
});

it('shares no stash with the user (GIT-31)', async () => {
  const checkout = makeRepository({ f: 'f\n' });
  writeFiles(checkout, { f: 'stashed\n' });
  git(checkout, 'stash');
  const list = git(checkout, 'stash', 'list', '--format=%H');
  const job = await startJob(checkout);
  work(job, '! git stash pop; echo w > f; git stash -q; git stash drop -q; git stash clear');
  expect(git(checkout, 'stash', 'list', '--format=%H')).toBe(list);
});

it('keeps submodules as they are, populated or not, and says what is not in the result (GIT-24)', async () => {
  const source = makeRepository({ l: 'l\n' });
  const checkout = makeRepository({ top: 't\n' });
  git(checkout, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source, 'lib');
  git(checkout, 'commit', '-qm', 'lib');
  const trap = join(makeFolder(), 'ran');
  const job = await startJob(checkout);
  work(
    job,
    `echo more >> top; git -C lib init -q; echo x > lib/x; git -C lib add x; git -C lib -c user.name=w -c user.email=w commit -qm w
    git -C lib config core.fsmonitor "touch '${trap}'; false"`,
  );
  const collected = await collectChanged(job);
  expect(listed(collected)).toEqual(['M top']);
  expect(collected.notInPatch).toMatchObject([{ path: 'lib' }]);
  expect(() => statSync(trap)).toThrow(/ENOENT/);
  expect(git(checkout, 'status', '--porcelain')).toBe('');
});

it('runs no filter of Git LFS: its files are pointers', async () => {
  const checkout = makeRepository({
    '.gitattributes': '*.bin filter=lfs\n',
    'x.bin': 'pointer\n',
    'y.txt': 'y\n',
  });
  const trap = join(makeFolder(), 'ran');
  git(checkout, 'update-index', '--add', '--cacheinfo', `160000,${git(checkout, 'rev-parse', 'HEAD')},lib`);
  git(checkout, 'commit', '-qm', 'lib');
  git(checkout, 'config', 'filter.lfs.smudge', `touch '${trap}'; cat`);
  git(checkout, 'config', 'filter.lfs.required', 'true');
  const repository = await findRepository(checkout);
  const id = makeJobId(1_800_000_000_000, 3);
  const commit = git(checkout, 'rev-parse', 'HEAD');
  const folder = join(makeFolder(), 'job', 'work');
  await createClone({ repository, id, commit, branch: 'b', folder });
  expect(readFileSync(join(folder, 'x.bin'), 'utf8')).toBe('pointer\n');
  expect(() => statSync(trap)).toThrow(/ENOENT/);
});

it('is not made over something that is there, nor in the folder of another job', async () => {
  const checkout = makeRepository();
  const repository = await findRepository(checkout);
  const job = await startJob(checkout);
  const wanted = { repository, id: job.id, commit: job.base, branch: job.branch };
  await expect(createClone({ ...wanted, folder: job.workspace })).rejects.toThrow(/not empty/);
  const other = makeJobId(1_800_000_000_000, 4);
  await expect(createClone({ ...wanted, id: other, folder: join(job.folder, 'gate') })).rejects.toThrow(
    /EEXIST/,
  );
  await createClone({ ...wanted, folder: join(job.folder, 'gate') });
  expect(git(join(job.folder, 'gate'), 'status', '--porcelain')).toBe('');
});
