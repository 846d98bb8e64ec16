import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/engine/scripted/turn.ts';
import type { JobId } from '../../src/job/ids.ts';
import { gatedScript, makeGate } from '../helpers/gate.ts';
import { git, makeRepository, writeFiles } from '../helpers/repository.ts';
import { changedFiles } from '../helpers/user-git.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';

const WRITES: readonly Turn[] = [{ calls: [write('w.txt', 'work\n')] }, { text: 'done' }];

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
    else expect(await changedFiles(world, id)).toEqual(['w.txt']);
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
    const listed = await world.run(['diff', id, '--name-only'], { cwd });
    expect(listed.stdout.trim().split('\n')).toEqual(['pkg/x', 'top']);
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

it('GIT-44 apply called in a subfolder, or in an ignored one, changes every file of the result', async () => {
  const world = await makeWorld({
    files: { '.gitignore': 'ignored/\n', top: 'top\n', 'sub/s': 's\n' },
    script: [{ calls: [bash('echo x > top; echo x > sub/s; echo x > newtop')] }, { text: 'done' }],
  });
  mkdirSync(join(world.repository, 'ignored'));
  const id = await world.start();
  await world.ended(id);
  for (const folder of ['sub', 'ignored']) {
    const applied = await world.run(['apply', id, '--json'], { cwd: join(world.repository, folder) });
    expect(applied.exit, folder).toBe(0);
    expect(git(world.repository, 'status', '--porcelain').split('\n'), folder).toEqual([
      'A  newtop',
      'M  sub/s',
      'M  top',
    ]);
    for (const path of ['top', 'sub/s', 'newtop']) {
      expect(readFileSync(join(world.repository, path), 'utf8'), `${path}, from ${folder}`).toBe('x\n');
    }
    expect((await world.run(['undo'])).exit).toBe(0);
    expect(git(world.repository, 'status', '--porcelain')).toBe('');
  }
});
