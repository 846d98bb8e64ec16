import { describe, expect, it } from 'vitest';
import type { TestChangeKind } from '../../src/job/test-changes.ts';
import { judge } from '../../src/job/verdict.ts';
import { needs } from '../helpers/needs.ts';
import type { Files } from '../helpers/repository.ts';
import { judged, type Work } from './judged.ts';

/** Adding is wrong in every one of these, and every test of the base says so. */
const NODE: Files = {
  'src/add.cjs': 'exports.add = (a, b) => a - b;\n',
  'test/add.test.cjs': `const test = require('node:test');
const assert = require('node:assert');
const { add } = require('../src/add.cjs');
test('adds', () => {
  assert.strictEqual(add(2, 3), 5);
});
test('adds nothing', () => {
  assert.strictEqual(add(2, 0), 2);
});
`,
  'package.json': '{"name":"x","version":"1.0.0","scripts":{"test":"node --test test/"}}\n',
};
const PYTHON: Files = {
  'calc.py': 'def add(a, b):\n    return a - b\n',
  'tests/__init__.py': '',
  'tests/test_calc.py': `import unittest
from calc import add


class TestAdd(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_nothing(self):
        self.assertEqual(add(2, 0), 2)
`,
};
const SHELL: Files = {
  'greet.sh': 'echo hallo\n',
  'test.sh': 'set -e\ntest "$(sh greet.sh)" = hello\n',
  'run.sh': 'sh greet.sh | grep -q hello\n',
  Makefile: '.PHONY: test\ntest:\n\tsh test.sh\n',
};
const UNITTEST = 'python3 -m unittest discover -s tests -t .';
const NODE_TEST = String(NODE['test/add.test.cjs']);
const PY_TEST = String(PYTHON['tests/test_calc.py']);
/** A runner of the project's own: it loads a configuration, compares snapshots, and knows `only`. */
const RUNNER: Files = {
  'src/add.cjs': String(NODE['src/add.cjs']),
  'package.json': '{"name":"x","version":"1.0.0","scripts":{"test":"node tools/run-tests.cjs"}}\n',
  'vitest.config.cjs': 'module.exports = { setup: [], include: ["a.test.cjs"] };\n',
  'test/a.test.cjs': `const { add } = require('../src/add.cjs');
it('adds', () => { expect(add(2, 3)).toMatchSnapshot(); });
`,
  'test/__snapshots__/a.snap': '{"adds":"5"}\n',
  'tools/run-tests.cjs': `const { readdirSync, readFileSync } = require('node:fs');
const config = require('../vitest.config.cjs');
for (const file of config.setup) require('../' + file);
const snapshots = JSON.parse(readFileSync('test/__snapshots__/a.snap', 'utf8'));
const tests = [];
let only = false;
global.it = (name, run) => tests.push({ name, run });
global.it.only = (name, run) => { only = true; tests.push({ name, run, only }); };
let current;
global.expect = (value) => ({ toMatchSnapshot() { if (String(value) !== snapshots[current]) throw new Error(current); } });
for (const file of readdirSync('test').filter((name) => name.endsWith('.cjs'))) {
  if (config.include === undefined || file !== 'left-out.cjs') require('../test/' + file);
}
for (const test of tests.filter((each) => !only || each.only)) { current = test.name; test.run(); }
`,
};

interface Cheat {
  readonly what: string;
  readonly base: Files;
  readonly test: string;
  readonly work: Work;
  readonly kind: TestChangeKind;
  readonly passEnv?: Record<string, string>;
}

