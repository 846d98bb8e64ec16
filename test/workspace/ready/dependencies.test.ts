import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { type Files, git, makeFolder, makeRepository, writeFiles } from '../../helpers/repository.ts';
import { everythingOf, listed, work } from '../job.ts';
import { changed, collectReady, openGate, startReadyJob } from './ready-job.ts';

const DEPENDENCY: Files = {
  'node_modules/dep/package.json': '{"name":"dep","main":"index.js","bin":"cli.js"}',
  'node_modules/dep/index.js': 'module.exports = 42;\n',
  'node_modules/dep/cli.js': '#!/usr/bin/env node\nconsole.log(require("./index.js"));\n',
};

const TEST = `const test = require('node:test');
test('it', () => require('node:assert').equal(require('dep'), 42));
`;

/** A project whose dependency is installed in the checkout, with its program linked as npm does. */
function project(files: Files = {}, ignore = 'node_modules/\n'): string {
  const checkout = makeRepository({
    '.gitignore': ignore,
    'package.json': '{}',
    'it.test.cjs': TEST,
    ...files,
  });
  writeFiles(checkout, DEPENDENCY);
  execFileSync('chmod', ['+x', join(checkout, 'node_modules/dep/cli.js')]);
  mkdirSync(join(checkout, 'node_modules/.bin'));
  symlinkSync('../dep/cli.js', join(checkout, 'node_modules/.bin/dep'));
  return checkout;
}

function runs(folder: string, script: string): string {
  return execFileSync('sh', ['-ec', script], { cwd: folder, encoding: 'utf8' });
}

/** By running it: what stands on PATH may be a shim for something that is not installed. */
function skipWithout(test: Pick<TestContext, 'skip'>, program: string, ask = '--version'): void {
  if (spawnSync(program, [ask]).status === 0) return;
  if (process.env.CC_DELEGATE_TEST_STRICT === '1') throw new Error(`${program} does not run here`);
  test.skip(`needs ${program}, which does not run here`);
}

it('GIT-22 node_modules is a private copy in which tests and programs run; it is in no list and the gate has its own', async () => {
  const checkout = project();
  const job = await startReadyJob(checkout);
  const untouched = everythingOf(job.repository);
  expect(job.ready.report.dependencies).toMatchObject([{ path: 'node_modules', files: 4 }]);
  expect(job.ready.notices).toEqual([]);
  expect(lstatSync(join(job.workspace, 'node_modules')).isSymbolicLink()).toBe(false);
  expect(readlinkSync(join(job.workspace, 'node_modules/.bin/dep'))).toBe('../dep/cli.js');
  const everything = 'node --test it.test.cjs > /dev/null; node_modules/.bin/dep';
  expect(runs(job.workspace, everything)).toBe('42\n');
  work(
    job,
    'echo "module.exports = 43" > node_modules/dep/index.js; echo >> package.json; git add -f node_modules; git commit -qam x',
  );
  const collected = changed(await collectReady(job));
  expect(listed(collected)).toEqual(['M package.json']);
  expect(collected.notInPatch).toEqual([]);
  expect(collected.extraRefs).toEqual([]);
  const { folder, gate } = await openGate(job, collected);
  expect(runs(folder, everything)).toBe('42\n');
  expect(gate).toEqual({ notProvided: [], changedSince: [], binds: [] });
  expect(everythingOf(job.repository)).toEqual(untouched);
});

it('shares no file with the user, not even hard links among their own', async () => {
  const checkout = project();
  linkSync(join(checkout, 'node_modules/dep/index.js'), join(checkout, 'node_modules/dep/same.js'));
  const job = await startReadyJob(checkout);
  const copy = join(job.workspace, 'node_modules/dep/index.js');
  expect(statSync(copy).nlink).toBe(1);
  expect(statSync(copy).ino).not.toBe(statSync(join(checkout, 'node_modules/dep/index.js')).ino);
});

