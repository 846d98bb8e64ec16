import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identify } from '../../../src/store/liveness.ts';
import { applyResult } from '../../../src/workspace/apply/act.ts';
import { git, makeFolder } from '../../helpers/repository.ts';
import { line, read, refused, staged } from './looks.ts';
import { text } from './random.ts';
import { commitAside, makeScene, snapshot, type Tree, writeTree } from './scene.ts';

describe('apply changes nothing', () => {
  it.each<[string, Tree, Tree, (repository: string) => void, RegExp]>([
    [
      'when the same line was changed (GIT-45)',
      { f: text(), g: 'g\n' },
      { f: line(2, 'a'), g: 'h\n' },
      (at) => writeTree(at, { f: line(2, 'b') }),
      /near line 3/,
    ],
    [
      'when an untracked file is in the way (GIT-45)',
      {},
      { n: 'n\n' },
      (at) => writeTree(at, { n: 'mine\n' }),
      /another uncommitted file/,
    ],
    [
      'when an ignored file is in the way',
      { '.gitignore': 'n\n' },
      { n: 'n\n' },
      (at) => writeTree(at, { n: 'mine\n' }),
      /another uncommitted file/,
    ],
    [
      'when a folder is in the way',
      {},
      { n: 'n\n' },
      (at) => writeTree(at, { 'n/x': 'x\n' }),
      /folder is in the way: n\/x/,
    ],
    [
      'when a parent is a link',
      {},
      { 'd/n': 'n\n' },
      (at) => symlinkSync(makeFolder(), join(at, 'd')),
      /d is a symbolic link/,
    ],
    [
      'in another repository',
      {},
      { 'd/n': 'n\n' },
      (at) => {
        mkdirSync(join(at, 'd'));
        git(join(at, 'd'), 'init', '-q');
      },
      /repository of its own/,
    ],
    [
      'when both changed a binary file',
      { b: Buffer.from([0, 1]) },
      { b: Buffer.from([0, 2]) },
      (at) => writeTree(at, { b: Buffer.from([0, 3]) }),
      /not text/,
    ],
    [
      'below a submodule',
      {},
      { 'd/n': 'n\n' },
      (at) => git(at, 'update-index', '--add', '--cacheinfo', `160000,${git(at, 'rev-parse', 'HEAD')},d`),
      /d is a submodule/,
    ],
    [
      'where an attribute forbids a merge',
      { '.gitattributes': 'f -merge\n', f: text() },
      { f: line(2, 'a') },
      (at) => writeTree(at, { f: line(11, 'b') }),
      /merge attribute/,
    ],
    [
      'to what skip-worktree hides',
      { f: 'f\n' },
      { f: 'g\n' },
      (at) => git(at, 'update-index', '--skip-worktree', 'f'),
      /skip-worktree/,
    ],
    [
      'to what is assumed unchanged',
      { f: 'f\n' },
      { f: 'g\n' },
      (at) => git(at, 'update-index', '--assume-unchanged', 'f'),
      /assume-unchanged/,
    ],
    [
      'to what is added with -N',
      {},
      { n: 'n\n' },
      (at) => {
        writeTree(at, { n: 'n\n' });
        git(at, 'add', '-N', 'n');
      },
      /git add -N/,
    ],
    [
      'when only the case differs',
      { File: 'f\n' },
      { file: 'n\n' },
      (at) => git(at, 'config', 'core.ignoreCase', 'true'),
      /File is there/,
    ],
  ])('%s', async (_, base, changes, user, why) => {
    const { repository, request } = await makeScene(base, changes);
    user(repository);
    const before = snapshot(repository);
    const applied = await applyResult(request);
    expect(applied.kind).toBe('conflict');
    expect(applied.plan.files.map((file) => file.why).join()).toMatch(why);
    expect(snapshot(repository)).toEqual(before);
  });

  it('to a path with an open merge', async () => {
    const { repository, request, base } = await makeScene({ f: 'f\n' }, { f: 'g\n' });
    const other = commitAside(repository, base, { f: 'other\n' });
    writeTree(repository, { f: 'mine\n' });
    git(repository, 'commit', '-q', '-a', '-m', 'mine');
    expect(() => git(repository, 'merge', '-q', other)).toThrow();
    const before = snapshot(repository);
    expect((await applyResult(request)).plan.files[0]?.why).toMatch(/open merge/);
    expect(snapshot(repository)).toEqual(before);
  });

  it.each<[string, Tree]>([
    ['files that decide what runs here', { '.github/workflows/ci.yml': 'on: push\n' }],
    ['links that lead out of the repository', { 'deep/out': { link: '../../etc/passwd' } }],
    ['links to an absolute path', { out: { link: '/etc/hostname' } }],
  ])('to %s without the user’s word', async (_, changes) => {
    const { repository, request } = await makeScene({}, changes);
    const error = await refused(repository, 'control_plane', () => applyResult(request));
    expect(error.explanation.exit).toBe(5);
    expect((await applyResult({ ...request, allowControlPlane: true })).kind).toBe('applied');
  });

  it('while another git holds the index', async () => {
    const { repository, request } = await makeScene({}, { n: 'n\n' });
    writeFileSync(join(repository, '.git/index.lock'), '');
    const error = await refused(repository, 'index_locked', () => applyResult(request));
    expect(error.explanation).toMatchObject({ exit: 4, value: join(repository, '.git/index.lock') });
  });

  it('while another apply is at work; one of many at once does the work', async () => {
    const { repository, request } = await makeScene({}, { n: 'n\n' });
    const ends = await Promise.allSettled([1, 2, 3].map(() => applyResult(request)));
    const kinds = ends.map((end) =>
      end.status === 'fulfilled' ? end.value.kind : end.reason.explanation?.code,
    );
    expect(kinds.filter((kind) => kind === 'applied')).toHaveLength(1);
    for (const kind of kinds) expect(['applied', 'already_applied', 'apply_running']).toContain(kind);
    expect(staged(repository)).toBe('A\tn');
  });

  it.each(['write 0', 'write 1', 'folders', 'commit', 'index', 'head', 'finish'])(
    'when an error comes before "%s"',
    async (step) => {
      const { repository, request } = await makeScene(
        { f: 'f\n', 'd/x': 'x\n' },
        { f: 'g\n', 'd/x': null, 'e/y': 'y\n' },
      );
      const before = snapshot(repository);
      const pause = (now: string) => {
        if (now === step) throw new Error('here');
      };
      await expect(applyResult({ ...request, pause })).rejects.toThrow('here');
      expect(snapshot(repository)).toEqual(before);
      expect((await applyResult(request)).kind).toBe('applied');
    },
  );

  it('when a file changes under its hands', async () => {
    const { repository, request } = await makeScene({ f: 'f\n', g: 'g\n' }, { f: 'F\n', g: 'G\n' });
    const pause = (now: string) => {
      if (now === 'write 1') writeTree(repository, { g: 'mine\n' });
    };
    await expect(applyResult({ ...request, pause })).rejects.toMatchObject({
      explanation: { code: 'changed_meanwhile' },
    });
    expect([read(repository, 'f'), read(repository, 'g'), staged(repository)]).toEqual(['f\n', 'mine\n', '']);
  });
});

describe('a lock that a dead process of ours left', () => {
  it('is recognised and cleared', async () => {
    const { repository, request } = await makeScene({}, { n: 'n\n' });
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']);
    await once(child, 'spawn');
    const runner = identify(child.pid);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const left = JSON.stringify({ by: 'cc-delegate apply', token: 'x', runner, journals: [] });
    writeFileSync(join(repository, '.git/index.lock'), left);
    expect((await applyResult(request)).kind).toBe('applied');
    expect(snapshot(repository)['.git']).toBe('index');
  });
});
