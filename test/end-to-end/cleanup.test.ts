import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/engine/scripted/turn.ts';
import type { JobId } from '../../src/job/ids.ts';
import { gatedScript, makeGate } from '../helpers/gate.ts';
import { git, writeFiles } from '../helpers/repository.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';
import { byTask } from './by-task.ts';

const WRITES: readonly Turn[] = [{ calls: [write('w.txt', 'work\n')] }, { text: 'done' }];

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

it('GIT-48 a work folder or a job folder deleted by hand costs nothing but itself', async () => {
  const world = await makeWorld({
    script: byTask({
      'the work folder': [{ calls: [write('w.txt', 'work\n')] }, { text: 'done' }],
      'the job folder': [{ calls: [write('j.txt', 'work\n')] }, { text: 'done' }],
    }),
  });
  const start = async (task: string) => (await world.run(['start', task, '--json'])).json<{ id: JobId }>().id;
  const ids = { work: await start('the work folder'), job: await start('the job folder') };
  for (const [what, id] of Object.entries(ids)) {
    const { workspace, branch } = await world.ended(id);
    rmSync(what === 'work' ? workspace : dirname(workspace), { recursive: true });
    const status = await world.run(['status', id, '--json']);
    expect(status.json(), what).toMatchObject({ state: 'succeeded' });
    expect((await world.run(['result', id])).exit, what).toBe(0);
    expect((await world.run(['diff', id])).stdout, what).toContain('+work');
    const opened = await world.run(['open', id]);
    expect(opened, what).toMatchObject({ exit: 6, stderr: expect.stringContaining('gone') });
    expect((await world.run(['apply', id])).exit, what).toBe(0);
    expect(await world.run(['cleanup', id]), what).toMatchObject({ exit: 0, stderr: '' });
    expect(existsSync(dirname(workspace)), what).toBe(false);
    expect(git(world.repository, 'branch', '--list', branch), what).toBe('');
  }
  const next = await start('something else');
  expect(await world.ended(next)).toMatchObject({ state: 'failed', reason: 'no_changes' });
});
