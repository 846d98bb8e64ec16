import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Files, git, makeFolder, makeRepository } from '../helpers/repository.ts';
import {
  collectChanged,
  collectJob,
  everythingOf,
  expectRoundTrip,
  listed,
  startJob,
  treeOfFiles,
  work,
} from './job.ts';

interface Case {
  readonly title: string;
  readonly base?: Files;
  /** Run in the user's repository before the base's commit is amended with what it leaves. */
  readonly before?: string;
  readonly script: string;
  readonly files: readonly string[];
  /** Does a plain `git add -A` with an index of its own give the same tree? Default yes. */
  readonly oracle?: false;
  readonly flags?: readonly string[];
}

const BASE: Files = {
  'a.txt': 'one\ntwo\nthree\n',
  'c.txt': 'see\n',
  'dir/deep.txt': 'deep\n',
  's.sh': '#!/bin/sh\n',
};

const CASES: readonly Case[] = [
  { title: 'a base with an empty tree (GIT-02)', base: {}, script: 'echo a > a.txt', files: ['A a.txt'] },
  {
    title: 'commits, a switched branch and a detached HEAD of the worker (GIT-04)',
    base: { 'one.txt': '1\n', 'two.txt': '2\n' },
    script: `echo c > committed.txt; git add -A; git commit -qm mine; git switch -qc other; git rm -q one.txt
      git commit -qm less; git checkout -q --detach; echo u > untracked.txt`,
    files: ['A committed.txt', 'A untracked.txt', 'D one.txt'],
    flags: ['moved_head'],
  },
  {
    title: 'a new file in new folders (GIT-07)',
    script: 'mkdir -p new/dir; echo d > new/dir/deep.txt',
    files: ['A new/dir/deep.txt'],
  },
  {
    title: 'a new file that the worker only announced to its index (GIT-07)',
    script:
      'mkdir -p new/dir; echo d > new/dir/deep.txt; git add -N new; echo e > e.txt; git add e.txt; git reset -q; echo f > f.txt; git add f.txt; rm .git/index',
    files: ['A e.txt', 'A f.txt', 'A new/dir/deep.txt'],
  },
  {
    title: 'names with every odd character (GIT-09)',
    base: { 'old -> x': 'x\n', 'a.txt': 'a\n' },
    script: `echo 1 > 'sp ace.txt'; echo 2 > 'qu"ote'; echo 3 > $'new\\nline'; echo 4 > $'tab\\there'; echo 5 > 'back\\slash'
      echo 6 > 'ünï-日本.txt'; echo 7 > 'a -> b'; mkdir 'dir with space'; echo 8 > 'dir with space/f'; mv 'old -> x' 'n -> m -> o'; echo 9 > ' lead'; echo x > :colon; echo y > '*'`,
    files: [
      'A  lead',
      'A *',
      'A :colon',
      'A a -> b',
      'A back\\slash',
      'A dir with space/f',
      'A n -> m -> o',
      'A new\nline',
      'A qu"ote',
      'A sp ace.txt',
      'A tab\there',
      'A ünï-日本.txt',
      'D old -> x',
    ],
  },
  {
    title: 'binary files (GIT-11)',
    base: { 'x.bin': new Uint8Array([0, 1, 2]), 't.txt': 't\n' },
    script: 'head -c 3000 /dev/urandom > x.bin; head -c 900 /dev/urandom > n.png; echo more >> t.txt',
    files: ['A n.png', 'M t.txt', 'M x.bin'],
  },
  {
    title: 'trailing empty lines and a missing last line break (GIT-15)',
    base: { f: 'x\n\n\n' },
    script: "printf 'y\\n\\n\\n' > f; printf 'no end' > g",
    files: ['A g', 'M f'],
  },
  {
    title: 'text that is not UTF-8 (GIT-16)',
    base: { f: new Uint8Array(Buffer.from('caf\xe9\nrest\n', 'latin1')) },
    script: 'LC_ALL=C sed -i s/rest/REST/ f',
    files: ['M f'],
  },
  {
    title: 'line ends as they are (GIT-17)',
    base: { f: '1\r\n2\r\n3\r\n' },
    script: 'sed -i s/2/TWO/ f',
    files: ['M f'],
  },
  {
    title: 'executable bits (GIT-19)',
    script: 'chmod +x s.sh; echo y >> a.txt',
    files: ['M a.txt', 'M s.sh'],
  },
  {
    title: 'links and type changes (GIT-20)',
    base: { f: 'f\n', 's.sh': 's\n' },
    before: 'ln -s f l',
    script:
      'rm l; echo real > l; rm f; ln -s s.sh f; ln -s /nonexistent dangling; ln -s /etc/hostname outside',
    files: ['A dangling', 'A outside', 'T f', 'T l'],
  },
  {
    title: 'renames and deletions (GIT-21)',
    script:
      'mv a.txt b.txt; git rm -q c.txt; mkdir emptydir; : > empty.txt; mkdir -p moved; git mv dir/deep.txt moved/x',
    files: ['A b.txt', 'A empty.txt', 'A moved/x', 'D a.txt', 'D c.txt', 'D dir/deep.txt'],
  },
  {
    title: 'a file in the place of a folder and a folder in the place of a file',
    script: 'rm -r dir; echo f > dir; rm c.txt; mkdir c.txt; echo x > c.txt/x',
    files: ['A c.txt/x', 'A dir', 'D c.txt', 'D dir/deep.txt'],
  },
  {
    title: 'a link in the place of a folder, never followed',
    script: 'mv dir ../elsewhere; ln -s ../elsewhere dir',
    files: ['A dir', 'D dir/deep.txt'],
  },
  {
    title: 'a nested repository as plain files (GIT-26)',
    base: { '.gitignore': '*.log\n' },
    script: `mkdir app; git -C app init -q; echo x > app/x; echo l > app/x.log; mkdir -p app/in/ner; git -C app/in/ner init -q; echo y > app/in/ner/y
      git -C app add x; git -C app -c user.name=w -c user.email=w commit -qm i`,
    files: ['A app/in/ner/y', 'A app/x'],
    oracle: false,
    flags: ['ignored_files'],
  },
  {
    title: 'a repository made in a tracked folder',
    script: 'git -C dir init -q; echo n > dir/new; echo more >> dir/deep.txt',
    files: ['A dir/new', 'M dir/deep.txt'],
  },
  {
    title: 'a removed .git (GIT-29)',
    script: 'rm -rf .git; echo w > work.txt',
    files: ['A work.txt'],
    flags: ['moved_head'],
  },
  {
    title: 'a .git that is a pipe',
    script: 'rm -rf .git; mkfifo .git; echo w > work.txt',
    files: ['A work.txt'],
    flags: ['moved_head'],
  },
  {
    title: 'a corrupt .git',
    script:
      'echo x > .git/HEAD; echo x > .git/config; rm .git/index; mkdir .git/index; mkfifo .git/packed-refs; echo w > work.txt',
    files: ['A work.txt'],
    flags: ['moved_head'],
  },
  {
    title: 'a leftover index.lock',
    script: 'touch .git/index.lock; echo w > work.txt',
    files: ['A work.txt'],
  },
  {
    title: 'edits hidden from the worker index (GIT-53)',
    script:
      'git update-index --assume-unchanged a.txt; git update-index --skip-worktree c.txt; echo b > a.txt; echo c > c.txt',
    files: ['M a.txt', 'M c.txt'],
  },
  {
    title: 'a change of the same size within one second',
    script: 'printf "ONE\\ntwo\\nthree\\n" > a.txt; touch -r c.txt a.txt',
    files: ['M a.txt'],
  },
  {
    title: 'nothing of a file whose bytes did not change, though an attribute asks for other line ends',
    base: { '.gitattributes': '*.txt text\n', 'lf.txt': 'x\n' },
    before: `printf 'a\\r\\nb\\r\\n' > crlf.txt; B=$(git hash-object -w --no-filters crlf.txt); git update-index --add --cacheinfo 100644,$B,crlf.txt`,
    script: 'echo y >> lf.txt; touch crlf.txt',
    files: ['M lf.txt'],
    oracle: false,
  },
  {
    title: 'line ends of a new file as the tree asks for them',
    base: { '.gitattributes': '* text=auto\n' },
    script: "printf 'a\\r\\nb\\r\\n' > new.txt",
    files: ['A new.txt'],
  },
  {
    title: 'an encoding the worker promised and did not keep',
    script: "echo '*.txt working-tree-encoding=UTF-16' > .gitattributes; echo more >> a.txt",
    files: ['A .gitattributes', 'M a.txt'],
    oracle: false,
    flags: ['control_plane'],
  },
  {
    title: 'a pipe and a socket in the place of files',
    script: 'rm a.txt; mkfifo a.txt; mkfifo new; echo x > x',
    files: ['A x', 'D a.txt'],
    oracle: false,
  },
  {
    title: 'a name that some file system takes for .git',
    script: 'mkdir .GIT; echo "[core]" > .GIT/config; mkdir -p sub/git~1; echo x > sub/git~1/x; echo y > y',
    files: ['A y'],
    oracle: false,
  },
  {
    title: 'files the control plane is made of',
    base: { 'package.json': '{"scripts":{"test":"x"},"version":"1"}\n' },
    script: `mkdir -p .github/workflows; echo on > .github/workflows/ci.yml; echo '{"scripts":{"test":"y"},"version":"1"}' > package.json`,
    files: ['A .github/workflows/ci.yml', 'M package.json'],
    flags: ['control_plane'],
  },
];