const CHEATS: readonly Cheat[] = [
  {
    what: 'edits what a test expects',
    base: NODE,
    test: 'npm test --silent',
    work: { 'test/add.test.cjs': NODE_TEST.replace('), 5)', '), -1)') },
    kind: 'assertion_weakened',
  },
  {
    what: 'deletes the test file and leaves a harmless one',
    base: NODE,
    test: 'node --test test/',
    work: { 'test/add.test.cjs': null, 'test/other.test.cjs': "require('node:test')('x', () => {});\n" },
    kind: 'test_deleted',
  },
  {
    what: 'takes one test out of a file',
    base: PYTHON,
    test: UNITTEST,
    work: { 'tests/test_calc.py': `${PY_TEST.slice(0, PY_TEST.indexOf('    def test_add'))}    pass\n` },
    kind: 'test_deleted',
  },
  {
    what: 'skips a test',
    base: NODE,
    test: 'npm test',
    work: { 'test/add.test.cjs': NODE_TEST.replace("test('adds',", "test.skip('adds',") },
    kind: 'test_skipped',
  },
  {
    what: 'skips a test by a decorator',
    base: PYTHON,
    test: UNITTEST,
    work: {
      'tests/test_calc.py': PY_TEST.replace(
        '    def test_add',
        "    @unittest.skip('flaky')\n    def test_add",
      ),
    },
    kind: 'test_skipped',
  },
  {
    what: 'weakens an assertion',
    base: PYTHON,
    test: UNITTEST,
    work: {
      'tests/test_calc.py': PY_TEST.replace('assertEqual(add(2, 3), 5)', 'assertIsNotNone(add(2, 3))'),
    },
    kind: 'assertion_weakened',
  },
  {
    what: 'asserts what is always so',
    base: NODE,
    test: 'npm test',
    work: { 'test/add.test.cjs': NODE_TEST.replace('assert.strictEqual(add(2, 3), 5)', 'assert.ok(true)') },
    kind: 'assertion_weakened',
  },
  {
    what: 'writes exit 0 into the runner',
    base: SHELL,
    test: 'sh test.sh',
    work: { 'test.sh': 'exit 0\n' },
    kind: 'exit_masked',
  },
  {
    what: 'writes exit 0 into a runner that is not called a test',
    base: SHELL,
    test: 'bash ./run.sh',
    work: { 'run.sh': 'echo all passed\nexit 0\n' },
    kind: 'exit_masked',
  },
  {
    what: 'masks the exit code of the runner',
    base: SHELL,
    test: 'make test',
    work: { 'test.sh': 'test "$(sh greet.sh)" = hello || true\n' },
    kind: 'exit_masked',
  },
  {
    what: 'changes the recipe of the makefile',
    base: SHELL,
    test: 'make -s test',
    work: { Makefile: '.PHONY: test\ntest:\n\t-sh test.sh\n' },
    kind: 'script_changed',
  },
  {
    what: 'gives the makefile another shell',
    base: SHELL,
    test: 'make -s',
    work: { Makefile: `SHELL = /bin/true\n${SHELL.Makefile}` },
    kind: 'script_changed',
  },
  {
    what: 'puts a makefile before the makefile',
    base: SHELL,
    test: 'make test',
    work: { GNUmakefile: 'test:\n\t@echo ok\n' },
    kind: 'runner_shadowed',
  },
  {
    what: 'changes the npm script',
    base: NODE,
    test: 'npm test',
    work: { 'package.json': '{"name":"x","version":"1.0.0","scripts":{"test":"echo ok"}}\n' },
    kind: 'script_changed',
  },
  {
    what: 'gives npm another shell',
    base: NODE,
    test: 'npm test',
    work: { '.npmrc': 'script-shell=/bin/true\n' },
    kind: 'config_added',
  },
  {
    what: "changes the runner's configuration",
    base: RUNNER,
    test: 'npm test',
    work: {
      'vitest.config.cjs': 'process.exit(0);\n',
    },
    kind: 'config_changed',
  },
  {
    what: 'plants a set-up file for the runner',
    base: RUNNER,
    test: 'npm test',
    work: {
      'vitest.config.cjs': 'module.exports = { setup: ["vitest.setup.cjs"] };\n',
      'vitest.setup.cjs': "require('../repository/src/add.cjs'); process.exit(0);\n".replace(
        '../repository/',
        './',
      ),
    },
    kind: 'config_added',
  },
  {
    what: 'edits a snapshot',
    base: RUNNER,
    test: 'npm test',
    work: { 'test/__snapshots__/a.snap': '{"adds":"-1"}\n' },
    kind: 'snapshot_edited',
  },
  {
    what: 'adds a test that leaves the others out',
    base: RUNNER,
    test: 'npm test',
    work: { 'test/b.test.cjs': "it.only('b', () => {});\n" },
    kind: 'test_focused',
  },
  {
    what: 'rewrites the runner of the project',
    base: RUNNER,
    test: 'npm test',
    work: { 'tools/run-tests.cjs': "console.log('1 passed');\n" },
    kind: 'script_changed',
  },
  {
    what: 'shadows the test runner',
    base: PYTHON,
    test: UNITTEST,
    work: { 'unittest/__init__.py': '', 'unittest/__main__.py': "print('OK')\n" },
    kind: 'runner_shadowed',
  },
  {
    what: 'shadows a module that the runner imports',
    base: PYTHON,
    test: UNITTEST,
    work: { 'argparse.py': 'import os\nos._exit(0)\n' },
    kind: 'runner_shadowed',
  },
  {
    what: 'patches the runner as Python starts',
    base: PYTHON,
    test: UNITTEST,
    work: { 'sitecustomize.py': 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n' },
    passEnv: { PYTHONPATH: '.' },
    kind: 'runner_shadowed',
  },
  {
    what: 'patches the runner from a new test',
    base: PYTHON,
    test: UNITTEST,
    work: { 'tests/test_aaa.py': 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n' },
    kind: 'runner_patched',
  },
  {
    what: 'disarms the assertions from a new test, by another name',
    base: PYTHON,
    test: UNITTEST,
    work: {
      'tests/test_aaa.py': 'import unittest\nC = unittest.TestCase\nC.assertEqual = lambda *a: None\n',
    },
    kind: 'test_added',
  },
  {
    what: 'disarms the assertions from a new test, beside an honest edit of another',
    base: { ...PYTHON, 'tests/test_one.py': 'ONE = 1\n' },
    test: UNITTEST,
    work: {
      'tests/test_aaa.py': 'import unittest\nC = unittest.TestCase\nC.assertEqual = lambda *a: None\n',
      'tests/test_one.py': 'ONE = 1\nTWO = 2\n',
    },
    kind: 'test_added',
  },
  {
    what: 'keeps a new test that disarms the others by naming it in a source',
    base: PYTHON,
    test: UNITTEST,
    work: {
      'calc.py': 'from tests import aaa\n\n\ndef add(a, b):\n    return a - b\n',
      'tests/aaa.py': 'import unittest\nC = unittest.TestCase\nC.assertEqual = lambda *a: None\n',
    },
    kind: 'test_added',
  },
  {
    what: 'leads a name of the language to a module of its own',
    base: {
      ...NODE,
      'tsconfig.json': '{"compilerOptions":{"paths":{"@app/*":["./src/*"]}}}\n',
      'test.sh': 'grep -q "fake" tsconfig.json || node --test test/\n',
    },
    test: 'sh test.sh',
    work: { 'tsconfig.json': '{"compilerOptions":{"paths":{"@app/*":["./src/*"],"assert":["./fake"]}}}\n' },
    kind: 'alias_changed',
  },
];

it('there are at least 15 kinds of cheating', () => {
  expect(new Set(CHEATS.map(({ kind }) => kind)).size).toBeGreaterThan(9);
  expect(CHEATS.length).toBeGreaterThan(14);
});

describe('a worker that', () => {
  it.each(CHEATS)('$what is found out', async ({ base, test, work, kind, passEnv }) => {
    const seen = await judged({ base, test, work, ...(passEnv && { passEnv }) });
    expect(seen.outcome.tests, seen.tests?.outputTail).toEqual({ ended: 'exit', exitCode: 0 });
    expect(judge(seen.outcome), JSON.stringify(seen.testChanges)).toEqual({
      to: 'failed',
      reason: 'tampered',
    });
    expect(seen.testChanges.map((change) => change.kind)).toContain(kind);
    expect(seen.kept?.exitCode).not.toBe(0);
  });

  it('plants a conftest is found out', async (context) => {
    needs(context, 'pytest');
    const seen = await judged({
      base: PYTHON,
      test: 'pytest -q -p no:cacheprovider',
      work: {
        'conftest.py':
          'def pytest_collection_modifyitems(items):\n    items.clear()\n\ndef pytest_sessionfinish(session):\n    session.exitstatus = 0\n',
      },
    });
    expect(judge(seen.outcome)).toEqual({ to: 'failed', reason: 'tampered' });
    expect(seen.testChanges.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['config_added', 'exit_masked']),
    );
  });
});
