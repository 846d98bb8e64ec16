import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceFiles } from '../../src/workspace/files.ts';
import { globToRegExp } from '../../src/workspace/files-glob.ts';
import { makeFolder, writeFiles } from '../helpers/repository.ts';

function makeTree() {
  const root = makeFolder();
  writeFiles(root, {
    'README.md': 'one two\n',
    'src/a.ts': 'one\r\ntwo\r\n',
    'src/deep/b.tsx': 'three one\n',
    'src/binary': Buffer.from('one\0'),
    'src/latin': Buffer.from('one \xe9\n', 'latin1'),
    'node_modules/p/index.js': 'one\n',
    '.git/config': 'one\n',
    '.github/w.yml': 'one\n',
  });
  symlinkSync('/etc', join(root, 'etc'));
  return { root, files: workspaceFiles(root) };
}

describe('grep', () => {
  it.each([
    [
      'everywhere but in .git, node_modules, binaries and links',
      { pattern: '^one' },
      '.github/w.yml:1:one\nREADME.md:1:one two\nsrc/a.ts:1:one\nsrc/latin:1:one é',
    ],
    ['below a folder', { pattern: 'one', path: 'src/deep' }, 'src/deep/b.tsx:1:three one'],
    ['in one file', { pattern: 't.o$', path: 'src/a.ts' }, 'src/a.ts:2:two'],
    ['in files of a kind', { pattern: 'one', glob: '*.ts*' }, 'src/a.ts:1:one\nsrc/deep/b.tsx:1:three one'],
    [
      'in node_modules when it is named',
      { pattern: 'one', path: 'node_modules' },
      'node_modules/p/index.js:1:one',
    ],
    ['in vain', { pattern: 'four' }, 'nothing matches'],
  ])('searches %s', async (_, args, text) => {
    expect(await makeTree().files.grep(args)).toMatchObject({ ok: true, text });
  });

  it.each([
    [{ pattern: '(' }, 'bad_pattern'],
    [{ pattern: 'x', path: 'nowhere' }, 'not_found'],
    [{ pattern: 'x', path: '../..' }, 'outside'],
    [{ pattern: 'x', glob: '[z-a]' }, 'bad_pattern'],
  ])('refuses %j: %s', async (args, code) => {
    expect(await makeTree().files.grep(args)).toMatchObject({ ok: false, code });
  });

  it('stops a pattern that would take for ever', async () => {
    const { root, files } = makeTree();
    writeFiles(root, { trap: `${'a'.repeat(60)}!\n` });
    expect(await files.grep({ pattern: '(a+)+$' })).toMatchObject({ ok: false, code: 'too_slow' });
  });

  it('shows a bounded number of lines, each of a bounded length', async () => {
    const { root, files } = makeTree();
    writeFiles(root, { many: `needle ${'x'.repeat(1_000)}\n`.repeat(1_000) });
    const { text } = await files.grep({ pattern: 'needle' });
    expect(text.split('\n')).toHaveLength(201);
    expect(text).toMatch(/only the first 200 lines are shown; narrow the search\]$/);
    expect(text.length).toBeLessThan(70_000);
  });
});

describe('glob', () => {
  it('lists what matches, sorted, without .git, node_modules and what links lead to', async () => {
    const { files, root } = makeTree();
    const all = '.github/w.yml\nREADME.md\nsrc/a.ts\nsrc/binary\nsrc/deep/b.tsx\nsrc/latin';
    expect(await files.glob({ pattern: '**' })).toMatchObject({ ok: true, text: all });
    expect(await files.glob({ pattern: `${root}/src/*.ts` })).toMatchObject({ text: 'src/a.ts' });
    expect(await files.glob({ pattern: 'node_modules/**' })).toMatchObject({
      text: 'node_modules/p/index.js',
    });
    expect(await files.glob({ pattern: '*.py' })).toMatchObject({ text: 'no file matches' });
  });

  it('is not made slow by many stars', async () => {
    const { root, files } = makeTree();
    writeFiles(root, { ['a'.repeat(200)]: '' });
    const started = Date.now();
    await files.glob({ pattern: `${'*a'.repeat(30)}*b` });
    expect(Date.now() - started).toBeLessThan(10_000);
  });
});

describe('a glob', () => {
  it.each([
    ['*.ts', ['a.ts', 'x/y/a.ts'], ['a.tsx', 'a.ts/b']],
    ['src/*.ts', ['src/a.ts'], ['src/x/a.ts', 'x/src/a.ts', 'src/a_ts']],
    ['src/**/*.ts', ['src/a.ts', 'src/x/y/a.ts'], ['srcx/a.ts']],
    ['**/a.ts', ['a.ts', 'x/y/a.ts'], ['xa.ts']],
    ['src/**', ['src/a', 'src/x/y'], ['srcx/a']],
    ['./src/?.ts', ['src/a.ts'], ['src/ab.ts', 'src//.ts']],
    ['src/[a-c].ts', ['src/b.ts'], ['src/d.ts']],
    ['src/[!a-c].ts', ['src/d.ts'], ['src/a.ts', 'src//.ts']],
    ['src/*.{ts,js{,on}}', ['src/a.ts', 'src/a.js', 'src/a.json'], ['src/a.tsx']],
    ['a,b{c', ['a,b{c'], ['a']],
    ['a\\*b', ['a*b'], ['axb']],
    ['a+(b).$', ['a+(b).$'], ['aab']],
    ['a[b', ['a[b'], ['ab']],
  ])('%s', (glob, matching, others) => {
    const expression = globToRegExp(glob);
    expect(matching.filter((path) => !expression.test(path))).toEqual([]);
    expect(others.filter((path) => expression.test(path))).toEqual([]);
  });
});
