import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/engine/scripted/turn.ts';
import type { JobId } from '../../src/job/ids.ts';
import { signalRunner } from '../../src/store/liveness.ts';
import { gatedScript, makeGate } from '../helpers/gate.ts';
import { git, makeRepository, writeFiles } from '../helpers/repository.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';

const WRITES: readonly Turn[] = [{ calls: [write('w.txt', 'work\n')] }, { text: 'done' }];

function commit(repository: string, path: string, content: string): string {
  writeFiles(repository, { [path]: content });
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '-m', path);
  return git(repository, 'rev-parse', 'HEAD');
}

/** What git knows of the user's checkout: none of it is ours to change while a job runs. */
function stateOf(repository: string): Record<string, string> {
  return {
    head: readFileSync(join(repository, '.git/HEAD'), 'utf8'),
    index: readFileSync(join(repository, '.git/index'), 'hex'),
    config: readFileSync(join(repository, '.git/config'), 'utf8'),
    status: git(repository, 'status', '--porcelain', '--ignored'),
    refs: refsOf(repository),
  };
}

/** Without the job's own. */
function refsOf(repository: string): string {
  const refs = git(
    repository,
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    'refs/heads',
    'refs/stash',
  );
  return refs
    .split('\n')
    .filter((ref) => !/refs\/heads\/(cc-)?delegate\/t_/.test(ref))
    .join('\n');
}

async function changedFiles(world: World, id: JobId): Promise<string[]> {
  const { stdout } = await world.run(['diff', id, '--name-only']);
  return stdout.trim().split('\n').sort();
}

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
    const started = await world.run(['start', 'edit f', '--json']);
    const { id, notices } = started.json<{ id: JobId; notices: string[] }>();
    expect(notices.join()).toContain('3 uncommitted files not visible to the worker');
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

  it('GIT-31 keeps its stash whatever the worker does to one', async () => {
    const world = await makeWorld({
      files: { 'a.txt': 'a\n' },
      script: [
        { calls: [bash('git stash pop; echo x > w.txt; git stash -u; git stash drop; git stash clear')] },
        ...WRITES,
      ],
    });
    writeFiles(world.repository, { 'a.txt': 'stashed\n' });
    git(world.repository, 'stash', '-q');
    const before = git(world.repository, 'stash', 'list', '--format=%H %gd %gs');
    const id = await world.start();
    await world.ended(id);
    expect(git(world.repository, 'stash', 'list', '--format=%H %gd %gs')).toBe(before);
    expect(await changedFiles(world, id)).toEqual(['w.txt']);
    expect(world.model.requests[1]?.text).toContain('No stash entries found');
  });
});

describe('a salvage after kill -9', () => {
  const rows: readonly { title: string; settings: Record<string, string> }[] = [
    { title: 'GIT-32 runs no hook of the repository', settings: { 'core.hooksPath': '.husky' } },
    {
      title: 'GIT-33 signs nothing and waits for no signer',
      settings: { 'commit.gpgSign': 'true', 'tag.gpgSign': 'true', 'gpg.program': '.husky/signer' },
    },
    { title: 'GIT-34 needs no identity and writes none', settings: { 'user.useConfigOnly': 'true' } },
  ];

  it.each(rows)('$title', async ({ settings }) => {
    const world = await makeWorld({
      // The worker's own commit neither waits for a signer nor lacks a name.
      script: [
        { calls: [bash('echo b > b.txt; git add b.txt; git commit -qm w && echo COMMITTED')] },
        { ending: 'hang' },
      ],
      prepare: (repository) => {
        const hook = (exit: number) => `#!/bin/sh\necho "$0" >> "${repository}/../hooks.log"\nexit ${exit}\n`;
        const files = {
          '.husky/post-checkout': hook(3),
          '.husky/pre-commit': hook(1),
          '.husky/signer': hook(1),
        };
        mkdirSync(join(repository, '.husky'));
        for (const [path, text] of Object.entries({ ...files, '.husky/reference-transaction': hook(1) })) {
          writeFileSync(join(repository, path), text);
          chmodSync(join(repository, path), 0o755);
        }
        makeRepository({}, repository);
        for (const [key, value] of Object.entries(settings)) git(repository, 'config', key, value);
      },
    });
    const before = stateOf(world.repository);
    const id = await world.start();
    const { runner } = await world.until(id, () => world.model.requests.length === 2);
    expect(world.model.requests[1]?.text).toContain('COMMITTED');
    if (runner) signalRunner(runner, 'SIGKILL');
    await world.until(id, (record) => record.state === 'running');
    await world.run(['wait', id, '--timeout', '20']);
    const record = await world.until(id, ({ result }) => result !== null && result.salvaged !== 'pending');
    expect(record).toMatchObject({
      state: 'failed',
      reason: 'runner_lost',
      result: { salvaged: true, files: 1 },
    });
    expect(await changedFiles(world, id)).toEqual(['b.txt']);
    expect(git(world.repository, 'cat-file', '-p', `delegate/${id}`)).not.toContain('gpgsig');
    expect(existsSync(join(world.folder, 'hooks.log'))).toBe(false);
    expect(stateOf(world.repository)).toEqual({ ...before, status: '!! .cc-delegate/' });
  });
});

