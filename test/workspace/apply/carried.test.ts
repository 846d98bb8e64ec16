import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyResult } from '../../../src/workspace/apply/act.ts';
import { undoApply } from '../../../src/workspace/apply/undo.ts';
import { baseOfCheckout } from '../../../src/workspace/base-of-checkout.ts';
import { findRepository } from '../../../src/workspace/repository.ts';
import { git, makeRepository } from '../../helpers/repository.ts';
import { line, read, refused, staged, unstaged } from './looks.ts';
import { text } from './random.ts';
import { commitAside, contents, requestFor, snapshot, type Tree, writeTree } from './scene.ts';

/** A result that was worked out over what the checkout has uncommitted. */
async function worked(wanted: { base: Tree; dirty: Tree; add?: readonly string[]; result: Tree }) {
  const repository = makeRepository({});
  const first = commitAside(repository, git(repository, 'rev-parse', 'HEAD'), wanted.base);
  git(repository, 'reset', '-q', '--hard', first);
  writeTree(repository, wanted.dirty);
  for (const path of wanted.add ?? []) git(repository, 'add', '-A', path);
  const { commit, head } = await baseOfCheckout(await findRepository(repository));
  const result = commitAside(repository, commit, wanted.result);
  const request = { ...(await requestFor(repository, commit, result)), committed: head };
  return { repository, request, first };
}

describe('a result over uncommitted work', () => {
  it('is staged by its own lines alone, and the user’s stay unstaged', async () => {
    const both = text(
      new Map([
        [2, 'mine'],
        [8, 'theirs'],
      ]),
    );
    const { repository, request } = await worked({
      base: { f: text(), g: 'g\n' },
      dirty: { f: line(2, 'mine') },
      result: { f: both, g: 'h\n' },
    });
    const applied = await applyResult(request);
    expect(applied.plan.files).toMatchObject([
      { path: 'f', note: 'your_edits_kept' },
      { path: 'g', note: 'clean' },
    ]);
    expect(read(repository, 'f')).toBe(both);
    expect(git(repository, 'show', ':f')).toBe(line(8, 'theirs').trimEnd());
    expect([staged(repository), unstaged(repository)]).toEqual(['M\tf\nM\tg', 'M\tf']);
    expect((await applyResult(request)).kind).toBe('already_applied');
  });

  const OVER = {
    base: { f: text(), gone: 'g\n', kept: 'k\n', away: 'a\n' },
    dirty: { f: line(2, 'mine'), gone: null, kept: 'mine\n', new: 'new\n', fresh: 'f\n', away: 'b\n' },
    add: ['kept'],
    result: {
      f: line(2, 'mine and theirs'),
      gone: 'back\n',
      kept: 'mine and theirs\n',
      new: 'new and theirs\n',
      fresh: null,
      away: null,
    },
  };

  it('is brought unstaged where the two cannot be told apart, and what is staged stays', async () => {
    const { repository, request } = await worked(OVER);
    const before = snapshot(repository);
    const applied = await applyResult(request);
    expect(applied).toMatchObject({ kind: 'applied', commit: null });
    expect(Object.fromEntries(applied.plan.files.map(({ path, note }) => [path, note]))).toEqual({
      f: 'unstaged',
      gone: 'unstaged',
      kept: 'clean',
      new: 'unstaged',
      fresh: 'unstaged',
      away: 'unstaged',
    });
    expect(['f', 'gone', 'kept', 'new'].map((path) => read(repository, path))).toEqual([
      line(2, 'mine and theirs'),
      'back\n',
      'mine and theirs\n',
      'new and theirs\n',
    ]);
    expect(['fresh', 'away'].filter((path) => existsSync(join(repository, path)))).toEqual([]);
    expect(staged(repository)).toBe('M\tkept');
    expect(unstaged(repository)).toBe('D\taway\nM\tf\nM\tgone');
    expect((await applyResult(request)).kind).toBe('already_applied');
    await undoApply(request);
    expect(snapshot(repository)).toEqual(before);
  });

  it('is not committed without that work, and is once the user has committed it', async () => {
    const { repository, request } = await worked({ ...OVER, add: [] });
    const wanted = { ...request, commitMessage: 'the work' };
    const error = await refused(repository, 'cannot_commit', () => applyResult(wanted));
    expect(error.message).toContain('over work of yours');
    git(repository, 'add', '-A');
    git(repository, 'commit', '-qm', 'mine');
    git(repository, 'config', 'user.name', 'User');
    git(repository, 'config', 'user.email', 'user@example.invalid');
    const applied = await applyResult(wanted);
    expect(applied.plan.files.every(({ note }) => note === 'clean')).toBe(true);
    expect(git(repository, 'status', '--porcelain')).toBe('');
    expect(git(repository, 'show', 'HEAD:new')).toBe('new and theirs');
  });

  it('stays out of a commit as well where the result moves, deletes or takes back what is not committed', async () => {
    const moved = await worked({
      base: { a: 'a\n' },
      dirty: { n: 'n\n' },
      result: { n: null, newer: 'n\n' },
    });
    const back = await worked({
      base: { f: text(), a: 'a\n' },
      dirty: { f: line(2, 'mine') },
      result: { f: text(), a: 'b\n' },
    });
    for (const { repository, request } of [moved, back]) {
      const wanted = { ...request, commitMessage: 'the work' };
      await refused(repository, 'cannot_commit', () => applyResult(wanted));
      expect((await applyResult(request)).kind).toBe('applied');
    }
    expect([staged(moved.repository), existsSync(join(moved.repository, 'n'))]).toEqual(['A\tnewer', false]);
    expect([staged(back.repository), unstaged(back.repository)]).toEqual(['M\ta', '']);
  });

  it('is brought where the index has a file for a folder, a folder for a file, or an open merge', async () => {
    const { repository, request } = await worked({
      base: { a: 'a\n', 'd/x': 'x\n', n: 'n\n' },
      dirty: { a: null, 'a/x': 'x\n', d: 'd\n', later: 'l\n' },
      result: { 'a/x': 'y\n', 'a/new': 'new\n', d: 'e\n', later: 'm\n' },
    });
    git(repository, 'add', '-N', 'later');
    const before = snapshot(repository);
    const applied = await applyResult(request);
    expect(applied.plan.files.map(({ path, note }) => `${path} ${note}`)).toEqual([
      'a/new unstaged',
      'a/x unstaged',
      'd unstaged',
      'later unstaged',
    ]);
    expect(['a/new', 'a/x', 'd', 'later'].map((path) => read(repository, path)).join('')).toBe(
      'new\ny\ne\nm\n',
    );
    expect(git(repository, 'diff', '--cached', '--name-only', '--diff-filter=MD')).toBe('');
    await undoApply(request);
    expect(snapshot(repository)).toEqual(before);
  });

  it('conflicts like any other where the same was changed since', async () => {
    const { repository, request } = await worked(OVER);
    writeTree(repository, { new: 'other\n' });
    const before = contents(snapshot(repository));
    const applied = await applyResult(request);
    expect(applied.kind).toBe('conflict');
    expect(applied.plan.files.filter(({ note }) => note === 'conflict').map(({ path }) => path)).toEqual([
      'new',
    ]);
    expect(contents(snapshot(repository))).toEqual(before);
    rmSync(join(repository, 'new'));
    expect((await applyResult(request)).kind).toBe('conflict');
  });
});