describe('what the worker left in its files is collected as it is', () => {
  it.each(CASES)('$title', async ({ base = BASE, before, script, files, oracle, flags = [] }) => {
    const checkout = makeRepository(base);
    if (before !== undefined) {
      execFileSync('bash', ['-ec', before], { cwd: checkout });
      git(checkout, 'add', '-A', '--', ':!crlf.txt');
      git(checkout, 'commit', '-q', '--amend', '--no-edit');
    }
    const job = await startJob(checkout);
    const untouched = everythingOf(job.repository);
    work(job, script);
    const collected = await collectChanged(job);
    expect(listed(collected)).toEqual([...files].sort());
    expect(collected.flags).toEqual(flags);
    expectRoundTrip(job, collected);
    if (oracle !== false) expect(treeOfFiles(job)).toBe(collected.tree);
    expect(git(checkout, 'rev-parse', job.branch)).toBe(collected.commit);
    expect(everythingOf(job.repository)).toEqual(untouched);
    expect(existsSync(join(checkout, '.git', 'FETCH_HEAD'))).toBe(false);
    git(checkout, 'fsck', '--strict');
  });
});

it('a file name that is no UTF-8 does not stop anything', async () => {
  const job = await startJob(makeRepository());
  work(job, "echo x > $'caf\\xe9'");
  const collected = await collectChanged(job);
  expect(listed(collected)).toEqual(['A caf\ufffd']);
  expectRoundTrip(job, collected);
});

