import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, writeFiles } from '../helpers/repository.ts';
import { bash, makeWorld } from '../helpers/world.ts';

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`);
const at = (changes: Record<number, string>) =>
  LINES.map((line, index) => changes[index + 1] ?? line).join('');

/** Every file with mode and bytes, every folder, and the index, byte for byte. */
function snapshot(repository: string): Record<string, string> {
  const found: Record<string, string> = {
    '.git/index': readFileSync(join(repository, '.git/index'), 'hex'),
    HEAD: git(repository, 'rev-parse', 'HEAD'),
    stash: git(repository, 'for-each-ref', 'refs/stash', 'refs/heads/main'),
  };
  const visit = (folder: string): void => {
    for (const name of readdirSync(join(repository, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (path === '.git' || path === '.cc-delegate') continue;
      const full = join(repository, path);
      const status = lstatSync(full);
      const mode = status.mode.toString(8);
      if (status.isDirectory()) visit(path);
      const content = status.isSymbolicLink()
        ? readlinkSync(full)
        : status.isFile()
          ? readFileSync(full, 'hex')
          : '';
      found[path] = `${mode} ${content}`;
    }
  };
  visit('');
  return found;
}

const WORK = [
  "sed -i '20s/.*/worker/' both.txt",
  'rm gone.txt',
  'chmod +x run.sh; echo "echo more" >> run.sh',
  'mkdir -p new/deep; printf "a\\0b\\377" > new/deep/binary; ln -s deep/binary new/link',
].join('; ');

/** A checkout with staged, unstaged and untracked work, a link and odd modes, none of it in the worker's lines. */
async function makeScene() {
  const world = await makeWorld({
    files: {
      '.gitignore': '*.log\n',
      'both.txt': at({}),
      'gone.txt': 'gone\n',
      'run.sh': '#!/bin/sh\n',
      'staged.txt': 'staged\n',
      'twice.txt': 'twice\n',
      'unstaged.bin': Buffer.from([0, 255, 13, 10]),
    },
    script: [{ calls: [bash(WORK)] }, { text: 'done' }],
  });
  const { repository } = world;
  const id = await world.start();
  await world.ended(id);
  writeFiles(repository, { 'staged.txt': 'staged by me\n', 'twice.txt': 'first\n', 'added.txt': 'added\n' });
  git(repository, 'add', 'staged.txt', 'twice.txt', 'added.txt');
  writeFiles(repository, {
    'both.txt': at({ 3: 'mine\r\n' }),
    'twice.txt': 'second\n',
    'unstaged.bin': Buffer.from([1, 0, 254, 10, 13]),
    'untracked/u.txt': 'untracked\n',
    'ignored.log': 'ignored\n',
  });
  chmodSync(join(repository, 'untracked/u.txt'), 0o640);
  chmodSync(join(repository, 'staged.txt'), 0o600);
  return { world, repository, id };
}

describe('apply and undo on a checkout with staged, unstaged and untracked work', () => {
  it('take nothing of it, and give every byte, mode and index entry back', async () => {
    const { world, repository, id } = await makeScene();
    const before = snapshot(repository);

    const check = await world.run(['apply', id, '--check', '--json']);
    expect(check.exit).toBe(0);
    expect(snapshot(repository)).toEqual(before);

    expect(await world.run(['apply', id])).toMatchObject({ exit: 0, stderr: '' });
    const after = snapshot(repository);
    const expected: Record<string, string> = {
      ...before,
      'both.txt': `100644 ${Buffer.from(at({ 3: 'mine\r\n', 20: 'worker\n' })).toString('hex')}`,
      'run.sh': `100755 ${Buffer.from('#!/bin/sh\necho more\n').toString('hex')}`,
      new: '40755 ',
      'new/deep': '40755 ',
      'new/deep/binary': '100644 610062ff',
      'new/link': '120777 deep/binary',
      '.git/index': after['.git/index'] ?? '',
    };
    delete expected['gone.txt'];
    expect(after).toEqual(expected);
    expect(git(repository, 'diff', '--cached', '--name-status').split('\n')).toEqual([
      'A\tadded.txt',
      'M\tboth.txt',
      'D\tgone.txt',
      'A\tnew/deep/binary',
      'A\tnew/link',
      'M\trun.sh',
      'M\tstaged.txt',
      'M\ttwice.txt',
    ]);
    expect(git(repository, 'show', ':twice.txt')).toBe('first');

    const again = await world.run(['apply', id]);
    expect(again).toMatchObject({ exit: 0, stdout: expect.stringContaining('already') });
    expect(snapshot(repository)).toEqual(after);

    expect((await world.run(['undo', id])).exit).toBe(0);
    expect(snapshot(repository)).toEqual(before);
    expect((await world.run(['undo', id])).exit).toBe(4);
    expect(snapshot(repository)).toEqual(before);
    expect((await world.run(['apply', id])).exit).toBe(0);
    expect({ ...snapshot(repository), '.git/index': '' }).toEqual({ ...after, '.git/index': '' });
  });

  it('GIT-45 are refused where both changed the same, with every byte as it was, and work later', async () => {
    const { world, repository, id } = await makeScene();
    const scenes: readonly [path: string, make: () => void, unmake: () => void][] = [
      [
        'both.txt',
        () => writeFileSync(join(repository, 'both.txt'), at({ 20: 'user\n' })),
        () => writeFileSync(join(repository, 'both.txt'), at({})),
      ],
      [
        'new/deep/binary',
        () => writeFiles(repository, { 'new/deep/binary': 'mine\n' }),
        () => rmSync(join(repository, 'new'), { recursive: true }),
      ],
      [
        'gone.txt',
        () => writeFileSync(join(repository, 'gone.txt'), 'edited\n'),
        () => writeFileSync(join(repository, 'gone.txt'), 'gone\n'),
      ],
    ];
    for (const [path, make, unmake] of scenes) {
      make();
      const before = snapshot(repository);
      const refused = await world.run(['apply', id, '--json']);
      expect(refused.exit).toBe(1);
      expect(refused.json()).toMatchObject({ verdict: 'conflict' });
      expect(refused.stdout).toContain(path);
      expect(snapshot(repository)).toEqual(before);
      expect(world.record(id).disposition).toBe('none');
      unmake();
    }
    expect((await world.run(['apply', id])).exit).toBe(0);
  });
});
