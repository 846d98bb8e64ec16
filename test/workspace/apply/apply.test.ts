import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/job/user-error.ts';
import { identify } from '../../../src/store/liveness.ts';
import { applyResult } from '../../../src/workspace/apply/act.ts';
import { forecast } from '../../../src/workspace/apply/forecast.ts';
import { undoApply } from '../../../src/workspace/apply/undo.ts';
import { git, gitBytes, makeFolder } from '../../helpers/repository.ts';
import { text } from './random.ts';
import { commitAside, contents, makeScene, requestFor, snapshot, type Tree, writeTree } from './scene.ts';

const read = (repository: string, path: string) => readFileSync(join(repository, path), 'latin1');
const staged = (repository: string) => git(repository, 'diff', '--cached', '--name-status', '--no-renames');
const unstaged = (repository: string) => git(repository, 'diff', '--name-status', '--no-renames');
const line = (at: number, words: string) => text(new Map([[at, words]]));

/** Runs `act` and expects a UserError with this code; the checkout must not have changed. */
async function refused(repository: string, code: string, act: () => Promise<unknown>): Promise<UserError> {
  const before = snapshot(repository);
  const error = await act().then(
    () => new Error('it went through'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UserError)) throw error;
  expect(error.explanation.code).toBe(code);
  expect(snapshot(repository)).toEqual(before);
  return error;
}