it('keeps the bytes of a file that is no UTF-8 in the patch', async () => {
  const job = await startJob(makeRepository({ f: new Uint8Array(Buffer.from('caf\xe9\nrest\n', 'latin1')) }));
  work(job, 'LC_ALL=C sed -i s/rest/REST/ f');
  await collectChanged(job);
  expect(readFileSync(job.patchFile).includes(0xe9)).toBe(true);
});

it('says what kind of change it is, and which link leaves the tree', async () => {
  const job = await startJob(makeRepository({ 's.sh': '#!/bin/sh\n', 'x.bin': new Uint8Array([0, 1]) }));
  work(
    job,
    'chmod +x s.sh; ln -s /etc/hostname out; ln -s s.sh in; printf "\\0\\1\\2" > x.bin; printf "1\\n2" > n',
  );
  const { files, insertions, deletions } = await collectChanged(job);
  const byPath = Object.fromEntries(files.map(({ path, ...rest }) => [path, rest]));
  expect(byPath).toEqual({
    in: { status: 'A', insertions: 1, deletions: 0, binary: false, flags: [] },
    n: { status: 'A', insertions: 2, deletions: 0, binary: false, flags: [] },
    out: { status: 'A', insertions: 1, deletions: 0, binary: false, flags: ['link_outside'] },
    's.sh': { status: 'M', insertions: 0, deletions: 0, binary: false, flags: ['mode_changed'] },
    'x.bin': { status: 'M', insertions: 0, deletions: 0, binary: true, flags: [] },
  });
  expect({ insertions, deletions }).toEqual({ insertions: 4, deletions: 0 });
  expect(readFileSync(job.patchFile, 'latin1')).toContain('old mode 100644\nnew mode 100755');
});

