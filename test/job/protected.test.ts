import { describe, expect, it } from 'vitest';
import { planKept, type SeenChange } from '../../src/job/protected.ts';
import type { Judges } from '../../src/job/test-command.ts';

const JUDGES: Judges = {
  scripts: new Set(['run.sh', 'expected.txt']),
  packages: new Map([['package.json', new Set(['test'])]]),
  makefiles: new Map([['Makefile', new Set(['test'])]]),
  folders: new Set(['', 'sub']),
  missing: new Set(),
};

function plan(
  change: Partial<SeenChange> & { readonly path: string },
  isProtected = false,
  hasBaseTests = true,
) {
  const { before = null, after = null } = change;
  const status = change.status ?? (before === null ? 'A' : after === null ? 'D' : 'M');
  return planKept([{ status, ...change, before, after }], {
    judges: JUDGES,
    isProtected: () => isProtected,
    hasBaseTests,
    isNamed: (path) => path === 'named.config.txt' || path === 'test/named.test.js',
    isAskedFor: (path) => path === 'test/part.js',
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
    [
      'a planted vite configuration',
      { path: 'vite.config.ts', after: 'x({ test: { exclude: [] } })' },
      'removed',
    ],
    [
      'a line within the tests of a vite configuration',
      { path: 'vite.config.ts', before: 'x({\ntest: {\n}})', after: "x({\ntest: {\n'**/*.ts'\n}})" },
      'base',
    ],
    [
      'a vite configuration',
      { path: 'web/vite.config.mts', before: 'x({})', after: 'x({ test: { passWithNoTests: true } })' },
      'base',
    ],
    ['a compiler of tests', { path: 'babel.config.js', after: 'x' }, 'removed'],
    ['a compiler of tests that is changed', { path: '.babelrc', before: '{}', after: '{"a":1}' }, 'base'],
    ['a mock for all tests', { path: '__mocks__/chai.js', before: 'a', after: 'b' }, 'base'],
    ['a set-up file', { path: 'src/test-setup.ts', before: 'a', after: 'b' }, 'base'],
    ['a set-up file for vitest', { path: 'vitest_setup.mjs', after: 'b' }, 'removed'],
    ['the runner where a script starts', { path: 'tests/unittest.py', after: '' }, 'removed'],
    ['the runner where a path leads', { path: 'src/unittest/__init__.py', after: '' }, 'removed'],
    ['a makefile nobody can read', { path: 'Makefile', before: 'test:\n\ta\n', status: 'M' }, 'base'],
    ['a new configuration nobody can read', { path: 'pyproject.toml', status: 'A' }, 'removed'],
    ['new lines nobody can read', { path: '.npmrc', status: 'A' }, 'removed'],
    ['a new tsconfig nobody can read', { path: 'tsconfig.json', status: 'A' }, 'removed'],
    ['a new test nobody can read', { path: 'test/a.test.js', status: 'A' }, 'removed'],
    ['a fixture the command compares with', { path: 'expected.txt', before: 'a', after: 'b' }, 'base'],
    ['a package manager', { path: '.yarn/releases/yarn-4.cjs', before: 'a', after: 'b' }, 'base'],
    [
      'what Python loads at its start, changed',
      { path: 'x/sitecustomize.py', before: 'a', after: 'b' },
      'base',
    ],
    ['the same nobody can read', { path: 'lib/a.pth', status: 'M' }, 'base'],
    ['a wrapper', { path: 'mvnw', before: 'a', after: 'exit 0' }, 'base'],
    ['the program of a wrapper', { path: 'gradle/wrapper/gradle-wrapper.jar', status: 'M' }, 'base'],
    [
      'a lock that leads elsewhere',
      {
        path: 'package-lock.json',
        before: json({
          packages: { 'node_modules/chai': { version: '4.0.0', resolved: 'https://r.example/c.tgz' } },
        }),
        after: json({ packages: { 'node_modules/chai': { resolved: 'fake', link: true } } }),
      },
      'base',
    ],
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
      'a runner that is moved',
      'package.json',
      PACKAGE,
      { ...PACKAGE, devDependencies: {}, dependencies: { vitest: 'file:./fake', y: 'file:./y' } },
      { ...PACKAGE, devDependencies: {}, dependencies: { vitest: '^4.0.0', y: 'file:./y' } },
    ],
    [
      'a runner from a folder',
      'package.json',
      PACKAGE,
      { ...PACKAGE, devDependencies: { vitest: './fake' } },
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
    [
      'pyproject.toml',
      '[project]\na = 1\n',
      '[project]\na = 2\n[project.entry-points."pytest11"]\nx = "x"\n',
      '[project]\na = 2\n\n',
    ],
    ['pyproject.toml', '[project]\n', 'tool.pytest.ini_options.addopts = "--co"\n[project]\n', '[project]\n'],
  ])('of %s only the sections of the runner', (path, before, after, text) => {
    expect(plan({ path, before, after }).puts).toEqual([{ path, put: 'merged', text }]);
  });

  it('of a new tsconfig only the names that are led elsewhere', () => {
    const after = json({
      compilerOptions: { strict: true, paths: { chai: ['./f'], '@a': ['./a'] } },
      include: ['src'],
    });
    const [put] = plan({ path: 'tsconfig.json', after }).puts;
    expect(put).toMatchObject({ put: 'merged' });
    expect(JSON.parse(put?.put === 'merged' ? put.text : '')).toEqual({
      compilerOptions: { strict: true, paths: { '@a': ['./a'] } },
      include: ['src'],
    });
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
    { path: 'vite.config.ts', before: 'x({ base: "/" })', after: 'x({ base: "/a" })' },
    { path: 'vite.config.ts', after: 'x({ base: "/" })' },
    { path: 'tsconfig.json', after: json({ include: ['src'], exclude: ['dist'] }) },
    { path: 'assets/logo.png', status: 'A' as const },
    { path: 'assets/logo.png', status: 'M' as const },
    { path: 'test/logo.png', status: 'A' as const },
    { path: 'src/setup.ts', before: 'a', after: 'b' },
    { path: 'src/signal.py', after: '' },
    {
      path: 'package-lock.json',
      before: json({ packages: { 'node_modules/y': { version: '1.0.0' } } }),
      after: json({
        packages: {
          'node_modules/y': { version: '2.0.0', resolved: 'https://r.example/y.tgz' },
          'node_modules/own': { resolved: 'packages/own', link: true },
        },
      }),
    },
    {
      path: 'package.json',
      before: json({ dependencies: { y: '1' } }),
      after: json({ devDependencies: { y: '~2.0.0' } }),
    },
    { path: 'go.mod', before: 'module x\n', after: 'module x\nrequire y v1.0.0\n' },
    { path: '.env', before: 'A=1\n', after: 'A=2\n' },
  ])('$path', (change) => {
    expect(plan(change).puts).toEqual([]);
  });

  it('a new test, which may be taken away for another look', () => {
    expect(plan({ path: 'test/new.test.ts', after: 'x' }).addedTests).toEqual(['test/new.test.ts']);
  });

  it.each(['test/named.test.js', 'test/data.json', 'src/__snapshots__/b.snap', 'test/in.txt'])(
    'a new %s, which the tests of the base may need',
    (path) => expect(plan({ path, after: 'x' })).toMatchObject({ puts: [], addedTests: [] }),
  );

  it.each(['test/package.json', 'test/x.config.json', 'test/zz.bin2', 'tests/__init__.py'])(
    'a new %s, but not where the base is judged',
    (path) => expect(plan({ path, after: 'x' }).addedTests).toEqual([path]),
  );

  it('a source that patches the runner, but it is told', () => {
    const found = plan({
      path: 'src/a.cjs',
      before: 'a',
      after: "require('assert').strictEqual = () => {};\nassert.equal = x;",
    });
    expect(found).toMatchObject({ puts: [], findings: [{ kind: 'runner_patched' }] });
  });
});

