import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baseOfCheckout } from '../../src/workspace/base-of-checkout.ts';
import { findRepository } from '../../src/workspace/repository.ts';
import { git, makeFolder, makeRepository, writeFiles } from '../helpers/repository.ts';
import { refusal } from '../provider/user-error-of.ts';
import { snapshot } from './apply/scene.ts';

const LIMITS = { fileBytes: 1000, totalBytes: 5000, files: 50 };

/** Takes the base, and sees to it that nothing of the user's has moved. */
async function baseOf(checkout: string, limits = LIMITS) {
  const before = snapshot(checkout);
  const made = await baseOfCheckout(await findRepository(checkout), limits);
  expect(snapshot(checkout)).toEqual(before);
  const names = git(checkout, 'ls-tree', '-r', '-z', '--full-tree', '--name-only', made.commit)
    .split('\0')
    .filter(Boolean);
  return { ...made, names, text: (path: string) => git(checkout, 'show', `${made.commit}:${path}`) };
}

/** Leaves the file `m` in conflict. */
function openMerge(checkout: string): void {
  git(checkout, 'checkout', '-qb', 'other');
  writeFiles(checkout, { m: 'theirs\n' });
  git(checkout, 'commit', '-qam', 'theirs');
  git(checkout, 'checkout', '-q', '-');
  writeFiles(checkout, { m: 'ours\n' });
  git(checkout, 'commit', '-qam', 'ours');
  expect(() => git(checkout, 'merge', '-q', 'other')).toThrow();
}

