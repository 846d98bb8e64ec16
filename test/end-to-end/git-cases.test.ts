import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/engine/scripted/turn.ts';
import type { JobId } from '../../src/job/ids.ts';
import { gatedScript, makeGate } from '../helpers/gate.ts';
import { git, makeRepository, writeFiles } from '../helpers/repository.ts';
import { changedFiles, commit, stateOf } from '../helpers/user-git.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';

const WRITES: readonly Turn[] = [{ calls: [write('w.txt', 'work\n')] }, { text: 'done' }];

describe('the base', () => {
  it('GIT-01 a repository without a commit is refused, and nothing is made', async () => {
    const world = await makeWorld({
      prepare: (repository) => {
        git(repository, 'init', '-q', '-b', 'trunk');
        writeFiles(repository, { 'staged.txt': 'mine\n' });
        git(repository, 'add', 'staged.txt');
      },
    });
    const index = readFileSync(join(world.repository, '.git/index'));
    const refused = await world.run(['start', 'do it', '--json']);
    expect(refused.exit).toBe(6);
    expect(refused.json()).toMatchObject({
      error: {
        code: 'no_commit',
        message: expect.stringContaining('no commit'),
        remedy: expect.stringContaining('git commit'),
      },
    });
    expect(existsSync(join(world.repository, '.cc-delegate'))).toBe(false);
    expect(existsSync(world.state)).toBe(false);
    expect(git(world.repository, 'for-each-ref')).toBe('');
    expect(readFileSync(join(world.repository, '.git/index')).equals(index)).toBe(true);
    expect(world.model.requests).toHaveLength(0);
  });

  it('GIT-03 is the commit the user stands on, detached, whatever main and origin/HEAD say', async () => {
    const world = await makeWorld({
      script: [{ calls: [bash('cat at.txt')] }, ...WRITES],
      prepare: (repository) => {
        makeRepository({ 'at.txt': 'one\n' }, repository);
        const one = git(repository, 'rev-parse', 'HEAD');
        const two = commit(repository, 'at.txt', 'two\n');
        git(repository, 'checkout', '-q', '--orphan', 'other');
        const three = commit(repository, 'at.txt', 'three\n');
        git(repository, 'update-ref', 'refs/remotes/origin/main', three);
        git(repository, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
        git(repository, 'checkout', '-q', '--detach', two);
        git(repository, 'branch', '-q', '-D', 'other');
        git(repository, 'branch', '-q', '-f', 'main', one);
      },
    });
    const two = git(world.repository, 'rev-parse', 'HEAD');
    const before = stateOf(world.repository);
    const id = await world.start();
    expect(await world.ended(id)).toMatchObject({ state: 'succeeded', base: two });
    expect(world.model.requests[1]?.text).toContain('two');
    expect(stateOf(world.repository)).toEqual({ ...before, status: '!! .cc-delegate/' });
    expect(git(world.repository, 'rev-parse', `delegate/${id}^`)).toBe(two);
  });

  it('GIT-05 stays what it was when the user commits meanwhile; the result applies on top', async () => {
    const gate = makeGate();
    const world = await makeWorld({
      script: gatedScript([{ calls: [bash('true')] }, ...WRITES], 1, gate),
    });
    const id = await world.start();
    await world.until(id, () => world.model.requests.length === 2);
    commit(world.repository, 'other.txt', 'theirs\n');
    gate.open();
    await world.ended(id);
    expect(await changedFiles(world, id)).toEqual(['w.txt']);
    expect(world.patch(id).toString()).not.toContain('other.txt');
    expect((await world.run(['apply', id])).exit).toBe(0);
    expect(git(world.repository, 'status', '--porcelain')).toBe('A  w.txt');
    expect(readFileSync(join(world.repository, 'other.txt'), 'utf8')).toBe('theirs\n');
  });

  it('GIT-06 has none of the uncommitted work, start says so, and apply leaves that work alone', async () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
    const edited = (at: number, text: string) => lines.with(at, text).join('');
    const world = await makeWorld({
      files: { 'f.txt': lines.join(''), 'g.txt': 'g\n' },
      script: [{ calls: [bash("ls; cat g.txt; sed -i '18s/.*/worker/' f.txt")] }, { text: 'done' }],
    });
    writeFiles(world.repository, {
      'f.txt': edited(1, 'user\n'),
      'g.txt': 'staged\n',
      'u.txt': 'untracked\n',
    });
    git(world.repository, 'add', 'g.txt');
    const before = stateOf(world.repository);
    const started = await world.run(['start', 'edit f', '--test', 'cat f.txt | grep -q worker', '--json']);
    const { id, notices } = started.json<{ id: JobId; notices: string[] }>();
    expect(notices.join()).toContain('3 uncommitted files not visible to the worker');
    expect(notices.join()).toContain('grep -q worker stops reading');
    await world.ended(id);
    expect(stateOf(world.repository)).toEqual({ ...before, status: `${before.status}\n!! .cc-delegate/` });
    expect(world.model.requests[1]?.text).not.toMatch(/u\.txt|staged/);
    expect(world.patch(id).toString()).not.toContain('user');
    expect((await world.run(['apply', id])).exit).toBe(0);
    const both = lines.with(1, 'user\n').with(17, 'worker\n').join('');
    expect(readFileSync(join(world.repository, 'f.txt'), 'utf8')).toBe(both);
    expect(git(world.repository, 'show', ':f.txt')).toBe(edited(17, 'worker\n').trimEnd());
    expect(git(world.repository, 'show', ':g.txt')).toBe('staged');
    expect(readFileSync(join(world.repository, 'u.txt'), 'utf8')).toBe('untracked\n');
  });
});

describe("the user's git", () => {
  it('GIT-28 does not see the store, and nothing of theirs was changed to hide it', async () => {
    const world = await makeWorld({ files: { '.gitignore': '*.o\n' }, script: WRITES });
    const exclude = join(world.repository, '.git/info/exclude');
    writeFileSync(exclude, '# mine\n*.log\n');
    for (const _ of [1, 2]) await world.ended(await world.start());
    expect(git(world.repository, 'status', '--porcelain', '-uall')).toBe('');
    expect(git(world.repository, 'add', '-A', '--dry-run')).toBe('');
    expect(git(world.repository, 'clean', '-nd')).toBe('');
    expect(readFileSync(join(world.repository, '.gitignore'), 'utf8')).toBe('*.o\n');
    expect(readFileSync(exclude, 'utf8')).toBe('# mine\n*.log\n');
  });

  it('GIT-29 is not reached by a worker that removes its .git and goes on committing', async () => {
    const world = await makeWorld({
      files: { 'a.txt': 'a\n' },
      script: [
        {
          calls: [
            bash(
              'echo w > work.txt; rm -rf .git; git add -A; git commit -m x; git rev-parse --show-toplevel',
            ),
          ],
        },
        { text: 'done' },
      ],
    });
    writeFiles(world.repository, { 'a.txt': 'unstaged edit\n' });
    const before = stateOf(world.repository);
    const id = await world.start();
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'succeeded' });
    expect(record.result?.flags).toContain('moved_head');
    expect(await changedFiles(world, id)).toEqual(['work.txt']);
    expect(stateOf(world.repository)).toEqual({ ...before, status: `${before.status}\n!! .cc-delegate/` });
    expect(readFileSync(join(world.repository, 'a.txt'), 'utf8')).toBe('unstaged edit\n');
    expect(world.model.requests[1]?.text).toContain('not a git repository');
  });
});
