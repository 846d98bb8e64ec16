import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/engine/scripted/turn.ts';
import type { JobId } from '../../src/job/ids.ts';
import { signalRunner } from '../../src/store/liveness.ts';
import { git, makeRepository } from '../helpers/repository.ts';
import { changedFiles, commit, refsOf, stateOf } from '../helpers/user-git.ts';
import { bash, makeWorld, write } from '../helpers/world.ts';

const WRITES: readonly Turn[] = [{ calls: [write('w.txt', 'work\n')] }, { text: 'done' }];

describe('a salvage after kill -9', () => {
  const SETTINGS = {
    'core.hooksPath': 'HERE/.husky',
    ...{ 'commit.gpgSign': 'true', 'tag.gpgSign': 'true', 'gpg.program': 'HERE/.husky/signer' },
    'user.useConfigOnly': 'true',
  };

  it('GIT-32 runs no hook of the repository; GIT-33 signs nothing and waits for no signer; GIT-34 needs no identity and writes none', async () => {
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
        for (const [key, value] of Object.entries(SETTINGS)) {
          git(repository, 'config', key, value.replace('HERE', repository));
        }
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