it('a package.json that changed but for its scripts is no control plane', async () => {
  const job = await startJob(makeRepository({ 'package.json': '{"scripts":{"test":"x"},"version":"1"}\n' }));
  work(job, `echo '{"scripts":{"test":"x"},"version":"2"}' > package.json`);
  expect((await collectChanged(job)).flags).toEqual([]);
});

it('nothing changed is no commit: neither for an untouched workspace nor for commits that come to nothing', async () => {
  const job = await startJob(makeRepository());
  expect(await collectJob(job)).toMatchObject({ kind: 'unchanged', flags: [], movedHead: false });
  work(job, 'git commit -q --allow-empty -m x; touch README.md; mkdir empty');
  expect(await collectJob(job)).toMatchObject({ kind: 'unchanged', flags: ['moved_head'], movedHead: true });
  expect(git(job.repository.commonDir, 'for-each-ref', `refs/delegate/${job.id}/result`)).toBe('');
});

it('a workspace that is gone, or is a link, is lost and not unchanged', async () => {
  const job = await startJob(makeRepository());
  work(job, 'mv ../work ../moved; ln -s moved ../work');
  expect(await collectJob(job)).toMatchObject({ kind: 'workspace_lost' });
});

it('leaves out junk, what we provided and large new files, and names what the user should know (GIT-22)', async () => {
  const job = await startJob(makeRepository({ '.gitignore': 'node_modules/\n/build\n', 'src/a': 'a\n' }));
  work(
    job,
    `ln -s /nonexistent/R/node_modules node_modules; mkdir -p build provided/deps src/__pycache__; echo b > build/out; echo p > provided/deps/p
    echo c > src/__pycache__/a.pyc; head -c 3000 /dev/zero > big; echo more >> src/a`,
  );
  const collected = await collectChanged(job, { provided: ['provided/deps'], largeFileBytes: 2000 });
  expect(listed(collected)).toEqual(['M src/a']);
  expect(collected.flags).toEqual(['ignored_files', 'large_files']);
  expect(collected.notInPatch.map(({ path }) => path).sort()).toEqual(['big', 'build/', 'node_modules']);
});

it('a link we provided is neither listed nor named (GIT-22)', async () => {
  const job = await startJob(makeRepository({ '.gitignore': 'node_modules/\n', 'src/a': 'a\n' }));
  work(job, 'ln -s /nonexistent/R/node_modules node_modules; echo more >> src/a');
  const collected = await collectChanged(job, { provided: ['node_modules'] });
  expect(listed(collected)).toEqual(['M src/a']);
  expect(collected.notInPatch).toEqual([]);
});

it('a second collection makes no second commit, and one after more work replaces the first', async () => {
  const job = await startJob(makeRepository());
  work(job, 'echo a > a');
  const first = await collectChanged(job);
  const patch = readFileSync(job.patchFile);
  const second = await collectChanged(job, { message: 'Another time' });
  expect(second.commit).toBe(first.commit);
  expect(readFileSync(job.patchFile).equals(patch)).toBe(true);
  work(job, 'echo b > b');
  const third = await collectChanged(job);
  expect(listed(third)).toEqual(['A a', 'A b']);
  expect(third.branchMove).toEqual({ kind: 'moved' });
  expect(git(job.repository.commonDir, 'rev-parse', job.branch)).toBe(third.commit);
  // Where the user has moved it, it is theirs.
  git(job.repository.commonDir, 'branch', '-f', job.branch, first.commit);
  work(job, 'echo c > c');
  expect((await collectChanged(job)).branchMove).toEqual({ kind: 'left', why: 'changed' });
});