describe('apply', () => {
  it('stages the result and leaves what the user staged, edited and did not add as it is (GIT-06)', async () => {
    const { repository, request } = await makeScene({ f: text(), g: 'g\n' }, { f: line(2, 'theirs') });
    writeTree(repository, { f: line(11, 'mine'), g: 'staged\n', u: 'untracked\n' });
    git(repository, 'add', 'g');
    const applied = await applyResult(request);
    expect(applied.plan.files).toMatchObject([{ path: 'f', note: 'your_edits_kept' }]);
    expect(read(repository, 'f')).toBe(
      text(
        new Map([
          [2, 'theirs'],
          [11, 'mine'],
        ]),
      ),
    );
    expect(git(repository, 'show', ':f')).toBe(line(2, 'theirs').trimEnd());
    expect(git(repository, 'status', '--porcelain')).toBe('MM f\nM  g\n?? u');
  });

  it('takes only the worker’s changes when the branch has moved on (GIT-05)', async () => {
    const { repository, request } = await makeScene({ f: 'f\n' }, { w: 'w\n' });
    writeTree(repository, { other: 'o\n' });
    git(repository, 'add', '-A');
    git(repository, 'commit', '-q', '-m', 'on');
    await applyResult(request);
    expect(staged(repository)).toBe('A\tw');
  });

  it('brings bytes, links, modes and deletions exactly (GIT-11, 15, 16, 17, 19, 20, 21)', async () => {
    const base: Tree = {
      latin: Buffer.from('caf\xe9\nrest\n', 'latin1'),
      crlf: '1\r\n2\r\n3\r\n',
      end: 'x\n\n\n',
      's.sh': 'a\n',
      'run.sh': { run: 'a\n' },
      f: 'f\n',
      l: { link: 'f' },
      'old/c': 'c\n',
      bin: Buffer.from([0, 1]),
    };
    const changes: Tree = {
      latin: Buffer.from('caf\xe9\nREST\n', 'latin1'),
      crlf: '1\r\nTWO\r\n3\r\n',
      end: 'y\n\n\n',
      's.sh': { run: 'a\n' },
      'run.sh': { run: 'b\n' },
      f: { link: 's.sh' },
      l: 'real\n',
      'old/c': null,
      bin: Buffer.from([0, 2, 255]),
      empty: '',
      'no end': 'x',
      dangling: { link: 'nowhere' },
    };
    const { repository, request, result } = await makeScene(base, changes);
    await applyResult(request);
    expect(git(repository, 'write-tree')).toBe(git(repository, 'rev-parse', `${result}^{tree}`));
    expect(unstaged(repository)).toBe('');
    expect(readlinkSync(join(repository, 'dangling'))).toBe('nowhere');
    expect(statSync(join(repository, 's.sh')).mode & 0o111).toBe(0o111);
    expect(() => lstatSync(join(repository, 'old'))).toThrow(/ENOENT/);
  });

  it('keeps the permissions a file has, apart from the executable bits', async () => {
    const { repository, request } = await makeScene({ f: 'a\n', g: 'a\n' }, { f: 'b\n', g: { run: 'a\n' } });
    for (const path of ['f', 'g']) chmodSync(join(repository, path), 0o600);
    await applyResult(request);
    expect(['f', 'g'].map((path) => statSync(join(repository, path)).mode & 0o777)).toEqual([0o600, 0o700]);
  });

  it('writes files with the user’s line ends and filters', async () => {
    const { repository, request } = await makeScene(
      { '.gitattributes': '*.x filter=up\n', 'f.txt': text(), 'g.x': 'abc\n' },
      { 'f.txt': line(2, 'theirs'), 'g.x': 'def\n' },
      { 'core.autocrlf': 'true', 'filter.up.clean': 'tr A-Z a-z', 'filter.up.smudge': 'tr a-z A-Z' },
    );
    writeFileSync(join(repository, 'f.txt'), line(11, 'mine').replaceAll('\n', '\r\n'));
    await applyResult(request);
    expect(read(repository, 'f.txt')).toBe(
      text(
        new Map([
          [2, 'theirs'],
          [11, 'mine'],
        ]),
        '\r\n',
      ),
    );
    expect(read(repository, 'g.x')).toBe('DEF\r\n');
    expect(unstaged(repository)).toBe('M\tf.txt');
  });

  it('changes every file when called from a subfolder (GIT-44)', async () => {
    const { repository, base, result } = await makeScene(
      { top: 't\n', 'sub/s': 's\n' },
      { top: 'T\n', 'sub/s': 'S\n', newtop: 'n\n' },
    );
    await applyResult(await requestFor(join(repository, 'sub'), base, result));
    expect(staged(repository)).toBe('A\tnewtop\nM\tsub/s\nM\ttop');
  });

  it('works in a linked worktree and leaves the main one alone', async () => {
    const { repository, base, result } = await makeScene({ f: 'f\n' }, { f: 'g\n', n: 'n\n' });
    const linked = join(makeFolder(), 'linked');
    git(repository, 'worktree', 'add', '-q', linked, 'HEAD');
    const main = snapshot(repository);
    const request = await requestFor(linked, base, result);
    const before = snapshot(linked);
    await applyResult(request);
    expect(staged(linked)).toBe('M\tf\nA\tn');
    expect(snapshot(repository)).toEqual(main);
    await undoApply(request);
    expect(snapshot(linked)).toEqual(before);
  });

  it('takes only the paths that were asked for', async () => {
    const { repository, request } = await makeScene(
      { 'a/x': '1\n', 'b/y.ts': '1\n', 'b/y.md': '1\n' },
      { 'a/x': '2\n', 'b/y.ts': '2\n', 'b/y.md': '2\n' },
    );
    await applyResult({ ...request, only: ['a', 'b/*.ts'] });
    expect(staged(repository)).toBe('M\ta/x\nM\tb/y.ts');
    await applyResult(request);
    expect(staged(repository)).toBe('M\ta/x\nM\tb/y.md\nM\tb/y.ts');
    await undoApply(request);
    expect(staged(repository)).toBe('M\ta/x\nM\tb/y.ts');
  });

  it('applies to the state that was looked at, or not at all', async () => {
    const { repository, request } = await makeScene({ f: text() }, { f: line(2, 'theirs') });
    const seen = await forecast(request.repository, request);
    writeTree(repository, { f: line(11, 'mine') });
    await refused(repository, 'changed_meanwhile', () =>
      applyResult({ ...request, expect: seen.fingerprint }),
    );
  });
});