it('a link the worker puts in the place of the copy is no result, and its target is untouched (GIT-22)', async () => {
  const checkout = project();
  const job = await startReadyJob(checkout);
  work(job, `rm -r node_modules; ln -s '${checkout}/node_modules' node_modules; echo >> package.json`);
  const collected = changed(await collectReady(job));
  expect(listed(collected)).toEqual(['M package.json']);
  rmSync(job.folder, { recursive: true });
  expect(existsSync(join(checkout, 'node_modules/dep/index.js'))).toBe(true);
});

it("folders of workspaces come too, their links lead to the worker's files; parts the base lacks do not", async () => {
  const checkout = project({ 'packages/a/index.js': 'module.exports = "a";\n', 'packages/b/b.js': '' });
  symlinkSync('../packages/a', join(checkout, 'node_modules/a'));
  writeFiles(checkout, {
    'packages/b/node_modules/own/index.js': 'module.exports = 1;\n',
    'packages/new/node_modules/x/index.js': '',
  });
  const job = await startReadyJob(checkout);
  expect(job.ready.report.dependencies.map(({ path }) => path)).toEqual([
    'node_modules',
    'packages/b/node_modules',
  ]);
  work(job, 'echo \'module.exports = "changed"\' > packages/a/index.js');
  expect(runs(job.workspace, 'node -p \'require("a") + require("./packages/b/node_modules/own")\'')).toBe(
    'changed1\n',
  );
  expect(existsSync(join(job.workspace, 'packages/new'))).toBe(false);
});

it('only what is ignored of a vendor folder with tracked files is provided', async () => {
  const checkout = makeRepository({ '.gitignore': '/vendor/bundle/\n', 'vendor/kept.rb': 'k\n', a: 'a\n' });
  writeFiles(checkout, { 'vendor/bundle/gem.rb': 'g\n' });
  const job = await startReadyJob(checkout);
  expect(job.ready.report.dependencies).toMatchObject([{ path: 'vendor/bundle', files: 1 }]);
  work(job, 'echo >> vendor/kept.rb; echo new > vendor/new.rb; echo x > vendor/bundle/x');
  expect(listed(changed(await collectReady(job)))).toEqual(['A vendor/new.rb', 'M vendor/kept.rb']);
});

it('what the base has no rule for is kept out by its path', async () => {
  const checkout = project({}, 'other\n');
  const job = await startReadyJob(checkout);
  expect(job.ready.report).toMatchObject({
    dependencies: [{ path: 'node_modules' }],
    uncommitted: { untracked: [] },
  });
  const local = makeRepository({ a: 'a\n' });
  writeFiles(local, { 'vendor/v.php': 'v\n', '.gitignore': 'vendor\n' });
  const other = await startReadyJob(local);
  expect(work(other, 'ls vendor; git status --porcelain')).toBe('v.php\n');
  work(other, 'echo >> a; echo w > vendor/w.php');
  expect(listed(changed(await collectReady(other)))).toEqual(['M a']);
});

it("what leads to the user's own files is left out of both copies, and named", async () => {
  const checkout = project();
  const elsewhere = makeFolder();
  symlinkSync(join(checkout, 'package.json'), join(checkout, 'node_modules/inside'));
  symlinkSync(elsewhere, join(checkout, 'node_modules/absolute'));
  symlinkSync('../../sibling', join(checkout, 'node_modules/relative'));
  writeFiles(checkout, {
    'node_modules/py/easy.pth': `${checkout}/src\n`,
    'node_modules/py/other.pth': 'import x\n',
  });
  const job = await startReadyJob(checkout);
  const left = ['absolute', 'inside', 'py/easy.pth', 'relative'].map((name) => `node_modules/${name}`);
  expect(job.ready.report.escapes.map(({ path }) => path).sort()).toEqual(left);
  expect(job.ready.notices[0]).toMatch(
    /^left out of the copied dependencies: .* and 1 more; make it with --setup$/,
  );
  work(job, 'echo >> package.json');
  const { folder } = await openGate(job, changed(await collectReady(job)));
  for (const top of [job.workspace, folder]) {
    for (const path of left) expect(lstatSync(join(top, path), { throwIfNoEntry: false })).toBeUndefined();
    expect(existsSync(join(top, 'node_modules/py/other.pth'))).toBe(true);
  }
  expect(existsSync(join(checkout, 'node_modules/py/easy.pth'))).toBe(true);
});

