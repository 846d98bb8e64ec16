import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/job/ids.ts';
import { git, writeFiles } from '../helpers/repository.ts';
import { changedFiles, stateOf } from '../helpers/user-git.ts';
import { bash, makeWorld, type World } from '../helpers/world.ts';
import { byTask, toldBefore } from './by-task.ts';

const LINES = Array.from({ length: 12 }, (_, at) => `line ${at}\n`);
const withLine = (at: number, words: string, lines = LINES) => lines.with(at, `${words}\n`);

/** A checkout with a change, a staged file and an untracked one, and tasks that work over them. */
async function dirtyWorld(): Promise<World> {
  const world = await makeWorld({
    files: { 'f.txt': LINES.join(''), '.gitignore': 'secret\n' },
    script: byTask({
      'first task': [
        { calls: [bash("cat f.txt u.txt g.txt; ls; sed -i 's/line 9/worker/' f.txt; echo w >> u.txt")] },
        { text: 'done' },
      ],
      'second task': [{ calls: [bash('cat f.txt u.txt; echo 2 >> u.txt')] }, { text: 'done' }],
    }),
  });
  writeFiles(world.repository, {
    'f.txt': withLine(1, 'user').join(''),
    'g.txt': 'staged\n',
    'u.txt': 'untracked\n',
    secret: 'ignored\n',
  });
  git(world.repository, 'add', 'g.txt');
  return world;
}

const started = async (world: World, ...args: string[]) =>
  (await world.run([...args, '--json'])).json<{ id: JobId; notices: string[]; base: string }>();

describe('start --include-dirty', () => {
  it('starts from the files as they are, gives back the work alone, and apply and undo leave the user’s', async () => {
    const world = await dirtyWorld();
    const { repository } = world;
    const before = stateOf(repository);
    const { id, notices, base } = await started(world, 'start', 'first task', '--include-dirty');
    expect(notices).toContain('3 uncommitted files taken along, as they are now');
    // Nothing else names it while the job waits for its turn.
    expect(git(repository, 'rev-parse', `refs/delegate/${id}/base`)).toBe(base);
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'succeeded', base });
    expect(toldBefore(world.model, 'first task', 1)).toMatch(/user.*untracked.*staged/s);
    expect(toldBefore(world.model, 'first task', 1)).not.toContain('secret');
    const status = before.status?.replace('!! secret', '!! .cc-delegate/\n!! secret');
    expect(stateOf(repository)).toEqual({ ...before, status });
    expect(await changedFiles(world, id)).toEqual(['f.txt', 'u.txt']);
    expect(world.patch(id).toString()).not.toMatch(/^[+-](user|staged|untracked)/m);
    expect(git(repository, 'rev-parse', `${base}^`)).toBe(git(repository, 'rev-parse', 'HEAD'));
    expect(world.events(id, 'ready')[0]).toMatchObject({ uncommitted: { changed: [], untracked: [] } });

    const undone = stateOf(repository);
    const check = await world.run(['apply', id, '--check']);
    expect(check.stdout).toMatch(/your edits +f\.txt.*\n +not staged +u\.txt: over your own/);
    const applied = await world.run(['apply', id]);
    expect(applied.stdout).toContain('2 files brought, 1 staged, 1 over your own uncommitted work and not');
    expect(git(repository, 'status', '--porcelain', '-uall')).toBe('MM f.txt\nA  g.txt\n?? u.txt');
    expect(git(repository, 'show', ':f.txt')).toBe(withLine(9, 'worker').join('').trimEnd());
    expect((await world.run(['undo', id])).exit).toBe(0);
    expect(stateOf(repository)).toEqual(undone);
  });

  it('keeps that work for the job after it and for a follow-up; a retry takes it anew', async () => {
    const world = await dirtyWorld();
    const { repository } = world;
    const first = await started(world, 'start', 'first task', '--include-dirty', '--no-preflight-wait');
    const second = await started(world, 'start', 'second task', '--after', first.id);
    expect(await world.ended(second.id)).toMatchObject({ state: 'succeeded' });
    expect(toldBefore(world.model, 'second task', 1)).toMatch(/user.*worker.*untracked.*w/s);
    for (const id of [first.id, second.id]) expect((await world.run(['apply', id])).exit).toBe(0);
    expect(git(repository, 'status', '--porcelain', '-uall')).toBe('MM f.txt\nA  g.txt\n?? u.txt');
    expect((await world.run(['undo', second.id])).exit).toBe(0);

    const turn = await started(world, 'followup', first.id, 'more of it');
    expect((await world.ended(turn.id)).base).toBe(first.base);
    writeFiles(repository, { 'u.txt': 'changed since\n' });
    const again = await started(world, 'retry', first.id);
    expect(again.notices).toContain('3 uncommitted files taken along, as they are now');
    await world.ended(again.id);
    expect(toldBefore(world.model, 'first task', 1)).toContain('changed since');
    expect(git(repository, 'show', `${again.base}:f.txt`)).toContain('worker');
  });

  it('says what it leaves out, and that there is nothing to take', async () => {
    const world = await makeWorld({ files: { 'a.txt': 'a\n' } });
    git(world.repository, 'init', '-q', 'nested');
    writeFiles(world.repository, { 'nested/n.txt': 'n\n' });
    const text = await world.run(['start', 'x', '--include-dirty']);
    expect(text.stderr).toContain('not taken along: nested/ (a repository of its own)');
    expect(text.stdout).toMatch(/^not seen {3}1 uncommitted file \(nested\/\)$/m);
    const plain = await world.run(['start', 'x']);
    expect(plain.stdout).toContain('(nested/); --include-dirty takes them along');
    rmSync(join(world.repository, 'nested'), { recursive: true });
    const none = await world.run(['start', 'x', '--include-dirty']);
    expect(none.stderr).toContain('nothing is uncommitted: the base is HEAD');
  });

  it.each([
    [['--base', 'HEAD'], 'leave --base out'],
    [['--after', 'abc123'], 'leave --include-dirty out'],
  ])('is refused with %s, and nothing is made', async (options, remedy) => {
    const world = await dirtyWorld();
    const refused = await world.run(['start', 'first task', '--include-dirty', ...options]);
    expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining(remedy) });
    expect(existsSync(join(world.repository, '.cc-delegate/jobs'))).toBe(false);
  });
});
