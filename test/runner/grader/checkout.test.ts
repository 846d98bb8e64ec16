import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { evidenceIn } from '../../../src/runner/grader/checkout.ts';
import { git, makeRepository, writeFiles } from '../../helpers/repository.ts';

it('holds evidence against the commit: lines that exist, in files of the work or deleted by it', async () => {
  const root = makeRepository({ 'src/a.ts': 'one\ntwo', 'empty.txt': '', 'my file.md': 'x\n' });
  symlinkSync('/etc/passwd', join(root, 'link'));
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'work');
  // What lies beside the commit is not the work.
  writeFiles(root, { 'src/later.ts': 'x\n', 'src/a.ts': 'one\ntwo\nthree\nfour\n' });
  const gone = {
    path: 'old.ts',
    status: 'D',
    insertions: 0,
    deletions: 1,
    binary: false,
    flags: [],
  } as const;
  const exists = evidenceIn({
    gitDir: join(root, '.git'),
    root,
    collected: { commit: git(root, 'rev-parse', 'HEAD'), files: [gone] },
  });
  const found = async (path: string, line: number) => `${path}:${line} ${await exists({ path, line })}`;
  expect([
    await found('src/a.ts', 1),
    await found('src/a.ts', 2),
    await found(join(root, 'src/a.ts'), 2),
    await found('my file.md', 1),
    await found('old.ts', 1),
  ]).toEqual([
    'src/a.ts:1 true',
    'src/a.ts:2 true',
    `${join(root, 'src/a.ts')}:2 true`,
    'my file.md:1 true',
    'old.ts:1 true',
  ]);
  for (const [path, line] of [
    ['src/a.ts', 0],
    ['src/a.ts', 3],
    ['src/later.ts', 1],
    ['empty.txt', 1],
    ['src', 1],
    ['link', 2],
    ['../a.ts', 1],
    ['/etc/passwd', 1],
    ['--help', 1],
  ] as const) {
    expect(await found(path, line)).toBe(`${path}:${line} false`);
  }
});
