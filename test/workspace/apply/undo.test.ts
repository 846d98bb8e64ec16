import { chmodSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyResult } from '../../../src/workspace/apply/act.ts';
import { undoApply } from '../../../src/workspace/apply/undo.ts';
import { git, gitBytes } from '../../helpers/repository.ts';
import { line, refused } from './looks.ts';
import { text } from './random.ts';
import { contents, makeScene, snapshot, writeTree } from './scene.ts';

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
