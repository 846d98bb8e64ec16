import { chmodSync, lstatSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyResult } from '../../../src/workspace/apply/act.ts';
import { forecast } from '../../../src/workspace/apply/forecast.ts';
import { undoApply } from '../../../src/workspace/apply/undo.ts';
import { git, makeFolder } from '../../helpers/repository.ts';
import { line, read, refused, staged, unstaged } from './looks.ts';
import { text } from './random.ts';
import { makeScene, requestFor, snapshot, type Tree, writeTree } from './scene.ts';

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

  it('works with an index in two files, and undo brings it back', async () => {
    const config = { 'core.splitIndex': 'true' };
    const { repository, request } = await makeScene({ f: 'f\n' }, { f: 'g\n', n: 'n\n' }, config);
    const before = snapshot(repository);
    await applyResult(request);
    expect(staged(repository)).toBe('M\tf\nA\tn');
    await undoApply(request);
    expect(snapshot(repository)).toEqual(before);
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