describe('apply changes nothing', () => {
  it.each<[string, Tree, Tree, (repository: string) => void, RegExp]>([
    [
      'when the same line was changed (GIT-45)',
      { f: text(), g: 'g\n' },
      { f: line(2, 'a'), g: 'h\n' },
      (at) => writeTree(at, { f: line(2, 'b') }),
      /near line 3/,
    ],
    [
      'when an untracked file is in the way (GIT-45)',
      {},
      { n: 'n\n' },
      (at) => writeTree(at, { n: 'mine\n' }),
      /another uncommitted file/,
    ],
    [
      'when an ignored file is in the way',
      { '.gitignore': 'n\n' },
      { n: 'n\n' },
      (at) => writeTree(at, { n: 'mine\n' }),
      /another uncommitted file/,
    ],
    [
      'when a folder is in the way',
      {},
      { n: 'n\n' },
      (at) => writeTree(at, { 'n/x': 'x\n' }),
      /folder is in the way: n\/x/,
    ],
    [
      'when a parent is a link',
      {},
      { 'd/n': 'n\n' },
      (at) => symlinkSync(makeFolder(), join(at, 'd')),
      /d is a symbolic link/,
    ],
    [
      'in another repository',
      {},
      { 'd/n': 'n\n' },
      (at) => {
        mkdirSync(join(at, 'd'));
        git(join(at, 'd'), 'init', '-q');
      },
      /repository of its own/,
    ],
    [
      'when both changed a binary file',
      { b: Buffer.from([0, 1]) },
      { b: Buffer.from([0, 2]) },
      (at) => writeTree(at, { b: Buffer.from([0, 3]) }),
      /not text/,
    ],
    [
      'where an attribute forbids a merge',
      { '.gitattributes': 'f -merge\n', f: text() },
      { f: line(2, 'a') },
      (at) => writeTree(at, { f: line(11, 'b') }),
      /merge attribute/,
    ],
    [
      'to what skip-worktree hides',
      { f: 'f\n' },
      { f: 'g\n' },
      (at) => git(at, 'update-index', '--skip-worktree', 'f'),
      /skip-worktree/,
    ],
    [
      'to what is assumed unchanged',
      { f: 'f\n' },
      { f: 'g\n' },
      (at) => git(at, 'update-index', '--assume-unchanged', 'f'),
      /assume-unchanged/,
    ],
    [
      'to what is added with -N',
      {},
      { n: 'n\n' },
      (at) => {
        writeTree(at, { n: 'n\n' });
        git(at, 'add', '-N', 'n');
      },
      /git add -N/,
    ],
    [
      'when only the case differs',
      { File: 'f\n' },
      { file: 'n\n' },
      (at) => git(at, 'config', 'core.ignoreCase', 'true'),
      /File is there/,
    ],
  ])('%s', async (_, base, changes, user, why) => {
    const { repository, request } = await makeScene(base, changes);
    user(repository);
    const before = snapshot(repository);
    const applied = await applyResult(request);
    expect(applied.kind).toBe('conflict');
    expect(applied.plan.files.map((file) => file.why).join()).toMatch(why);
    expect(snapshot(repository)).toEqual(before);
  });

  it('to a path with an open merge', async () => {
    const { repository, request, base } = await makeScene({ f: 'f\n' }, { f: 'g\n' });
    const other = commitAside(repository, base, { f: 'other\n' });
    writeTree(repository, { f: 'mine\n' });
    git(repository, 'commit', '-q', '-a', '-m', 'mine');
    expect(() => git(repository, 'merge', '-q', other)).toThrow();
    const before = snapshot(repository);
    expect((await applyResult(request)).plan.files[0]?.why).toMatch(/open merge/);
    expect(snapshot(repository)).toEqual(before);
  });

  it.each<[string, Tree]>([
    ['files that decide what runs here', { '.github/workflows/ci.yml': 'on: push\n' }],
    ['links that lead out of the repository', { 'deep/out': { link: '../../etc/passwd' } }],
    ['links to an absolute path', { out: { link: '/etc/hostname' } }],
  ])('to %s without the user’s word', async (_, changes) => {
    const { repository, request } = await makeScene({}, changes);
    const error = await refused(repository, 'control_plane', () => applyResult(request));
    expect(error.explanation.exit).toBe(5);
    expect((await applyResult({ ...request, allowControlPlane: true })).kind).toBe('applied');
  });

  it('while another git holds the index', async () => {
    const { repository, request } = await makeScene({}, { n: 'n\n' });
    writeFileSync(join(repository, '.git/index.lock'), '');
    const error = await refused(repository, 'index_locked', () => applyResult(request));
    expect(error.explanation).toMatchObject({ exit: 4, value: join(repository, '.git/index.lock') });
  });

  it('while another apply is at work; one of many at once does the work', async () => {
    const { repository, request } = await makeScene({}, { n: 'n\n' });
    const ends = await Promise.allSettled([1, 2, 3].map(() => applyResult(request)));
    const kinds = ends.map((end) =>
      end.status === 'fulfilled' ? end.value.kind : end.reason.explanation?.code,
    );
    expect(kinds.filter((kind) => kind === 'applied')).toHaveLength(1);
    for (const kind of kinds) expect(['applied', 'already_applied', 'apply_running']).toContain(kind);
    expect(staged(repository)).toBe('A\tn');
  });

  it.each(['write 0', 'write 1', 'folders', 'commit', 'index', 'head', 'finish'])(
    'when an error comes before "%s"',
    async (step) => {
      const { repository, request } = await makeScene(
        { f: 'f\n', 'd/x': 'x\n' },
        { f: 'g\n', 'd/x': null, 'e/y': 'y\n' },
      );
      const before = snapshot(repository);
      const pause = (now: string) => {
        if (now === step) throw new Error('here');
      };
      await expect(applyResult({ ...request, pause })).rejects.toThrow('here');
      expect(snapshot(repository)).toEqual(before);
      expect((await applyResult(request)).kind).toBe('applied');
    },
  );

  it('when a file changes under its hands', async () => {
    const { repository, request } = await makeScene({ f: 'f\n', g: 'g\n' }, { f: 'F\n', g: 'G\n' });
    const pause = (now: string) => {
      if (now === 'write 1') writeTree(repository, { g: 'mine\n' });
    };
    await expect(applyResult({ ...request, pause })).rejects.toMatchObject({
      explanation: { code: 'changed_meanwhile' },
    });
    expect([read(repository, 'f'), read(repository, 'g'), staged(repository)]).toEqual(['f\n', 'mine\n', '']);
  });
});

