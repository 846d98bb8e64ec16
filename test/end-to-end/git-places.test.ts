import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/engine/scripted/turn.ts';
import type { JobId } from '../../src/job/ids.ts';
import { gatedScript, makeGate } from '../helpers/gate.ts';
import { git, makeRepository, writeFiles } from '../helpers/repository.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';

const WRITES: readonly Turn[] = [{ calls: [write('w.txt', 'work\n')] }, { text: 'done' }];

async function filesOf(world: World, id: JobId, cwd = world.repository): Promise<string[]> {
  const { stdout } = await world.run(['diff', id, '--name-only'], { cwd });
  return stdout.trim().split('\n').sort();
}

describe('GIT-38 a repository git does not trust', () => {
  it('is an error in the words of git, never "no changes", and the work is kept', async (test) => {
    // Only root may give a repository to somebody else.
    if (process.getuid?.() !== 0) test.skip('needs root to change the owner of the repository');
    const gate = makeGate();
    const world = await makeWorld({ script: gatedScript(WRITES, 1, gate) });
    const id = await world.start();
    await world.until(id, () => world.model.requests.length === 2);
    const { workspace } = world.record(id);
    execFileSync('chown', ['-R', '12345', world.repository, workspace]);
    const refused = await world.run(['status', id, '--json']);
    expect(refused.exit).toBe(6);
    expect(refused.json()).toMatchObject({
      error: { code: 'git_refused', message: expect.stringContaining('dubious ownership') },
    });
    gate.open();
    await world.until(id, ({ endedAt }) => endedAt !== null).catch(() => undefined);
    execFileSync('chown', ['-R', '0', world.repository, workspace]);
    const record = await world.ended(id);
    expect(record.reason).not.toBe('no_changes');
    expect(readFileSync(join(workspace, 'w.txt'), 'utf8')).toBe('work\n');
    if (record.state !== 'succeeded') expect(record.result?.error).toContain('dubious ownership');
    else expect(await filesOf(world, id)).toEqual(['w.txt']);
  });
});

describe('GIT-41', () => {
  it('a start in a submodule belongs to the submodule; what is around it sees nothing', async () => {
    const world = await makeWorld({
      script: [{ calls: [bash('ls'), write('w.txt', 'work\n')] }, { text: 'done' }],
      prepare: (repository) => {
        makeRepository({ 'super.txt': 'super\n' }, repository);
        const lib = makeRepository(
          { 'lib.txt': 'lib\n' },
          join(dirname(repository), mkdirIn(repository, 'lib')),
        );
        git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib, 'lib');
        git(repository, 'commit', '-q', '-m', 'submodule');
      },
    });
    const lib = join(world.repository, 'lib');
    const branches = git(world.repository, 'for-each-ref');
    const id = (await world.run(['start', 'task', '--json'], { cwd: lib })).json<{ id: JobId }>().id;
    const waited = await world.run(['wait', id, '--json', '--timeout', '25'], { cwd: lib });
    expect(waited.exit).toBe(0);
    expect(existsSync(join(lib, '.cc-delegate/jobs', `${id}.json`))).toBe(true);
    const record = JSON.parse(readFileSync(join(lib, '.cc-delegate/jobs', `${id}.json`), 'utf8'));
    expect(record).toMatchObject({ repo: lib, checkout: lib, base: git(lib, 'rev-parse', 'HEAD') });
    expect(record.workspace.startsWith(world.state)).toBe(true);
    expect(world.model.requests[1]?.text).toContain('lib.txt');
    expect(world.model.requests[1]?.text).not.toContain('super.txt');
    expect(git(lib, 'rev-parse', `delegate/${id}^`)).toBe(record.base);
    expect(git(world.repository, 'for-each-ref')).toBe(branches);
    expect(git(world.repository, 'status', '--porcelain')).toBe('');
    expect((await world.run(['apply', id], { cwd: lib })).exit).toBe(0);
    expect(git(lib, 'status', '--porcelain')).toBe('A  w.txt');
  });

  it('a start in a linked worktree takes its HEAD and changes that worktree alone; both find the job', async () => {
    const world = await makeWorld({ script: WRITES });
    const linked = join(world.folder, 'linked');
    git(world.repository, 'worktree', 'add', '-q', '-b', 'feat', linked);
    writeFiles(linked, { 'feat.txt': 'feat\n' });
    git(linked, 'add', '-A');
    git(linked, 'commit', '-q', '-m', 'feat');
    const id = (await world.run(['start', 'task', '--json'], { cwd: linked })).json<{ id: JobId }>().id;
    const record = await world.ended(id);
    expect(record).toMatchObject({
      repo: world.repository,
      checkout: linked,
      base: git(linked, 'rev-parse', 'feat'),
    });
    for (const cwd of [world.repository, linked]) {
      expect((await world.run(['status', id, '--json'], { cwd })).json()).toMatchObject({ id, done: true });
    }
    expect((await world.run(['apply', id], { cwd: linked })).exit).toBe(0);
    expect(git(linked, 'status', '--porcelain')).toBe('A  w.txt');
    expect(git(world.repository, 'status', '--porcelain')).toBe('');
    expect(existsSync(join(world.repository, 'w.txt'))).toBe(false);
    expect(existsSync(join(linked, '.cc-delegate'))).toBe(false);
  });
});

