import { describe, expect, it } from 'vitest';
import {
  type Entry,
  type MergeAnswer,
  mergeKey,
  mergesNeeded,
  type PathSides,
  planApply,
  type Side,
} from '../../src/job/apply-plan.ts';
import { isControlPlane } from '../../src/job/control-plane.ts';

const file = (oid: string, mode = '100644'): Entry => ({ mode, oid });
const link = (oid: string): Entry => ({ mode: '120000', oid });
const side = (entry: Entry | null): Side => (entry === null ? { kind: 'absent' } : { kind: 'entry', entry });

function sides(three: {
  base: Entry | null;
  theirs: Entry | null;
  index: Entry | null;
  worktree?: Entry | null;
  path?: string;
  carried?: boolean;
}): PathSides {
  const { base, theirs, index, worktree = index, path = 'f', carried = false } = three;
  return { path, base, theirs, index: side(index), worktree: side(worktree), linkOutside: false, carried };
}

const KEEP = { kind: 'keep' };
const REMOVE = { kind: 'remove' };
const set = (entry: Entry) => ({ kind: 'set', entry });

describe('planApply', () => {
  it.each([
    [
      'takes a change',
      sides({ base: file('1'), theirs: file('2'), index: file('1') }),
      set(file('2')),
      set(file('2')),
      'clean',
    ],
    [
      'takes a new file',
      sides({ base: null, theirs: file('2'), index: null }),
      set(file('2')),
      set(file('2')),
      'clean',
    ],
    ['takes a deletion', sides({ base: file('1'), theirs: null, index: file('1') }), REMOVE, REMOVE, 'clean'],
    [
      'takes a mode',
      sides({ base: file('1'), theirs: file('1', '100755'), index: file('1') }),
      set(file('1', '100755')),
      set(file('1', '100755')),
      'clean',
    ],
    [
      'keeps the content of the user under a new mode',
      sides({ base: file('1'), theirs: file('1', '100755'), index: file('1'), worktree: file('3') }),
      set(file('1', '100755')),
      set(file('3', '100755')),
      'your_edits_kept',
    ],
    [
      'sees that it is there already',
      sides({ base: file('1'), theirs: file('2'), index: file('2') }),
      KEEP,
      KEEP,
      'already',
    ],
    [
      'stages an untracked file that is the same',
      sides({ base: null, theirs: file('2'), index: null, worktree: file('2') }),
      set(file('2')),
      KEEP,
      'clean',
    ],
    [
      'stages a deletion that the user made by hand',
      sides({ base: file('1'), theirs: null, index: file('1'), worktree: null }),
      REMOVE,
      KEEP,
      'clean',
    ],
    [
      'replaces a file by a link',
      sides({ base: file('1'), theirs: link('2'), index: file('1') }),
      set(link('2')),
      set(link('2')),
      'clean',
    ],
  ])('%s', (_, path, index, worktree, note) => {
    expect(planApply([path]).files).toEqual([{ path: 'f', index, worktree, note }]);
  });

  it.each([
    [
      'both changed the lines',
      sides({ base: file('1'), theirs: file('2'), index: file('1'), worktree: file('3') }),
    ],
    [
      'an untracked file is in the way',
      sides({ base: null, theirs: file('2'), index: null, worktree: file('3') }),
    ],
    [
      'the user deleted what the result changes',
      sides({ base: file('1'), theirs: file('2'), index: file('1'), worktree: null }),
    ],
    ['the user changed what the result deletes', sides({ base: file('1'), theirs: null, index: file('3') })],
    ['both changed a link', sides({ base: link('1'), theirs: link('2'), index: link('3') })],
    ['one made a link of it', sides({ base: file('1'), theirs: file('2'), index: link('3') })],
    [
      'a submodule moved',
      sides({ base: { mode: '160000', oid: '1' }, theirs: { mode: '160000', oid: '2' }, index: null }),
    ],
    [
      'something is in the way',
      {
        ...sides({ base: null, theirs: file('2'), index: null }),
        index: { kind: 'blocked' as const, why: 'it is' },
      },
    ],
  ])('refuses when %s', (_, path) => {
    const plan = planApply([path, sides({ path: 'g', base: null, theirs: file('2'), index: null })]);
    expect(plan.verdict).toBe('conflict');
    expect(plan.files[0]).toMatchObject({
      index: KEEP,
      worktree: KEEP,
      note: 'conflict',
      why: expect.stringMatching(/./),
    });
  });

  it('merges index and worktree apart and takes what the merge gave', () => {
    const path = sides({ base: file('1'), theirs: file('2'), index: file('3'), worktree: file('4') });
    const questions = mergesNeeded([path]);
    expect(questions).toEqual([
      { path: 'f', base: '1', ours: '3', theirs: '2' },
      { path: 'f', base: '1', ours: '4', theirs: '2' },
    ]);
    const answers = new Map(
      questions.map((one) => [mergeKey(one), { kind: 'merged', oid: `${one.ours}+2` } satisfies MergeAnswer]),
    );
    expect(planApply([path], answers).files).toEqual([
      { path: 'f', index: set(file('3+2')), worktree: set(file('4+2')), note: 'your_edits_kept' },
    ]);
  });

  it('asks once for one merge, and for none where one side is as the base', () => {
    const same = sides({ base: file('1'), theirs: file('2'), index: file('3') });
    const clean = sides({ base: file('1'), theirs: file('2'), index: file('1') });
    expect(mergesNeeded([same, clean])).toHaveLength(1);
  });

  it('counts a merge that gives the user’s own file as already there', () => {
    const path = sides({ base: file('1'), theirs: file('2'), index: file('3') });
    const answers = new Map(
      mergesNeeded([path]).map((one) => [mergeKey(one), { kind: 'merged', oid: '3' } satisfies MergeAnswer]),
    );
    expect(planApply([path], answers).verdict).toBe('already_applied');
  });

  it('names control-plane files and links that lead out only when they would change', () => {
    const hook = { path: '.github/workflows/x.yml', base: null, theirs: file('2'), index: null };
    const outside = {
      ...sides({ path: 'l', base: null, theirs: link('2'), index: null }),
      linkOutside: true,
    };
    expect(planApply([sides(hook), outside]).controlPlane).toEqual([hook.path, 'l']);
    expect(planApply([sides({ ...hook, index: file('2') })]).controlPlane).toEqual([]);
  });

  it.each([
    [
      'a file that is not tracked',
      sides({ base: file('d'), theirs: file('r'), index: null, worktree: file('d') }),
    ],
    [
      'lines that cannot be told apart',
      sides({ base: file('d'), theirs: file('r'), index: file('h'), worktree: file('d') }),
    ],
    ['a file that is deleted', sides({ base: null, theirs: file('r'), index: file('h'), worktree: null })],
    [
      'a change of a file that the result deletes',
      sides({ base: file('d'), theirs: null, index: file('h'), worktree: file('d') }),
    ],
  ])('leaves %s unstaged where it was uncommitted in the base, and nowhere else', (_, path) => {
    const [over] = planApply([{ ...path, carried: true }]).files;
    const worktree = path.theirs === null ? REMOVE : set(path.theirs);
    expect(over).toEqual({ path: 'f', index: KEEP, worktree, note: 'unstaged' });
    const brought = planApply([{ ...path, carried: true, worktree: side(path.theirs) }]);
    expect(brought.verdict).toBe('already_applied');
    expect(planApply([path]).verdict).toBe('conflict');
    expect(planApply([{ ...path, carried: true, worktree: side(file('x')) }]).verdict).toBe('conflict');
    const blocked = { kind: 'blocked' as const, why: 'an open merge' };
    expect(planApply([{ ...path, carried: true, index: blocked }]).files[0]?.note).toBe('unstaged');
    expect(planApply([{ ...path, carried: true, worktree: blocked }]).verdict).toBe('conflict');
  });

  it('finds nothing to do in nothing', () => {
    expect(planApply([])).toEqual({ verdict: 'already_applied', files: [], controlPlane: [] });
  });
});

describe('isControlPlane', () => {
  it.each([
    '.github/workflows/ci.yml',
    'sub/.husky/pre-commit',
    '.claude/settings.json',
    'CLAUDE.md',
    'a/b/claude.md',
    '.mcp.json',
    '.gitattributes',
    '.GitModules',
    '.vscode/tasks.json',
    '.envrc',
  ])('knows %s', (path) => expect(isControlPlane(path)).toBe(true));

  it.each(['src/github/x.ts', 'docs/claude.md.txt', 'package.json', 'vscode/x', 'README.md'])(
    'lets %s be',
    (path) => expect(isControlPlane(path)).toBe(false),
  );
});