it.each([
  ['files', { files: 3, bytes: 1e9 }],
  ['bytes', { files: 100, bytes: 100 }],
])(
  'over the limit of %s nothing is copied: it is named with the remedy, or left for a bind',
  async (_what, dependencies) => {
    const checkout = project();
    const job = await startReadyJob(checkout, { limits: { dependencies } });
    expect(existsSync(join(job.workspace, 'node_modules'))).toBe(false);
    expect(job.ready.notices).toEqual([
      expect.stringMatching(
        /^not in the workspace: node_modules \(.* over the limit of .* in sum\); make it with --setup$/,
      ),
    ]);
    const bound = await startReadyJob(checkout, { limits: { dependencies }, canBind: true });
    expect(bound.ready.binds).toEqual([
      { source: join(checkout, 'node_modules'), target: join(bound.workspace, 'node_modules') },
    ]);
    expect(bound.ready.notices).toEqual([]);
    expect(bound.leftovers.get('node_modules')).toBe('provided');
  },
);

it('virtual environments and build folders are never reused, whatever their name, and named', async () => {
  const checkout = makeRepository({ '.gitignore': '.venv\ntarget/\nmine/\n__pycache__/\ndist/\n', a: 'a\n' });
  writeFiles(checkout, {
    '.venv/bin/python': '',
    'target/debug/x': '',
    'mine/pyvenv.cfg': 'home = /usr\n',
    '__pycache__/x.pyc': '',
    'dist/x': '',
  });
  const job = await startReadyJob(checkout);
  expect(job.ready.notices).toEqual([
    'never reused from your checkout: .venv, mine, target; make it with --setup',
  ]);
  expect(work(job, 'ls -A')).toBe('.git\n.gitignore\na\n');
});

it('a link in the place of a dependency folder is not followed but named', async () => {
  const checkout = makeRepository({ '.gitignore': 'node_modules\n', a: 'a\n' });
  symlinkSync(makeFolder(), join(checkout, 'node_modules'));
  const job = await startReadyJob(checkout);
  expect(job.ready.report.dependenciesSkipped).toEqual([{ path: 'node_modules', why: 'it is a link' }]);
});

it('a lock file that differs from the base is named, the one of another base too', async () => {
  const checkout = project({ 'package-lock.json': '1\n', 'other/package-lock.json': '1\n' });
  expect((await startReadyJob(checkout)).ready.notices).toEqual([]);
  writeFileSync(join(checkout, 'package-lock.json'), '2\n');
  writeFileSync(join(checkout, 'other/package-lock.json'), '2\n');
  const notice =
    'package-lock.json in your checkout differs from the base: the copied dependencies may not fit it';
  expect((await startReadyJob(checkout)).ready.notices).toEqual([notice]);
  git(checkout, 'commit', '-qam', 'two');
  expect((await startReadyJob(checkout)).ready.notices).toEqual([]);
  expect((await startReadyJob(checkout, { rev: 'HEAD^' })).ready.notices).toEqual([notice]);
});

it('the gate says when the folder changed in the checkout since, and leaves out a place the result took', async () => {
  const checkout = project({ 'packages/b/b.js': '' });
  writeFiles(checkout, { 'packages/b/node_modules/own/index.js': '' });
  const job = await startReadyJob(checkout);
  writeFiles(checkout, { 'node_modules/later/index.js': '' });
  work(job, 'rm -r packages/b; ln -s /nonexistent packages/b');
  const { folder, gate } = await openGate(job, changed(await collectReady(job)));
  expect(gate.changedSince).toEqual(['node_modules']);
  expect(gate.notProvided).toEqual([
    { path: 'packages/b/node_modules', why: 'packages/b is no folder in the commit' },
  ]);
  expect(existsSync(join(folder, 'node_modules/later/index.js'))).toBe(true);
});