/** Makes an empty folder beside `repository` and returns its name. */
function mkdirIn(repository: string, name: string): string {
  mkdirSync(join(dirname(repository), name));
  return name;
}

describe('GIT-43 a start in a subfolder', () => {
  it('is where the worker and the test command begin; paths are those of the repository', async () => {
    const world = await makeWorld({
      files: { 'pkg/t.sh': '#!/bin/sh\ngrep -q right x\n', 'pkg/x': 'wrong\n', top: 'top\n' },
      script: [{ calls: [bash('pwd; echo right > x; echo changed > ../top')] }, { text: 'done' }],
    });
    git(world.repository, 'update-index', '--chmod=+x', 'pkg/t.sh');
    git(world.repository, 'commit', '-q', '-m', 'executable');
    git(world.repository, 'config', 'diff.relative', 'true');
    const cwd = join(world.repository, 'pkg');
    const id = await world.start(['--test', './t.sh'], { cwd });
    const record = await world.ended(id);
    expect(record).toMatchObject({
      state: 'succeeded',
      subdirectory: 'pkg',
      preflight: { verdict: 'fails' },
    });
    expect(world.model.requests[1]?.text).toContain(join(record.workspace, 'pkg'));
    expect(await filesOf(world, id, cwd)).toEqual(['pkg/x', 'top']);
    expect((await world.run(['apply', id], { cwd })).exit).toBe(0);
    expect(git(world.repository, 'diff', '--cached', '--no-relative', '--name-only').split('\n')).toEqual([
      'pkg/x',
      'top',
    ]);
    expect((await world.run(['undo'], { cwd })).exit).toBe(0);
    expect((await world.run(['apply', id])).exit).toBe(0);
    expect(readFileSync(join(world.repository, 'pkg/x'), 'utf8')).toBe('right\n');
  });

  it('that is not in the base is refused with what to do', async () => {
    const world = await makeWorld();
    const cwd = join(world.repository, 'new');
    writeFiles(world.repository, { 'new/t.sh': 'true\n' });
    const refused = await world.run(['start', 'task', '--json'], { cwd });
    expect(refused.exit).toBe(6);
    expect(refused.json()).toMatchObject({
      error: { code: 'folder_not_in_base', remedy: expect.stringContaining('commit it') },
    });
    expect(existsSync(join(world.repository, '.cc-delegate'))).toBe(false);
  });
});

it.each(['sub', 'ignored'])('GIT-44 apply called in %s changes every file of the result', async (folder) => {
  const world = await makeWorld({
    files: { '.gitignore': 'ignored/\n', top: 'top\n', 'sub/s': 's\n' },
    script: [{ calls: [bash('echo x > top; echo x > sub/s; echo x > newtop')] }, { text: 'done' }],
  });
  mkdirSync(join(world.repository, 'ignored'));
  const id = await world.start();
  await world.ended(id);
  const applied = await world.run(['apply', id, '--json'], { cwd: join(world.repository, folder) });
  expect(applied.exit).toBe(0);
  expect(git(world.repository, 'status', '--porcelain').split('\n')).toEqual([
    'A  newtop',
    'M  sub/s',
    'M  top',
  ]);
  for (const path of ['top', 'sub/s', 'newtop']) {
    expect(readFileSync(join(world.repository, path), 'utf8')).toBe('x\n');
  }
});