describe('a lock that a dead process of ours left', () => {
  it('is recognised and cleared', async () => {
    const { repository, request } = await makeScene({}, { n: 'n\n' });
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']);
    await once(child, 'spawn');
    const runner = identify(child.pid);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const left = JSON.stringify({ by: 'cc-delegate apply', token: 'x', runner, journals: [] });
    writeFileSync(join(repository, '.git/index.lock'), left);
    expect((await applyResult(request)).kind).toBe('applied');
    expect(snapshot(repository)['.git']).toBe('index');
  });
});

describe('apply with a commit', () => {
  const withCommit = { commitMessage: 'Take it\n\nüber\n' };

  it('commits as the user without hooks, and undo takes the commit back', async () => {
    const { repository, request } = await makeScene(
      { f: text() },
      { f: line(2, 'theirs') },
      { 'user.name': 'U', 'user.email': 'u@example.invalid' },
    );
    writeFileSync(join(repository, '.git/hooks/post-commit'), '#!/bin/sh\ntouch hooked\n', { mode: 0o755 });
    writeTree(repository, { f: line(11, 'mine') });
    const before = snapshot(repository);
    const applied = await applyResult({ ...request, ...withCommit });
    expect(applied).toMatchObject({ kind: 'applied', commit: git(repository, 'rev-parse', 'HEAD') });
    expect(git(repository, 'log', '-1', '--format=%an %B')).toBe('U Take it\n\nüber\n');
    expect(git(repository, 'status', '--porcelain')).toBe(' M f');
    await undoApply(request);
    expect(snapshot(repository)).toEqual(before);
  });

  it('refuses with other changes staged, and without an identity', async () => {
    const { repository, request } = await makeScene({ f: 'f\n' }, { n: 'n\n' }, { 'user.name': '' });
    const error = await refused(repository, 'no_identity', () => applyResult({ ...request, ...withCommit }));
    expect(error.explanation.exit).toBe(6);
    writeTree(repository, { f: 'staged\n' });
    git(repository, 'add', 'f');
    await refused(repository, 'cannot_commit', () => applyResult({ ...request, ...withCommit }));
  });
});