it('a second round moves the branch on from where the first left it; one that undoes all of it takes it back', async () => {
  const job = await startJob(makeRepository({ 'a.txt': 'a\n' }));
  const { commonDir } = job.repository;
  work(job, 'echo b > a.txt');
  const first = await collectChanged(job);
  expect(git(commonDir, 'rev-parse', job.branch)).toBe(first.commit);
  work(job, 'echo c > a.txt');
  const second = await collectChanged(job);
  expect(second.branchMove).toEqual({ kind: 'moved' });
  expect(git(commonDir, 'rev-parse', job.branch)).toBe(second.commit);
  work(job, 'echo a > a.txt');
  expect(await collectJob(job)).toMatchObject({ kind: 'unchanged' });
  expect(git(commonDir, 'rev-parse', job.branch)).toBe(job.base);
  expect(git(commonDir, 'for-each-ref', `refs/delegate/${job.id}/result`)).toBe('');
  expect(existsSync(job.patchFile)).toBe(false);
  // A branch that somebody else has moved is theirs.
  work(job, 'echo d > a.txt');
  const commits = await collectChanged(job);
  git(commonDir, 'update-ref', `refs/heads/${job.branch}`, first.commit);
  work(job, 'echo e > a.txt');
  expect((await collectChanged(job)).branchMove).toEqual({ kind: 'left', why: 'changed' });
  expect(commits.commit).not.toBe(first.commit);
});

it('keeps commits whose paths are in no file any more, and says so', async () => {
  const job = await startJob(makeRepository());
  work(
    job,
    `git switch -qc wip; mkdir lost; echo v > lost/valuable; git add -A; git commit -qm wip; git tag kept
    git switch -q ${job.branch}; echo s > stashed; git stash -qu; echo w > work.txt`,
  );
  const wip = work(job, 'git rev-parse wip').trim();
  const collected = await collectChanged(job);
  expect(listed(collected)).toEqual(['A work.txt']);
  expect(collected.flags).toEqual(['commits_not_in_tree']);
  const { commonDir } = job.repository;
  const kept = collected.extraRefs.find((extra) => extra.commit === wip);
  expect(kept?.ref).toMatch(new RegExp(`^refs/delegate/${job.id}/extra/\\d+$`));
  expect(git(commonDir, 'show', `${kept?.ref}:lost/valuable`)).toBe('v');
  git(commonDir, 'fsck', '--strict');
});

it('a commit of the worker that git calls unsafe is named but not taken over', async () => {
  const job = await startJob(makeRepository());
  work(
    job,
    `B=$(echo x | git hash-object -w --stdin); T=$(printf '100644 blob %s\\tconfig\\n' $B | git mktree)
    R=$(printf '040000 tree %s\\t.GIT\\n' $T | git mktree); git update-ref refs/heads/evil $(git commit-tree -m e $R); echo w > w`,
  );
  const collected = await collectChanged(job);
  expect(collected.extraRefs).toMatchObject([{ name: 'refs/heads/evil', ref: null }]);
  expect(collected.flags).toEqual(['commits_not_in_tree']);
});

it('a result that git calls unsafe is refused in the words of git, and no ref is made', async () => {
  const job = await startJob(makeRepository());
  work(job, `printf '[submodule "x"]\\n\\tpath = x\\n\\turl = -u./evil\\n' > .gitmodules`);
  await expect(collectJob(job)).rejects.toThrow(/refuses the collected objects.*gitmodulesUrl/s);
  expect(git(job.repository.commonDir, 'for-each-ref', `refs/delegate/${job.id}/result`)).toBe('');
});

it('sixteen jobs collected at once are sixteen results in one whole repository (GIT-51)', async () => {
  const checkout = makeRepository({ 'a.txt': 'a\n' });
  git(checkout, 'config', 'branch.autoSetupMerge', 'always');
  const folder = makeFolder();
  const jobs = await Promise.all(Array.from({ length: 16 }, () => startJob(checkout, { folder })));
  const untouched = everythingOf((jobs[0] ?? expect.fail()).repository);
  for (const [at, job] of jobs.entries()) work(job, `echo ${at} > file-${at}`);
  const results = await Promise.all(jobs.map((job) => collectChanged(job)));
  for (const [at, result] of results.entries()) expect(listed(result)).toEqual([`A file-${at}`]);
  expect(new Set(results.map((result) => result.commit)).size).toBe(16);
  expect(everythingOf((jobs[0] ?? expect.fail()).repository)).toEqual(untouched);
  git(checkout, 'fsck', '--strict');
}, 180_000);
