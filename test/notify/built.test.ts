import { cpSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUILT, isOutdated, outdatedProgram, sourcesDigest } from '../../src/notify/built.ts';
import { git, makeRepository } from '../helpers/repository.ts';

/** A checkout that was built a minute ago, from what is in it. */
function checkout() {
  const root = makeRepository();
  const program = join(root, 'dist');
  for (const folder of ['src/cli', 'scripts', 'dist']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'src/cli/main.ts'), 'one\n');
  writeFileSync(join(root, 'src/other.ts'), 'two\n');
  writeFileSync(join(root, 'scripts/build.ts'), '\n');
  writeFileSync(join(root, 'package-lock.json'), '{}\n');
  writeFileSync(join(root, '.gitignore'), 'dist\n');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'sources');
  const built = join(program, BUILT);
  writeFileSync(built, JSON.stringify({ version: '1.2.3', sources: sourcesDigest(root) }));
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
  utimesSync(join(root, '.git/logs/HEAD'), ago(120), ago(120));
  utimesSync(built, ago(60), ago(60));
  return { root, program };
}

describe('a program in a checkout', () => {
  it.each([
    ['a file was changed', (root: string) => writeFileSync(join(root, 'src/other.ts'), 'three\n')],
    ['a file came', (root: string) => writeFileSync(join(root, 'src/cli/more.ts'), '')],
    ['a file went', (root: string) => rmSync(join(root, 'src/other.ts'))],
    ['a file was renamed', (root: string) => renameSync(join(root, 'src/other.ts'), join(root, 'src/x.ts'))],
    [
      'other packages are built in',
      (root: string) => writeFileSync(join(root, 'package-lock.json'), '{ }\n'),
    ],
    ['nobody knows what it was built from', (root: string) => rmSync(join(root, 'dist', BUILT))],
  ])('is outdated when %s; a session says so once it is committed', (_, change) => {
    const { root, program } = checkout();
    expect(isOutdated(program)).toBe(false);
    change(root);
    expect(isOutdated(program)).toBe(true);
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'more', '--allow-empty');
    expect(outdatedProgram(program)).toBe(
      `cc-delegate: the program is built from older sources than there are; run: cd '${root}' && npm ci && npm run build`,
    );
  });

  it('is not outdated by a time, a commit or a place', () => {
    const { root, program } = checkout();
    writeFileSync(join(root, 'README.md'), 'more\n');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'more');
    writeFileSync(join(root, 'src/other.ts'), 'two\n');
    expect([isOutdated(program), outdatedProgram(program)]).toEqual([false, null]);
    const copy = makeRepository();
    cpSync(root, copy, { recursive: true });
    expect(isOutdated(join(copy, 'dist'))).toBe(false);
  });

  it('costs a session no look at its sources while git has not moved it', () => {
    const { root, program } = checkout();
    writeFileSync(join(root, 'src/other.ts'), 'three\n');
    expect(outdatedProgram(program)).toBeNull();
  });
});

it('a published program is never outdated', () => {
  const { root, program } = checkout();
  rmSync(join(root, 'src'), { recursive: true });
  rmSync(join(program, BUILT));
  git(root, 'commit', '-qam', 'gone');
  expect([isOutdated(program), outdatedProgram(program)]).toEqual([false, null]);
});
