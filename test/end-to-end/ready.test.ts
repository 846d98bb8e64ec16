import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { signalRunner } from '../../src/store/liveness.ts';
import { runPaths, workspacePaths } from '../../src/store/paths.ts';
import { git, makeFolder, makeRepository, writeFiles } from '../helpers/repository.ts';
import { changedFiles } from '../helpers/user-git.ts';
import { bash, makeWorld, type World, write } from '../helpers/world.ts';

const VALUE = 's3cr3t-0f-the-user-9141';

function withLocalFile(repository: string): void {
  makeRepository({ '.gitignore': '.env\n', '.worktreeinclude': '.env\n', 'a.txt': 'a\n' }, repository);
  writeFiles(repository, { '.env': `TOKEN=${VALUE}\n` });
}

const MISUSE = bash(
  'cat .env; cut -d= -f2 .env; git add -f .env; git commit -qm leak; echo EVIL=1 > .env; git commit -qam evil; echo b > a.txt',
);

/** Everything of ours that is written about a job, as one text. */
function told(world: World, id: Awaited<ReturnType<World['start']>>): string {
  const { events, transcript, workerLog, runnerLog, receipt, patch, leftovers } = runPaths(world.store(), id);
  const files = [events, transcript, workerLog, runnerLog, receipt, patch, leftovers];
  return files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join('\n');
}

it('SEC-16 a listed .env serves worker and gate, and is in no result, no log and no changed file of the user', async () => {
  const world = await makeWorld({ script: [{ calls: [MISUSE] }, { text: 'done' }], prepare: withLocalFile });
  const id = await world.start(['--test', `grep -q ${VALUE.slice(0, 6)} .env`]);
  expect(await world.ended(id)).toMatchObject({ state: 'succeeded', preflight: { verdict: 'passes' } });
  expect(world.model.requests[1]?.text).toContain('TOKEN=');
  expect(await changedFiles(world, id)).toEqual(['a.txt']);
  expect(told(world, id)).not.toContain(VALUE);
  expect(world.events(id, 'ready')).toMatchObject([
    { included: ['.env'], notices: ['.worktreeinclude: the worker gets .env'] },
  ]);
  expect((await world.run(['apply', id])).exit).toBe(0);
  expect(readFileSync(join(world.repository, '.env'), 'utf8')).toBe(`TOKEN=${VALUE}\n`);
  expect(git(world.repository, 'status', '--porcelain')).toBe('M  a.txt');
  const { folder } = workspacePaths(world.state, world.repository, id);
  expect((await world.run(['cleanup', id])).exit).toBe(0);
  expect(existsSync(folder)).toBe(false);
});

it('SEC-16 nor does it get into the result that a salvager takes in', async () => {
  const world = await makeWorld({
    script: [{ calls: [MISUSE] }, { ending: 'hang' }],
    prepare: withLocalFile,
  });
  const id = await world.start();
  const { runner } = await world.until(id, () => world.model.requests.length === 2);
  if (runner) signalRunner(runner, 'SIGKILL');
  await world.until(id, (record) => record.state === 'running');
  await world.run(['wait', id, '--timeout', '20']);
  await world.until(id, ({ result }) => result !== null && result.salvaged !== 'pending');
  expect(await changedFiles(world, id)).toEqual(['a.txt']);
  expect(world.patch(id).toString()).not.toMatch(/TOKEN|EVIL/);
});

it('GIT-22 the tests run in private copies of node_modules, and what the worker does to its own is no part of the gate', async () => {
  const world = await makeWorld({
    script: [
      { calls: [bash('echo "module.exports = 0" > node_modules/dep/index.js'), write('w.txt', 'work\n')] },
      { text: 'done' },
    ],
    prepare: (repository) => {
      const test = "require('node:test')('it', () => require('node:assert').equal(require('dep'), 42));\n";
      makeRepository({ '.gitignore': 'node_modules/\n', 'it.test.cjs': test }, repository);
      writeFiles(repository, { 'node_modules/dep/index.js': 'module.exports = 42;\n' });
    },
  });
  const id = await world.start(['--test', 'node --test it.test.cjs']);
  expect(await world.ended(id)).toMatchObject({ state: 'succeeded', preflight: { verdict: 'passes' } });
  expect(await changedFiles(world, id)).toEqual(['w.txt']);
  expect(readFileSync(join(world.repository, 'node_modules/dep/index.js'), 'utf8')).toBe(
    'module.exports = 42;\n',
  );
});

it('GIT-24 a submodule is there without network, changes nothing and stands in the way of no cleanup', async () => {
  const source = makeFolder();
  makeRepository({ 'l.txt': 'lib\n' }, source);
  const world = await makeWorld({
    script: [
      {
        calls: [
          bash('git submodule update --init; cat lib/l.txt; git -C lib log --format=%s; echo b > a.txt'),
        ],
      },
      { text: 'done' },
    ],
    prepare: (repository) => {
      makeRepository({ 'a.txt': 'a\n' }, repository);
      git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source, 'lib');
      git(repository, 'commit', '-qm', 'with lib');
      rmSync(source, { recursive: true });
      mkdirSync(source);
    },
  });
  const head = git(join(world.repository, 'lib'), 'rev-parse', 'HEAD');
  const id = await world.start(['--test', 'grep -q lib lib/l.txt']);
  expect(await world.ended(id)).toMatchObject({ state: 'succeeded', result: { flags: [] } });
  expect(world.model.requests[1]?.text).toContain('lib\\nfirst');
  expect(await changedFiles(world, id)).toEqual(['a.txt']);
  expect((await world.run(['apply', id])).exit).toBe(0);
  expect((await world.run(['cleanup', id])).exit).toBe(0);
  expect(git(world.repository, 'status', '--porcelain')).toBe('M  a.txt');
  expect(git(join(world.repository, 'lib'), 'rev-parse', 'HEAD')).toBe(head);
  git(join(world.repository, '.git/modules/lib'), 'fsck');
});

it('says before the first request what the workspace lacks', async () => {
  const world = await makeWorld({
    prepare: (repository) => {
      makeRepository({ '.gitignore': '.env\n.venv/\n', 'a.txt': 'a\n' }, repository);
      writeFiles(repository, { '.env': 'A=b\n', '.venv/pyvenv.cfg': '', 'new.txt': 'n\n' });
    },
  });
  const id = await world.start();
  await world.ended(id);
  const [ready] = world.events(id, 'ready');
  expect(ready).toMatchObject({
    uncommitted: { changed: [], untracked: ['new.txt'] },
    environments: ['.env'],
    neverReused: ['.venv'],
    notices: [expect.stringContaining('.env'), expect.stringContaining('.venv')],
  });
  const events = world.events(id).map(({ t }) => t);
  const requests = events.findIndex((t) => t === 'request' || t === 'usage' || t === 'turn');
  if (requests !== -1) expect(events.indexOf('ready')).toBeLessThan(requests);
});