describe('undo', () => {
  it('puts only the entries back when something else was staged since', async () => {
    const { repository, request } = await makeScene({ f: 'f\n', g: 'g\n' }, { f: 'F\n', n: 'n\n' });
    await applyResult(request);
    writeTree(repository, { g: 'G\n' });
    git(repository, 'add', 'g');
    expect(await undoApply(request)).toEqual({ paths: ['f', 'n'], indexRestored: false });
    expect(git(repository, 'status', '--porcelain')).toBe('M  g');
  });

  it.each<[string, (repository: string) => void, string]>([
    ['was edited', (at) => writeTree(at, { f: 'mine\n' }), 'f'],
    ['was deleted', (at) => rmSync(join(at, 'n')), 'n'],
    ['has another mode', (at) => chmodSync(join(at, 'f'), 0o755), 'f'],
    ['was unstaged', (at) => git(at, 'reset', '-q', '--', 'f'), 'f'],
    ['was committed', (at) => git(at, 'commit', '-q', '-m', 'taken'), 'f, n'],
  ])('refuses and names the path when a file %s', async (_, user, named) => {
    const { repository, request } = await makeScene({ f: 'f\n' }, { f: 'F\n', n: 'n\n' });
    await applyResult(request);
    user(repository);
    const error = await refused(repository, 'changed_since', () => undoApply(request));
    expect(error.explanation).toMatchObject({ exit: 1, value: named });
  });

  it('refuses when there is nothing to undo, also the second time', async () => {
    const { repository, request } = await makeScene({}, { n: 'n\n' });
    await refused(repository, 'nothing_to_undo', () => undoApply(request));
    await applyResult(request);
    await undoApply(request);
    await refused(repository, 'nothing_to_undo', () => undoApply(request));
  });

  it('keeps files of the user in folders that the apply made', async () => {
    const { repository, request } = await makeScene({}, { 'd/e/n': 'n\n' });
    await applyResult(request);
    writeTree(repository, { 'd/mine': 'm\n' });
    await undoApply(request);
    expect(Object.keys(contents(snapshot(repository))).filter((path) => path.startsWith('d'))).toEqual([
      'd',
      'd/mine',
    ]);
  });

  it('still sees an edit that was made in the very second of the last git add', async () => {
    const { repository, request } = await makeScene({ f: 'f\n' }, { n: 'n\n' });
    const time = new Date(Math.floor(Date.now() / 1000) * 1000 - 5000);
    const { utimesSync } = await import('node:fs');
    writeFileSync(join(repository, 'f'), '1\n');
    utimesSync(join(repository, 'f'), time, time);
    git(repository, 'add', 'f');
    writeFileSync(join(repository, 'f'), '2\n');
    utimesSync(join(repository, 'f'), time, time);
    utimesSync(join(repository, '.git/index'), time, time);
    git(repository, 'config', 'core.trustctime', 'false');
    await applyResult(request);
    await undoApply(request);
    expect(gitBytes(repository, 'diff', '--name-only').toString()).toBe('f\n');
  });
});
