import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeJobId } from '../../src/job/ids.ts';
import { createClone } from '../../src/workspace/clone.ts';
import { findRepository, resolveBase } from '../../src/workspace/repository.ts';
import { laySnapshot } from '../../src/workspace/snapshot.ts';
import { snapshotOfHead } from '../../src/workspace/snapshot-of-head.ts';
import { git, makeFolder, makeRepository } from '../helpers/repository.ts';
import { refusal } from '../provider/user-error-of.ts';

const LIMITS = { fileBytes: 1000, totalBytes: 5000, files: 50 };

async function snapshotOf(checkout: string) {
  const repository = await findRepository(checkout);
  const home = makeFolder();
  const clone = join(home, 'work');
  const commit = await resolveBase(repository);
  await createClone({ repository, id: makeJobId(Date.now(), 7), commit, branch: 'snapshot', folder: clone });
  const folder = join(home, 'snapshot');
  const snapshot = await laySnapshot({ repository, clone, folder, limits: LIMITS });
  expect(existsSync(folder)).toBe(false);
  return { clone, snapshot, text: (name: string) => readFileSync(join(clone, name), 'utf8') };
}

it('a snapshot has what is changed, staged and new, not what is deleted or ignored', async () => {
  const checkout = makeFolder();
  makeRepository(
    { '.gitignore': 'ignored\n', 'a b.txt': 'old\n', 'staged.txt': 'old\n', 'gone/x.txt': 'x\n' },
    checkout,
  );
  const put = (name: string, text: string) => writeFileSync(join(checkout, name), text);
  put('a b.txt', 'new\n');
  put('staged.txt', 'new\n');
  git(checkout, 'add', 'staged.txt');
  put('ünïcode\n.txt', 'u\n');
  put('ignored', 'secret\n');
  rmSync(join(checkout, 'gone'), { recursive: true });
  const { clone, snapshot, text } = await snapshotOf(checkout);
  expect(text('a b.txt') + text('staged.txt') + text('ünïcode\n.txt')).toBe('new\nnew\nu\n');
  expect(existsSync(join(clone, 'ignored'))).toBe(false);
  expect(existsSync(join(clone, 'gone'))).toBe(false);
  expect(snapshot).toMatchObject({ removed: ['gone/x.txt'], leftOut: [] });
});

it('a folder in the place of a link, and a file in the place of a folder, touch nothing outside', async () => {
  const outside = makeFolder();
  writeFileSync(join(outside, 'x.txt'), 'theirs\n');
  const checkout = makeFolder();
  makeRepository({ 'folder/deep/y.txt': 'y\n', 'keep.txt': 'k\n' }, checkout);
  symlinkSync(outside, join(checkout, 'link'));
  git(checkout, 'add', 'link');
  git(checkout, 'commit', '-qm', 'a link');
  rmSync(join(checkout, 'link'));
  mkdirSync(join(checkout, 'link'));
  writeFileSync(join(checkout, 'link/x.txt'), 'ours\n');
  rmSync(join(checkout, 'folder'), { recursive: true });
  writeFileSync(join(checkout, 'folder'), 'a file now\n');
  const { clone, text } = await snapshotOf(checkout);
  expect(readFileSync(join(outside, 'x.txt'), 'utf8')).toBe('theirs\n');
  expect(lstatSync(join(clone, 'link')).isDirectory()).toBe(true);
  expect(text('link/x.txt') + text('folder')).toBe('ours\na file now\n');
});

it('what is too big, leads out or is a repository of its own is left out, and named', async () => {
  const outside = makeFolder();
  const checkout = makeFolder();
  makeRepository({ 'big.txt': 'small once\n' }, checkout);
  writeFileSync(join(checkout, 'big.txt'), 'x'.repeat(2000));
  symlinkSync(outside, join(checkout, 'out'));
  symlinkSync('big.txt', join(checkout, 'in'));
  mkdirSync(join(checkout, 'nested'));
  makeRepository({ 'n.txt': 'n\n' }, join(checkout, 'nested'));
  const { clone, snapshot } = await snapshotOf(checkout);
  expect(snapshot.leftOut.map(({ path }) => path).sort()).toEqual(['big.txt', 'nested/', 'out']);
  expect(readlinkSync(join(clone, 'in'))).toBe('big.txt');
  // Rather no file than an old one that looks like the user's.
  expect(existsSync(join(clone, 'big.txt'))).toBe(false);
});

describe('a snapshot of HEAD', () => {
  /** The user commits, once the clone of what was HEAD is made, as many `times`. */
  async function whileCommitting(times: number) {
    const checkout = makeFolder();
    makeRepository({ 'a.txt': 'old\n', 'b.txt': 'b\n' }, checkout);
    writeFileSync(join(checkout, 'a.txt'), 'changed\n');
    const folder = makeFolder();
    const bases: string[] = [];
    const commit = (): void => {
      if (bases.length > times) return;
      writeFileSync(join(checkout, 'b.txt'), `b${bases.length}\n`);
      git(checkout, 'commit', '-qam', 'later');
    };
    const clone = join(folder, 'work');
    const taking = snapshotOfHead({
      repository: await findRepository(checkout),
      id: makeJobId(Date.now(), 7),
      clone,
      folder: join(folder, 'snapshot'),
      onBase: (base) => void bases.push(base),
      onCloned: commit,
    });
    return { taking, bases, clone, head: () => git(checkout, 'rev-parse', 'HEAD'), checkout };
  }

  it.each([0, 1, 3])(
    'is of one commit and the work on it, though HEAD moves meanwhile: %i times',
    async (times) => {
      const { taking, bases, clone, head, checkout } = await whileCommitting(times);
      await taking;
      expect(bases).toHaveLength(times + 1);
      expect(bases.at(-1)).toBe(head());
      expect(git(clone, 'rev-parse', 'HEAD')).toBe(head());
      for (const name of ['a.txt', 'b.txt'])
        expect(readFileSync(join(clone, name), 'utf8')).toBe(readFileSync(join(checkout, name), 'utf8'));
    },
  );

  it('is none, where HEAD never stands still', async () => {
    const { taking, bases } = await whileCommitting(Number.POSITIVE_INFINITY);
    expect(await refusal(() => taking)).toMatchObject({ code: 'checkout_moving', exit: 6 });
    expect(bases.length).toBeLessThan(20);
  });
});
