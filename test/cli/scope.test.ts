import { describe, expect, it } from 'vitest';
import { scopeOf } from '../../src/cli/scope.ts';
import { isInScope } from '../../src/job/scope.ts';
import { refusal } from '../provider/user-error-of.ts';

const AT = { checkout: '/srv/repo', subdirectory: 'packages/a' };

describe('the folders a job’s changes belong in', () => {
  it.each([
    ['from where the caller stands', ['src', './src/', '../b'], ['packages/a/src', 'packages/b']],
    ['by absolute paths', ['/srv/repo/docs', '/srv/repo'], ['docs', '']],
    ['the folder of the caller', ['.'], ['packages/a']],
  ])('are taken %s', (_, typed, expected) => {
    expect(scopeOf(typed, ['ignored'], AT)).toEqual(expected);
  });

  it('are those of the project from its root where none are given', () => {
    expect(scopeOf([], ['src', 'docs/'], AT)).toEqual(['src', 'docs']);
    expect(scopeOf([], [], AT)).toEqual([]);
  });

  it.each(['../../..', '/srv/repository', '/etc', ''])('are in the repository: not %j', async (typed) => {
    const refused = await refusal(async () => scopeOf([typed], [], AT));
    expect(refused).toMatchObject({ exit: 2, message: expect.stringContaining('--scope takes a folder') });
    const ofProject = await refusal(async () => scopeOf([], [typed === '../../..' ? '..' : typed], AT));
    expect(ofProject).toMatchObject({ exit: 2, message: expect.stringContaining('cc-delegate.yaml') });
  });

  it('are folders, and no globs', async () => {
    expect(scopeOf(['..foo'], [], { ...AT, subdirectory: '' })).toEqual(['..foo']);
    const refused = await refusal(async () => scopeOf(['src/**'], [], AT));
    expect(refused).toMatchObject({ exit: 2, message: expect.stringContaining('not a glob; src/**') });
  });

  it('are a model’s to narrow, not to widen', async () => {
    const top = { ...AT, subdirectory: '' };
    expect(scopeOf(['src/a'], ['src'], top, true)).toEqual(['src/a']);
    expect(scopeOf(['docs'], [], top, true)).toEqual(['docs']);
    expect(scopeOf(['.'], ['src'], top, false)).toEqual(['']);
    for (const typed of ['.', 'docs'])
      expect(await refusal(async () => scopeOf([typed], ['src'], top, true))).toMatchObject({ exit: 5 });
  });

  it('hold what is at or below one of them', () => {
    const scope = ['src', 'README.md'];
    expect(
      ['src/a.ts', 'src', 'README.md', 'src2/a.ts', 'docs/src/a', 'readme.md'].map((path) =>
        isInScope(path, scope),
      ),
    ).toEqual([true, true, true, false, false, false]);
    expect(isInScope('anything', [])).toBe(true);
    expect(isInScope('anything', ['src', ''])).toBe(true);
  });
});
