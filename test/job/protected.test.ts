import { describe, expect, it } from 'vitest';
import { planKept, type SeenChange } from '../../src/job/protected.ts';
import type { Judges } from '../../src/job/test-command.ts';

const JUDGES: Judges = {
  scripts: new Set(['run.sh']),
  packages: new Map([['package.json', new Set(['test'])]]),
  makefiles: new Map([['Makefile', new Set(['test'])]]),
  folders: new Set(['', 'sub']),
};

function plan(change: Partial<SeenChange> & { readonly path: string }, isProtected = false) {
  const { before = null, after = null } = change;
  const status = change.status ?? (before === null ? 'A' : after === null ? 'D' : 'M');
  return planKept([{ status, ...change, before, after }], {
    judges: JUDGES,
    isProtected: () => isProtected,
    isNamed: (path) => path === 'named.config.txt',
  });
}

const TSCONFIG = { compilerOptions: { paths: { '@app/*': ['./src/*'] } }, include: ['src', 'test'] };
const PACKAGE = {
  name: 'x',
  scripts: { test: 'vitest', build: 'tsc' },
  devDependencies: { vitest: '^4.0.0' },
};
const json = (value: unknown): string => JSON.stringify(value);

describe('put back from the base is', () => {
  it.each([
    ['a test', { path: 'test/a.js', before: 'a', after: 'b' }, 'base'],
    ['a test that is deleted', { path: 'src/a.test.ts', before: 'a' }, 'base'],
    ['a test nobody can read', { path: 'test/a.bin', status: 'M' }, 'base'],
    ['a snapshot', { path: 'src/__snapshots__/a.snap', before: 'a', after: 'b' }, 'base'],
    ['a configuration', { path: 'vitest.config.ts', before: 'a', after: 'b' }, 'base'],
    ['a script of the command', { path: 'run.sh', before: 'a', after: 'b' }, 'base'],
    ['a vendored package', { path: 'node_modules/x/i.js', before: 'a', after: 'b' }, 'base'],
    ['a recipe', { path: 'Makefile', before: 'test:\n\ta\n', after: 'test:\n\ttrue\n' }, 'base'],
    [
      'a variable of the recipe',
      { path: 'Makefile', before: 'T=a\ntest:\n\t$(T)\n', after: 'T=true\ntest:\n\t$(T)\n' },
      'base',
    ],
    [
      'a target that is no longer made',
      { path: 'Makefile', before: '.PHONY: test\ntest:\n\ta\n', after: 'test:\n\ta\n' },
      'base',
    ],
    [
      'a line that skips tests',
      { path: 'pom.xml', before: '<a/>', after: '<skipTests>true</skipTests>' },
      'base',
    ],
    [
      'a package of Go in place of another',
      { path: 'go.mod', before: 'module x', after: 'module x\nreplace a => ./b' },
      'base',
    ],
    ['a planted conftest', { path: 'sub/conftest.py', after: '' }, 'removed'],
    ['a module before the runner', { path: 'pytest.py', after: '' }, 'removed'],
    ['a package before the runner', { path: 'sub/unittest/__init__.py', after: '' }, 'removed'],
    ['what Python loads at its start', { path: 'deep/sitecustomize.py', after: '' }, 'removed'],
    ['a program of node_modules', { path: 'node_modules/.bin/vitest', after: '' }, 'removed'],
    ['a makefile before the makefile', { path: 'GNUmakefile', after: '' }, 'removed'],
    ['a file that stands for a target', { path: 'test', after: '' }, 'removed'],
    ['a package.json that is nearer', { path: 'sub/package.json', after: '{}' }, 'removed'],
    ['an environment for Node', { path: '.env', after: 'NODE_OPTIONS=--import ./x.js' }, 'removed'],
    ['a new test that ends the process', { path: 'test/z.test.js', after: 'process.exit(0)' }, 'removed'],
    ['a new test that leaves out the others', { path: 'test/z.test.js', after: 'it.only("x")' }, 'removed'],
  ] as const)('%s', (_, change, put) => {
    expect(plan(change).puts).toMatchObject([{ path: change.path, put }]);
    expect(plan(change).findings.length).toBeGreaterThan(0);
  });

  it.each([
    [
      'the scripts of a package',
      'package.json',
      PACKAGE,
      { ...PACKAGE, scripts: { test: 'true', pretest: 'rm -r test', docs: 'x' }, dependencies: { y: '1' } },
      { ...PACKAGE, scripts: { ...PACKAGE.scripts, docs: 'x' }, dependencies: { y: '1' } },
    ],
    [
      'the settings of a runner in it',
      'package.json',
      { ...PACKAGE, jest: { a: 1 } },
      { ...PACKAGE, jest: { testMatch: [] }, mocha: { spec: 'x' } },
      { ...PACKAGE, jest: { a: 1 } },
    ],
    [
      'a runner from elsewhere',
      'package.json',
      PACKAGE,
      { ...PACKAGE, devDependencies: { vitest: 'file:./fake' }, overrides: { vitest: 'file:./fake' } },
      PACKAGE,
    ],
    [
      'names that are led elsewhere',
      'tsconfig.json',
      TSCONFIG,
      {
        compilerOptions: {
          paths: {
            '@app/*': ['./src/*'],
            '@app/calc': ['./fake'],
            'node:assert': ['./f'],
            '@new/*': ['./n/*'],
          },
        },
        include: ['src', 'test'],
      },
      {
        compilerOptions: { paths: { '@app/*': ['./src/*'], '@new/*': ['./n/*'] } },
        include: ['src', 'test'],
      },
    ],
    [
      'files that are no longer compiled',
      'tsconfig.json',
      TSCONFIG,
      { ...TSCONFIG, include: ['src'], exclude: ['test'] },
      { ...TSCONFIG, include: ['src', 'test'], exclude: [] },
    ],
  ])('of a file that holds more, only %s', (_, path, before, after, kept) => {
    const [put] = plan({ path, before: json(before), after: json(after) }).puts;
    expect(put).toMatchObject({ path, put: 'merged' });
    expect(JSON.parse(put?.put === 'merged' ? put.text : '')).toEqual(kept);
  });

  it.each([
    [
      'pyproject.toml',
      '[project]\na = 1\n[tool.pytest.ini_options]\naddopts = "-q"\n',
      '[project]\na = 2\n[tool.pytest.ini_options]\naddopts = "--co"\n',
      '[project]\na = 2\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    ],
    [
      'setup.cfg',
      '[metadata]\na = 1\n',
      '[metadata]\na = 2\n[tool:pytest]\naddopts = --co\n',
      '[metadata]\na = 2\n\n',
    ],
    ['pyproject.toml', '[project]\n', 'tool.pytest.ini_options.addopts = "--co"\n[project]\n', '[project]\n'],
  ])('of %s only the sections of the runner', (path, before, after, text) => {
    expect(plan({ path, before, after }).puts).toEqual([{ path, put: 'merged', text }]);
  });

  it('whatever the user protects, and nothing new beside it', () => {
    expect(plan({ path: 'a', before: 'a', after: 'b' }, true).puts).toEqual([{ path: 'a', put: 'base' }]);
    expect(plan({ path: 'a', after: 'b' }, true).puts).toEqual([{ path: 'a', put: 'removed' }]);
  });
});

describe('the worker’s own is', () => {
  it.each([
    { path: 'src/a.ts', before: 'a', after: 'b' },
    { path: 'greet.sh', before: 'a', after: 'b' },
    { path: 'test/new.test.ts', after: "test('a', () => { expect(1).toBe(1); });" },
    { path: 'src/argparse/parser.py', after: '' },
    { path: 'src/typing.py', after: '' },
    { path: 'named.config.txt', after: '' },
    {
      path: 'package.json',
      before: json(PACKAGE),
      after: json({ ...PACKAGE, version: '2', dependencies: { y: '1' } }),
    },
    {
      path: 'tsconfig.json',
      before: json(TSCONFIG),
      after: json({ ...TSCONFIG, include: ['src', 'test', 'more'] }),
    },
    {
      path: 'Makefile',
      before: 'O=a\nall: x\ntest:\n\ta\n',
      after: 'O=a b\nall: x y\n\tmake y\ntest:\n\ta\n',
    },
    {
      path: 'Cargo.toml',
      before: '[package]\n[dependencies]\n',
      after: '[package]\n[dependencies]\ny = "1"\n',
    },
    { path: 'go.mod', before: 'module x\n', after: 'module x\nrequire y v1.0.0\n' },
    { path: '.env', before: 'A=1\n', after: 'A=2\n' },
  ])('$path', (change) => {
    expect(plan(change).puts).toEqual([]);
  });

  it('a new test, which may be taken away for another look', () => {
    expect(plan({ path: 'test/new.test.ts', after: 'x' }).addedTests).toEqual(['test/new.test.ts']);
  });

  it('a source that patches the runner, but it is told', () => {
    const found = plan({
      path: 'src/a.cjs',
      before: 'a',
      after: "require('assert').strictEqual = () => {};\nassert.equal = x;",
    });
    expect(found).toMatchObject({ puts: [], findings: [{ kind: 'runner_patched' }] });
  });
});