describe('in a project without tests', () => {
  it.each([
    ['a test that patches', { path: 'tests/test_a.py', after: "@patch('pytest.x')\n" }],
    ['a test that masks', { path: 'test/run.sh', after: 'set +e\nrm x || true\n' }],
    ['a test that is focused', { path: 'a.test.js', after: 'test("a", { only: true })' }],
    ['a conftest', { path: 'tests/conftest.py', after: '' }],
    ['a configuration', { path: 'vitest.config.ts', after: 'x' }],
    ['sections', { path: 'pyproject.toml', after: '[tool.pytest.ini_options]\npythonpath = "."\n' }],
    [
      'a script in place of what npm writes',
      {
        path: 'package.json',
        before: json({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }),
        after: json({ scripts: { test: 'node --test' } }),
      },
    ],
  ])('%s is work like any other', (_, change) => {
    expect(plan(change, false, false)).toMatchObject({ puts: [], addedTests: [] });
  });

  it.each([
    ['what stands before the runner', { path: 'pytest.py', after: '' }],
    ['another shell', { path: '.npmrc', after: 'script-shell=/bin/true\n' }],
    ['a script', { path: 'package.json', before: json(PACKAGE), after: json({ scripts: { test: 'true' } }) }],
    ['a recipe', { path: 'Makefile', before: 'test:\n\ta\n', after: 'test:\n\ttrue\n' }],
  ])('%s is put back all the same', (_, change) => {
    expect(plan(change, false, false).puts).toMatchObject([{ path: change.path }]);
  });
});