describe('GIT-35 inherited GIT_DIR, GIT_INDEX_FILE and GIT_WORK_TREE', () => {
  const asks = [
    { calls: [bash('env | grep -E "^GIT_(DIR|INDEX_FILE|WORK_TREE)=" ; echo asked')] },
    ...WRITES,
  ];
  const test = 'test -z "$GIT_DIR$GIT_INDEX_FILE$GIT_WORK_TREE"';

  it('mean nothing to a start, its worker and its test command', async () => {
    const world = await makeWorld({ script: asks });
    const other = makeRepository({ 'other.txt': 'other\n' });
    const before = stateOf(other);
    const env = { GIT_DIR: `${other}/.git`, GIT_INDEX_FILE: `${other}/.git/index`, GIT_WORK_TREE: other };
    const id = await world.start(['--test', test], { env });
    expect(await world.ended(id)).toMatchObject({ state: 'succeeded', repo: world.repository });
    expect(world.model.requests[1]?.text).not.toContain(other);
    expect((await world.run(['apply', id], { env })).exit).toBe(0);
    expect(git(world.repository, 'status', '--porcelain')).toBe('A  w.txt');
    expect(stateOf(other)).toEqual(before);
    expect(git(other, 'for-each-ref', 'refs/delegate', 'refs/heads/delegate')).toBe('');
  });

  it('set by git for the hook of another repository are not obeyed either', async () => {
    const world = await makeWorld({ script: asks });
    const other = makeRepository({ 'other.txt': 'other\n' });
    const vars = Object.entries(world.env).map(([name, value]) => `${name}='${value}'`);
    const program = `env ${vars.join(' ')} "${process.execPath}" "${world.program}"`;
    const hook = `#!/bin/sh\n${program} start task --json --test '${test}' --repo "${world.repository}"\n`;
    writeFileSync(join(other, '.git/hooks/pre-commit'), hook, { mode: 0o755 });
    git(other, 'commit', '-q', '--allow-empty', '-m', 'second');
    const [name = ''] = readdirSync(join(world.repository, '.cc-delegate/jobs'));
    const id = name.replace('.json', '') as JobId;
    expect(await world.ended(id)).toMatchObject({ state: 'succeeded' });
    expect(git(world.repository, 'rev-parse', `delegate/${id}^`)).toBe(
      git(world.repository, 'rev-parse', 'main'),
    );
    expect(git(other, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });
});

describe('a branch in the way', () => {
  it('GIT-36 called delegate makes the job take cc-delegate/<id>, from start to cleanup', async () => {
    const world = await makeWorld({ script: WRITES });
    git(world.repository, 'branch', 'delegate');
    const before = refsOf(world.repository);
    const id = await world.start();
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'succeeded', branch: `cc-delegate/${id}` });
    expect(git(world.repository, 'rev-parse', `cc-delegate/${id}`)).toBe(record.result?.commit);
    expect((await world.run(['result', id, '--json'])).json()).toMatchObject({ branch: `cc-delegate/${id}` });
    expect((await world.run(['apply', id])).exit).toBe(0);
    expect((await world.run(['cleanup', id])).exit).toBe(0);
    expect(git(world.repository, 'for-each-ref', '--format=%(objectname) %(refname)')).toBe(before);
  });

  it('GIT-37 of the very name of the job is never moved, by the failing start or by the cleanup after it', async () => {
    // Between start's own look and the reservation: a git that makes the branch just before it is reserved.
    const world = await makeWorld({ script: WRITES });
    const theirs = commit(world.repository, 'theirs.txt', 'unique\n');
    git(world.repository, 'reset', '-q', '--hard', 'HEAD^');
    const bin = join(world.folder, 'bin');
    const real = git(world.repository, '--exec-path');
    mkdirSync(bin);
    const wrapper = [
      '#!/bin/sh',
      'for arg; do case "$arg" in refs/heads/delegate/t_*)',
      '  case "$*" in *update-ref*) ' +
        `"${real}/git" update-ref "$arg" ${theirs} 0000000000000000000000000000000000000000 2>/dev/null;; esac`,
      'esac; done',
      `exec "${real}/git" "$@"`,
    ].join('\n');
    writeFileSync(join(bin, 'git'), `${wrapper}\n`, { mode: 0o755 });
    const id = await world.start([], { env: { PATH: `${bin}:${world.env.PATH}` } });
    const record = await world.ended(id);
    expect(record).toMatchObject({ state: 'failed', reason: 'setup_failed', result: { commit: null } });
    expect(record.result?.error).toContain('exists already');
    expect(git(world.repository, 'rev-parse', `delegate/${id}`)).toBe(theirs);
    const cleaned = await world.run(['cleanup', id]);
    expect(cleaned.exit).toBe(0);
    expect(cleaned.stderr).toContain('was left alone');
    expect(git(world.repository, 'rev-parse', `delegate/${id}`)).toBe(theirs);
    expect(world.model.requests).toHaveLength(0);
  });
});