it('an abort leaves no half a folder', async () => {
  const job = await startReadyJob(project(), { signal: AbortSignal.abort() });
  expect(existsSync(join(job.workspace, 'node_modules'))).toBe(false);
  expect(job.ready.report.dependenciesSkipped).toEqual([{ path: 'node_modules', why: 'stopped' }]);
});

it('pytest runs in it', async (context) => {
  skipWithout(context, 'pytest');
  const checkout = makeRepository({
    '.gitignore': 'vendor/\n',
    'conftest.py': 'import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parent / "vendor"))\n',
    'test_it.py': 'import dep\ndef test_it():\n    assert dep.VALUE == 42\n',
  });
  writeFiles(checkout, { 'vendor/dep/__init__.py': 'VALUE = 42\n' });
  const job = await startReadyJob(checkout);
  expect(runs(job.workspace, 'pytest -q -p no:cacheprovider')).toContain('1 passed');
  expect(await collectReady(job)).toMatchObject({ kind: 'unchanged', notInPatch: [] });
});

const CARGO: Files = {
  '.gitignore': 'vendor/\ntarget/\n',
  'Cargo.toml':
    '[package]\nname = "it"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ndep = "1.0.0"\n',
  'src/lib.rs': '#[test]\nfn it() { assert_eq!(dep::value(), 42); }\n',
  '.cargo/config.toml': '[source.crates-io]\nreplace-with = "here"\n[source.here]\ndirectory = "vendor"\n',
};

it('cargo runs in it, with what was vendored', async (context) => {
  skipWithout(context, 'cargo');
  const checkout = makeRepository(CARGO);
  writeFiles(checkout, {
    'vendor/dep/Cargo.toml': '[package]\nname = "dep"\nversion = "1.0.0"\nedition = "2021"\n',
    'vendor/dep/src/lib.rs': 'pub fn value() -> i32 { 42 }\n',
    'vendor/dep/.cargo-checksum.json': '{"files":{}}',
  });
  const job = await startReadyJob(checkout);
  expect(runs(job.workspace, 'cargo test --offline 2>&1')).toContain('1 passed');
});

it('go runs in it, with what was vendored', async (context) => {
  skipWithout(context, 'go', 'version');
  const checkout = makeRepository({
    '.gitignore': 'vendor/\n',
    'go.mod': 'module example.invalid/it\n\ngo 1.18\n\nrequire example.invalid/dep v1.0.0\n',
    'it_test.go':
      'package it\n\nimport (\n\t"testing"\n\n\t"example.invalid/dep"\n)\n\nfunc TestIt(t *testing.T) {\n\tif dep.Value != 42 {\n\t\tt.Fail()\n\t}\n}\n',
  });
  writeFiles(checkout, {
    'vendor/modules.txt': '# example.invalid/dep v1.0.0\n## explicit; go 1.18\nexample.invalid/dep\n',
    'vendor/example.invalid/dep/dep.go': 'package dep\n\nconst Value = 42\n',
  });
  const job = await startReadyJob(checkout);
  expect(runs(job.workspace, 'go test -mod=vendor ./...')).toContain('ok');
});

it('leaves the copy as it is in the checkout: modes and times', async () => {
  const checkout = project();
  const job = await startReadyJob(checkout);
  const [original, copy] = [checkout, job.workspace].map((top) =>
    statSync(join(top, 'node_modules/dep/cli.js')),
  );
  expect(copy?.mode).toBe(original?.mode);
  expect(Math.trunc(copy?.mtimeMs ?? 0)).toBe(Math.trunc(original?.mtimeMs ?? 1));
  expect(readFileSync(join(job.workspace, 'node_modules/dep/index.js'), 'utf8')).toBe(
    'module.exports = 42;\n',
  );
});
