import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { splitPatch } from '../../src/job/patch-files.ts';
import { git, makeRepository } from '../helpers/repository.ts';

/** The patch of what is in the working tree, as a job's is made. */
function patchOf(files: Record<string, string>, quotePath = false): string {
  const repo = makeRepository({ 'README.md': 'hello\n' });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), content);
  }
  git(repo, 'add', '-A');
  const form = ['-p', '--binary', '--full-index', '--no-renames', '--src-prefix=a/', '--dst-prefix=b/'];
  return git(repo, '-c', `core.quotePath=${quotePath}`, 'diff', '--cached', ...form);
}

it.each([
  'plain.txt',
  'with space.txt',
  'a b/c d',
  'a/b/a/b',
  'ünï.txt',
  'tab\there.txt',
  'quote"and\\slash.txt',
  'new\nline.txt',
  'x b/x.txt',
  'control\u0001.txt',
])('finds the name that git has for %j', (path) => {
  for (const quotePath of [false, true]) {
    expect(splitPatch(patchOf({ [path]: 'content\n' }, quotePath))).toMatchObject([{ path }]);
  }
});

it('takes no line of a file for the beginning of another', () => {
  const content = 'diff --git a/x b/x\n\ndiff --git a/y b/y\n';
  const files = splitPatch(
    patchOf({ 'one.txt': content, 'two.bin': `\0\u0001${content.repeat(50)}`, 'zzz.txt': 'z\n' }),
  );
  expect(files.map(({ path }) => path)).toEqual(['one.txt', 'two.bin', 'zzz.txt']);
  expect(files.map(({ text }) => text).join('')).toContain('GIT binary patch');
});

it('loses nothing of a patch', () => {
  const patch = patchOf({ a: '1\n', b: '2', c: '' });
  expect(
    splitPatch(patch)
      .map(({ text }) => text)
      .join(''),
  ).toBe(patch);
  expect(splitPatch('')).toEqual([]);
});

it('takes both pieces of a file that became a link for one', () => {
  const repo = makeRepository({ link: 'text\n' });
  rmSync(join(repo, 'link'));
  symlinkSync('README.md', join(repo, 'link'));
  git(repo, 'add', '-A');
  const [file, ...others] = splitPatch(git(repo, 'diff', '--cached', '--no-renames'));
  expect(others).toEqual([]);
  expect(file).toMatchObject({ path: 'link' });
  expect(file?.text.match(/^diff --git/gm)).toHaveLength(2);
});