describe('the base that has the uncommitted work', () => {
  it('has what is changed, staged, new, moved and executable, not what is deleted or ignored', async () => {
    const checkout = makeRepository({
      '.gitignore': 'ignored\n*.log\n',
      'a b.txt': 'old\n',
      'staged.txt': 'old\n',
      'twice.txt': 'old\n',
      'gone/x.txt': 'x\n',
      'moved.txt': 'm\n',
      'same.txt': 's\n',
    });
    writeFiles(checkout, { 'a b.txt': 'new', 'staged.txt': 'new', 'twice.txt': 'staged' });
    git(checkout, 'add', 'staged.txt', 'twice.txt');
    writeFiles(checkout, { 'twice.txt': 'last', 'ünï\ncode.txt': 'u', ignored: 'secret', 'x.log': 'l' });
    rmSync(join(checkout, 'gone'), { recursive: true });
    renameSync(join(checkout, 'moved.txt'), join(checkout, 'there.txt'));
    git(checkout, 'update-index', '--chmod=+x', 'same.txt');
    const { names, text, taken, leftOut, commit, head } = await baseOf(checkout);
    expect(names).toEqual([
      '.gitignore',
      'a b.txt',
      'same.txt',
      'staged.txt',
      'there.txt',
      'twice.txt',
      'ünï\ncode.txt',
    ]);
    expect(['a b.txt', 'staged.txt', 'twice.txt', 'ünï\ncode.txt'].map(text)).toEqual([
      'new',
      'new',
      'last',
      'u',
    ]);
    expect(taken).toEqual(expect.arrayContaining(['gone/x.txt', 'moved.txt', 'there.txt', 'twice.txt']));
    expect(leftOut).toEqual([]);
    expect(git(checkout, 'rev-parse', `${commit}^`)).toBe(head);
    expect(head).toBe(git(checkout, 'rev-parse', 'HEAD'));
  });

  it('is HEAD itself where nothing is uncommitted, and the same commit for the same files', async () => {
    const checkout = makeRepository({ a: 'a\n' });
    expect(await baseOf(checkout)).toMatchObject({ commit: git(checkout, 'rev-parse', 'HEAD'), taken: [] });
    writeFiles(checkout, { a: 'b\n' });
    const { commit } = await baseOf(checkout);
    expect((await baseOf(checkout)).commit).toBe(commit);
    expect(git(checkout, 'show', '-s', '--format=%an <%ae> %s', commit)).toMatch(
      /^cc-delegate <.*> Uncommitted/,
    );
  });

  it('takes a link as a link, a file in a folder’s place and a folder in a file’s', async () => {
    const checkout = makeRepository({ 'folder/y': 'y\n', file: 'f\n' });
    symlinkSync('/etc/hostname', join(checkout, 'out'));
    rmSync(join(checkout, 'folder'), { recursive: true });
    rmSync(join(checkout, 'file'));
    writeFiles(checkout, { folder: 'a file now', 'file/x': 'x' });
    const { names, text, leftOut } = await baseOf(checkout);
    expect([names, leftOut]).toEqual([['file/x', 'folder', 'out'], []]);
    expect([text('out'), text('folder'), text('file/x')]).toEqual(['/etc/hostname', 'a file now', 'x']);
  });

  it('has the lines with the ends that git would commit, and sees an open merge as the files are', async () => {
    const checkout = makeRepository({ '.gitattributes': '*.txt text\n', 'a.txt': 'a\n', m: 'm\n' });
    openMerge(checkout);
    writeFiles(checkout, { 'a.txt': 'a\r\nb\r\n' });
    const { text } = await baseOf(checkout);
    expect(text('a.txt')).toBe('a\nb');
    expect(text('m')).toContain('<<<<<<<');
  });

  it('leaves a submodule as HEAD has it, and repositories within and big files out, by name', async () => {
    const library = makeRepository({ l: 'l\n' });
    const checkout = makeRepository({ a: 'a\n', 'big.txt': 'small once\n' });
    git(checkout, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
    git(checkout, 'commit', '-qm', 'a library');
    git(join(checkout, 'lib'), 'commit', '-q', '--allow-empty', '-m', 'nowhere else');
    mkdirSync(join(checkout, 'nested'));
    git(join(checkout, 'nested'), 'init', '-q');
    writeFiles(checkout, {
      'nested/n': 'n',
      'big.txt': 'x'.repeat(2000),
      'new.bin': 'x'.repeat(1001),
      b: 'b',
    });
    const { names, text, taken, leftOut, commit } = await baseOf(checkout);
    expect(names).toEqual(['.gitmodules', 'a', 'b', 'big.txt', 'lib']);
    expect(text('big.txt')).toBe('small once');
    expect(git(checkout, 'rev-parse', `${commit}:lib`)).toBe(git(checkout, 'rev-parse', 'HEAD:lib'));
    expect(taken).toEqual(['b']);
    expect(leftOut.map(({ path }) => path).sort()).toEqual(['big.txt', 'lib', 'nested/', 'new.bin']);
  });

  it('is refused for more than could be meant, and says where that is', async () => {
    const checkout = makeRepository({ a: 'a\n' });
    writeFiles(checkout, { 'lib/b': 'b'.repeat(900), 'lib/c': 'c'.repeat(900), d: 'd' });
    const repository = await findRepository(checkout);
    for (const limits of [
      { ...LIMITS, files: 2 },
      { ...LIMITS, totalBytes: 1000 },
    ]) {
      expect(await refusal(() => baseOfCheckout(repository, limits))).toMatchObject({
        code: 'too_much_uncommitted',
        exit: 6,
        value: expect.stringMatching(/^(3 files|1 MB), most of the files in lib\//),
      });
    }
  });

  it('leaves out what is too big though it is staged, unmerged, or tracked and ignored', async () => {
    const big = 'x'.repeat(2000);
    const checkout = makeRepository({ '.gitignore': 'data/\n', m: 'm\n', grown: 'g\n' });
    writeFiles(checkout, { 'data/t.bin': 'small\n' });
    git(checkout, 'add', '-f', 'data/t.bin');
    git(checkout, 'commit', '-qm', 'data');
    openMerge(checkout);
    writeFiles(checkout, { m: big, 'staged.bin': big, 'data/t.bin': big, grown: 'in between\n' });
    git(checkout, 'add', 'staged.bin', 'grown');
    writeFiles(checkout, { grown: big, s: 's' });
    const { text, taken, leftOut } = await baseOf(checkout);
    expect([taken, leftOut.map(({ path }) => path).sort()]).toEqual([
      ['s'],
      ['data/t.bin', 'grown', 'm', 'staged.bin'],
    ]);
    expect(['m', 'grown', 'data/t.bin'].map(text)).toEqual(['ours', 'g', 'small']);
  });

  it.each(['.cc-delegate/\n', '.*\n', 'ignored\n'])(
    'does not have our own store, with %j ignored',
    async (ignored) => {
      const checkout = makeRepository({ a: 'a\n' });
      writeFiles(checkout, { '.gitignore': ignored, '.cc-delegate/jobs/x.json': '{}', b: 'b' });
      const { names } = await baseOf(checkout);
      expect(names.filter((name) => name !== '.gitignore')).toEqual(['a', 'b']);
    },
  );

  it('takes out what was taken out of the index, a submodule too, and what a link stands for now', async () => {
    const library = makeRepository({ one: '1\n' });
    const checkout = makeRepository({ '.env': 'old\n', 'dir/f': 'f\n', 'kept.txt': 'k\n' });
    git(checkout, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
    git(checkout, 'commit', '-qm', 'a library');
    git(checkout, 'rm', '-q', '--cached', '.env', 'kept.txt', 'lib');
    rmSync(join(checkout, 'lib/.git'));
    git(checkout, 'add', 'lib/one');
    writeFiles(checkout, { '.gitignore': '.env\n', '.env': 'SECRET\n' });
    rmSync(join(checkout, 'dir'), { recursive: true });
    symlinkSync('lib', join(checkout, 'dir'));
    const { names, text } = await baseOf(checkout);
    expect(names).toEqual(['.gitignore', '.gitmodules', 'dir', 'kept.txt', 'lib/one']);
    expect(text('dir')).toBe('lib');
  });

  it('has names that are no text, and leaves a repository of such a name out', async () => {
    const checkout = makeRepository({ a: 'a\n' });
    const odd = (rest: string) =>
      Buffer.concat([Buffer.from(`${checkout}/`), Buffer.of(0xff), Buffer.from(rest)]);
    writeFileSync(odd('.txt'), 'odd');
    git(checkout, 'init', '-q', 'nested');
    git(join(checkout, 'nested'), 'commit', '-q', '--allow-empty', '-m', 'x');
    renameSync(join(checkout, 'nested'), odd('nested'));
    const { commit, leftOut } = await baseOfCheckout(await findRepository(checkout));
    expect(git(checkout, 'ls-tree', '--name-only', commit)).toBe('a\n"\\377.txt"');
    expect(leftOut).toEqual([{ path: '\uFFFDnested/', why: 'a repository of its own' }]);
  });

  it('is of the moment of HEAD’s commit whatever git is told to print', async () => {
    const checkout = makeRepository({ a: 'a\n' });
    git(checkout, 'config', 'log.showSignature', 'true');
    git(checkout, 'config', 'i18n.logOutputEncoding', 'UTF-16');
    writeFiles(checkout, { a: 'b\n' });
    const { commit, head } = await baseOf(checkout);
    const dates = [commit, head].map(
      (each) => /^committer .* (\d+) /m.exec(git(checkout, 'cat-file', 'commit', each))?.[1],
    );
    expect(dates[0]).toBe(dates[1]);
  });

  it('is of the whole checkout wherever one stands, also of a sparse one and of a worktree', async () => {
    const checkout = makeRepository({ 'in/a': 'a\n', 'out/b': 'b\n', top: 't\n' });
    git(checkout, 'sparse-checkout', 'set', 'in');
    const tree = join(makeFolder(), 'tree');
    git(checkout, 'worktree', 'add', '-q', tree);
    writeFiles(checkout, { 'in/a': 'new', 'out/new': 'n' });
    writeFiles(tree, { top: 'of the worktree' });
    const { text, names } = await baseOf(join(checkout, 'in'));
    expect(names).toEqual(['in/a', 'out/b', 'out/new', 'top']);
    expect(text('in/a')).toBe('new');
    const other = await baseOfCheckout(await findRepository(tree));
    expect(git(tree, 'show', `${other.commit}:top`)).toBe('of the worktree');
  });

  it('is refused, with git’s own words, where git cannot take a file', async () => {
    const checkout = makeRepository({ a: 'a\n' });
    writeFiles(checkout, { 'x.txt': 'x', '.gitattributes': '*.txt filter=broken\n' });
    git(checkout, 'config', 'filter.broken.clean', 'false');
    git(checkout, 'config', 'filter.broken.required', 'true');
    const error = await refusal(async () => baseOfCheckout(await findRepository(checkout)));
    expect(error).toMatchObject({
      code: 'checkout_unreadable',
      exit: 6,
      value: expect.stringContaining('x.txt'),
    });
    expect(readFileSync(join(checkout, 'x.txt'), 'utf8')).toBe('x');
  });
});