describe('GIT-47 cleanup', () => {
  it('keeps what runs and what nobody has used; with --force it says what goes, and the patch stays', async () => {
    const gate = makeGate();
    const world = await makeWorld({ script: gatedScript(WRITES, 1, gate) });
    const id = await world.start();
    await world.until(id, () => world.model.requests.length === 2);
    expect(await world.run(['cleanup', id, '--force'])).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('running'),
    });
    gate.open();
    const record = await world.ended(id);
    const patch = world.patch(id);
    expect(await world.run(['cleanup', id])).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('neither applied'),
    });
    expect((await world.run(['cleanup', '--all-finished', '--json'])).json()).toMatchObject({
      removed: [],
      kept: [id],
    });
    expect(existsSync(record.workspace)).toBe(true);
    expect(git(world.repository, 'rev-parse', record.branch)).toBe(record.result?.commit);

    const forced = await world.run(['cleanup', id, '--force']);
    expect(forced).toMatchObject({ exit: 0, stdout: expect.stringContaining('never applied') });
    expect(forced.stdout).toContain(record.result?.commit?.slice(0, 8));
    expect(readFileSync(join(world.repository, '.cc-delegate/removed', `${id}.patch`)).equals(patch)).toBe(
      true,
    );
    expect(existsSync(dirname(record.workspace))).toBe(false);
    expect(git(world.repository, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });

  it('keeps a workspace with later work in it: an edit, a new file, a deletion', async () => {
    const world = await makeWorld({ script: WRITES });
    const id = await world.start();
    const { workspace } = await world.ended(id);
    expect((await world.run(['apply', id])).exit).toBe(0);
    const changes: (() => void)[] = [
      () => writeFileSync(join(workspace, 'w.txt'), 'more\n'),
      () => writeFiles(workspace, { 'w.txt': 'work\n', 'later.txt': 'later\n' }),
      () => {
        rmSync(join(workspace, 'later.txt'));
        rmSync(join(workspace, 'README.md'));
      },
    ];
    for (const change of changes) {
      change();
      const refused = await world.run(['cleanup', id, '--json']);
      expect(refused.exit).toBe(4);
      expect(refused.json()).toMatchObject({
        error: { message: expect.stringContaining('changed after'), remedy: expect.stringContaining('open') },
      });
    }
    expect(existsSync(workspace)).toBe(true);
    expect((await world.run(['cleanup', id, '--force'])).exit).toBe(0);
    expect(existsSync(workspace)).toBe(false);
  });

  it('keeps commits of the worker that are in no file of its result', async () => {
    const world = await makeWorld({
      script: [
        {
          calls: [
            bash(
              'git checkout -qb side; echo 1 > lost.txt; git add -A; git commit -qm lost; git checkout -q -',
            ),
          ],
        },
        ...WRITES,
      ],
    });
    const id = await world.start();
    const record = await world.ended(id);
    expect(record.result?.flags).toContain('commits_not_in_tree');
    expect(git(world.repository, 'show', `refs/delegate/${id}/extra/1:lost.txt`)).toBe('1');
    expect((await world.run(['apply', id])).exit).toBe(0);
    const refused = await world.run(['cleanup', id]);
    expect(refused).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining(`refs/delegate/${id}/extra/1`),
    });
    expect(git(world.repository, 'show', `refs/delegate/${id}/extra/1:lost.txt`)).toBe('1');
  });

  it('removes all of an applied job and nothing else', async () => {
    const world = await makeWorld({ script: WRITES });
    git(world.repository, 'branch', 'delegate-mine');
    git(world.repository, 'worktree', 'add', '-q', '-b', 'mine', join(world.folder, 'mine'));
    const before = git(world.repository, 'for-each-ref');
    const id = await world.start(['--test', 'touch left-by-the-test']);
    const record = await world.ended(id);
    await world.run(['apply', id]);
    expect(await world.run(['cleanup', id, '--dry-run'])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('would remove'),
    });
    expect(existsSync(record.workspace)).toBe(true);
    expect(await world.run(['cleanup', id])).toMatchObject({ exit: 0, stderr: '' });
    expect(existsSync(dirname(record.workspace))).toBe(false);
    expect(git(world.repository, 'for-each-ref')).toBe(before);
    expect(git(world.repository, 'status', '--porcelain')).toBe('A  w.txt');
    expect(existsSync(join(world.folder, 'mine', 'README.md'))).toBe(true);
    expect(await world.run(['cleanup', id])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('already'),
    });
    expect((await world.run(['status', id])).exit).toBe(3);
  });
});

it.each(['work', 'job'] as const)(
  'GIT-48 a %s folder deleted by hand costs nothing but itself',
  async (what) => {
    const world = await makeWorld({ script: WRITES });
    const id = await world.start();
    const { workspace, branch } = await world.ended(id);
    rmSync(what === 'work' ? workspace : dirname(workspace), { recursive: true });
    expect((await world.run(['status', id, '--json'])).json()).toMatchObject({ state: 'succeeded' });
    expect((await world.run(['result', id])).exit).toBe(0);
    expect((await world.run(['diff', id])).stdout).toContain('+work');
    expect(await world.run(['open', id])).toMatchObject({ exit: 6, stderr: expect.stringContaining('gone') });
    expect((await world.run(['apply', id])).exit).toBe(0);
    expect(await world.run(['cleanup', id])).toMatchObject({ exit: 0, stderr: '' });
    expect(existsSync(dirname(workspace))).toBe(false);
    expect(git(world.repository, 'branch', '--list', branch)).toBe('');
    const next = await world.start();
    expect(await world.ended(next)).toMatchObject({ state: 'failed', reason: 'no_changes' });
  },
);
