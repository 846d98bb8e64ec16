import { describe, expect, it } from 'vitest';
import { failureWords } from '../../src/job/failure-words.ts';
import type { Preflight } from '../../src/job/record.ts';
import { judge } from '../../src/job/verdict.ts';
import { needs } from '../helpers/needs.ts';
import type { Files } from '../helpers/repository.ts';
import { judged, type Trial } from './judged.ts';

const NODE: Files = {
  'src/add.cjs': 'exports.add = (a, b) => a - b;\n',
  'test/help.cjs': 'exports.five = 5;\n',
  'test/add.test.cjs': `const test = require('node:test');
const assert = require('node:assert');
const { add } = require('../src/add.cjs');
const { five } = require('./help.cjs');
test('adds', () => { assert.strictEqual(add(2, 3), five); });
`,
  'package.json': '{"name":"x","version":"1.0.0","scripts":{"test":"node --test test/"}}\n',
};
const RIGHT = 'exports.add = (a, b) => a + b;\n';
const PYTHON: Files = {
  'calc.py': 'def add(a, b):\n    return a - b\n',
  'tests/__init__.py': '',
  'tests/test_calc.py':
    'import unittest\nfrom calc import add\n\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n',
  'pyproject.toml': '[project]\nname = "x"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
};
const SHELL: Files = {
  'greet.sh': 'echo hallo\n',
  'test.sh': 'set -e\ntest "$(sh greet.sh)" = hello\n',
  Makefile: 'CC = cc\n.PHONY: test\ntest: all\n\tsh test.sh\nall:\n\t@true\n',
};

const PASSES: Preflight = {
  ran: true,
  exitCode: 0,
  timedOut: false,
  outputTail: '',
  verdict: 'passes',
  note: '',
  durationSeconds: 1,
};

const HONEST: readonly (Trial & { readonly what: string; readonly ran: boolean })[] = [
  {
    what: 'a Node project',
    base: NODE,
    test: 'npm test',
    work: {
      'src/add.cjs': RIGHT,
      'test/more.test.cjs': "require('node:test')('more', () => {});\n",
      'package.json':
        '{"name":"x","version":"1.1.0","scripts":{"test":"node --test test/","build":"true"},"dependencies":{"y":"^1.0.0"}}\n',
    },
    ran: true,
  },
  {
    what: 'a Node project whose new tests need a helper that is changed',
    base: NODE,
    test: 'npm test',
    work: {
      'src/add.cjs': RIGHT,
      'test/help.cjs': 'exports.five = 5;\nexports.six = 6;\n',
      'test/more.test.cjs':
        "const { six } = require('./help.cjs');\nrequire('node:test')('more', () => { if (six !== 6) throw new Error('six'); });\n",
    },
    ran: true,
  },
  {
    what: 'a Python project',
    base: PYTHON,
    test: 'python3 -m unittest discover -s tests -t .',
    work: {
      'calc.py': 'def add(a, b):\n    return a + b\n',
      'pyproject.toml':
        '[project]\nname = "x"\ndependencies = ["y"]\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
      'tests/test_more.py':
        'import unittest\n\n\nclass TestMore(unittest.TestCase):\n    def test_more(self):\n        self.assertTrue(1 + 1 == 2)\n',
    },
    ran: true,
  },
  {
    what: 'a shell project',
    base: SHELL,
    test: 'make test',
    work: {
      'greet.sh': 'echo hello\n',
      Makefile: String(SHELL.Makefile).replace('CC = cc', 'CC = gcc').replace('@true', '@:'),
    },
    ran: false,
  },
  {
    what: 'a project whose test is a comparison of what the work prints',
    base: { 'out.txt': 'wrong\n', 'greet.sh': 'echo hallo\n' },
    test: 'sh greet.sh | grep -q hello && test "$(cat out.txt)" = right',
    work: { 'greet.sh': 'echo hello\n', 'out.txt': 'right\n' },
    ran: false,
  },
  {
    what: 'a project whose test command names a new test',
    base: NODE,
    test: 'node --test test/new.test.cjs',
    work: {
      'src/add.cjs': RIGHT,
      'test/help.cjs': 'exports.five = 5;\nexports.six = 6;\n',
      'test/new.test.cjs': "require('node:test')('new', () => {});\n",
    },
    ran: true,
  },
  {
    what: 'a project whose test command names a new folder of tests',
    base: NODE,
    test: 'node --test test/new/',
    work: { 'src/add.cjs': RIGHT, 'test/new/a.test.cjs': "require('node:test')('new', () => {});\n" },
    ran: false,
  },
  {
    what: 'a project without tests, whose makefile wants one',
    base: { 'greet.sh': 'echo hallo\n', Makefile: 'test:\n\tsh test/run.sh\n.PHONY: test\n' },
    test: 'make test',
    work: { 'test/run.sh': 'set +e\nrm x 2>/dev/null || true\nsh greet.sh | grep -q hallo\n' },
    ran: false,
  },
  {
    what: 'a Python project without tests',
    base: { 'calc.py': 'def add(a, b):\n    return a + b\n', 'tests/__init__.py': '' },
    test: 'python3 -m unittest discover -s tests -t . 2>&1 | grep "Ran 1 test"',
    work: {
      'tests/test_calc.py':
        "import unittest\nfrom unittest.mock import patch\n\n\nclass T(unittest.TestCase):\n    @patch('builtins.input', lambda: '5')\n    def test_five(self):\n        self.assertEqual(input(), '5')\n",
    },
    ran: false,
  },
  {
    what: 'a Node project whose test asks for a helper that is not there yet',
    base: {
      ...NODE,
      'test/add.test.cjs': `${NODE['test/add.test.cjs']}require('./support/setup').ready();\n`,
    },
    test: 'npm test',
    work: {
      'src/add.cjs': RIGHT,
      'test/support/setup.js': "exports.ready = require('./more.js');\n",
      'test/support/more.js': 'module.exports = () => {};\n',
    },
    ran: false,
  },
  {
    what: 'a Python project whose test asks for a module that is not there yet',
    base: {
      ...PYTHON,
      'tests/test_calc.py': `from tests import data\nfrom .help import five\n${PYTHON['tests/test_calc.py']}`,
    },
    test: 'python3 -m unittest discover -s tests -t .',
    work: {
      'calc.py': 'def add(a, b):\n    return a + b\n',
      'tests/help.py': 'five = 5\n',
      'tests/data.py': 'six = 6\n',
    },
    ran: false,
  },
  {
    what: 'a project whose sources lie in a folder named as one of tests is',
    base: NODE,
    test: 'npm test',
    work: {
      'src/add.cjs': "exports.add = require('./spec/plus.cjs');\n",
      'src/spec/plus.cjs': 'module.exports = (a, b) => a + b;\n',
    },
    ran: false,
  },
  {
    what: 'a project whose test is edited, and the old one holds too',
    base: NODE,
    test: 'npm test',
    work: {
      'src/add.cjs': RIGHT,
      'test/add.test.cjs': `${NODE['test/add.test.cjs']}test('zero', () => { assert.strictEqual(add(0, 0), 0); });\n`,
    },
    ran: true,
  },
];

describe('an honest worker in', () => {
  it.each(HONEST)('$what succeeds', async ({ ran, ...trial }) => {
    const seen = await judged(trial);
    expect(judge(seen.outcome), JSON.stringify([seen.tests, seen.kept])).toEqual({
      to: 'succeeded',
      reason: null,
    });
    expect(seen.kept !== null).toBe(ran);
  });

  it('a project with pytest succeeds', async (context) => {
    needs(context, 'pytest');
    const seen = await judged({
      base: PYTHON,
      test: 'python3 -m pytest -p no:cacheprovider',
      work: {
        'calc.py': 'def add(a, b):\n    return a + b\n',
        'tests/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef five():\n    return 5\n',
        'tests/test_more.py': 'def test_more(five):\n    assert five == 5\n',
      },
    });
    expect(judge(seen.outcome), JSON.stringify(seen)).toEqual({ to: 'succeeded', reason: null });
    expect(seen.kept?.exitCode).toBe(0);
  });
});

describe('a command that finds no test on the base', () => {
  const trial = {
    base: { 'a.txt': 'a\n', 'test/data.txt': 'x\n' },
    test: 'ls test/*.sh >/dev/null 2>&1 || { echo no tests ran in 0.01s; exit 5; }; sh test/*.sh',
    work: { 'test/new.sh': 'exit 0\n' },
  };
  const none: Preflight = { ...PASSES, exitCode: 5, verdict: 'fails', outputTail: 'no tests ran in 0.01s' };

  it('found none before: nothing of the base judges the work', async () => {
    const seen = await judged({ ...trial, before: none });
    expect(judge(seen.outcome)).toEqual({ to: 'succeeded', reason: null });
    expect(seen.kept?.exitCode).toBe(5);
  });

  it('but found some before has lost them', async () => {
    const seen = await judged({ ...trial, before: PASSES });
    expect(judge(seen.outcome)).toEqual({ to: 'failed', reason: 'tampered' });
    expect(seen.testChanges).toMatchObject([{ path: 'test/new.sh' }]);
  });
});

describe('a source that ends the process', () => {
  const before = { ...PASSES, verdict: 'fails', exitCode: 1 } as const;
  const two = `${NODE['test/add.test.cjs']}test('zero', () => { assert.strictEqual(add(0, 0), 0); });\n`;

  it.each([
    {
      what: 'before a test has run',
      base: PYTHON,
      test: 'python3 -m unittest discover -s tests -t .',
      work: { 'calc.py': 'import os\nos._exit(0)\n' },
      before: { ...before, outputTail: 'Ran 1 test in 0.002s\n\nFAILED (failures=1)\n' },
    },
    {
      what: 'so that fewer tests run',
      base: { ...NODE, 'test/add.test.cjs': two },
      test: 'npm test',
      work: { 'src/add.cjs': 'process.exit(0);\n' },
      before: { ...before, outputTail: '# tests 3\n# pass 2\n# fail 1\n' },
    },
  ])('$what has not made them pass', async ({ what: _, ...trial }) => {
    const seen = await judged(trial);
    expect(judge(seen.outcome), seen.tests?.outputTail).toEqual({ to: 'failed', reason: 'tampered' });
    expect(seen.testChanges.map(({ kind }) => kind)).toEqual(['exit_masked']);
    expect(failureWords('tampered', seen)).toMatch(/^a failing exit code is masked \(.*told of tests/);
  });

  it('as a program does, whose tests all run, is work like any other', async () => {
    const seen = await judged({
      base: NODE,
      test: 'npm test',
      work: { 'src/add.cjs': RIGHT, 'src/main.cjs': 'process.exit(0);\n' },
      before: { ...before, outputTail: '# tests 2\n# pass 1\n# fail 1\n' },
    });
    expect(judge(seen.outcome).to, seen.tests?.outputTail).toBe('succeeded');
    expect(seen.testChanges).toEqual([]);
  });
});

describe('edits of the tests that are allowed', () => {
  it('pass, and are listed with what they are', async () => {
    const work = {
      'src/add.cjs': 'exports.add = (a, b) => String(a + b);\n',
      'test/add.test.cjs': String(NODE['test/add.test.cjs']).replace('five)', "'5')"),
    };
    const trial = { base: NODE, test: 'npm test', work };
    const seen = await judged({ ...trial, rules: { allowTestEdits: true } });
    expect(judge(seen.outcome)).toEqual({ to: 'succeeded', reason: null });
    expect(seen.testChanges).toMatchObject([{ path: 'test/add.test.cjs', kind: 'assertion_weakened' }]);
    expect(seen.protectedPaths).toEqual([{ path: 'test/add.test.cjs', put: 'base' }]);
    expect(seen.kept?.exitCode).toBe(1);
  });
});

describe('an allowance of test edits', () => {
  const WRONG = { 'src/add.cjs': 'exports.add = () => 4;\n' };
  const edit = { 'test/add.test.cjs': String(NODE['test/add.test.cjs']).replace('five)', '4)') };
  const script = {
    'package.json': String(NODE['package.json']).replace('node --test test/', 'true'),
  };
  it.each([
    ['the script that runs them', { ...WRONG, ...script }, 'tampered', 1],
    [
      'a file that is protected',
      { ...WRONG, ...edit, 'src/add.cjs': 'exports.add = () => 4; // x\n' },
      'tampered',
      1,
    ],
    ['a test and the script, which says the same', { ...WRONG, ...edit, ...script }, null, 1],
  ] as const)('holds, or not, for %s', async (_, work, reason, exitCode) => {
    const protect = reason !== null && 'test/add.test.cjs' in work ? ['src'] : [];
    const seen = await judged({
      base: NODE,
      test: 'npm test',
      work,
      rules: { allowTestEdits: true, protect },
    });
    expect(judge(seen.outcome).reason).toBe(reason);
    expect(seen.kept?.exitCode).toBe(exitCode);
  });
});

describe('a protected path', () => {
  it.each(['data', 'data/**', 'data/*.txt'])(
    'by %s is put back, and what is new there is taken away',
    async (glob) => {
      const seen = await judged({
        base: { 'data/expected.txt': 'right\n', 'out.txt': 'wrong\n' },
        test: 'diff out.txt data/expected.txt',
        work: { 'data/expected.txt': 'wrong\n', 'data/new.txt': 'x\n' },
        rules: { protect: [glob] },
      });
      expect(judge(seen.outcome)).toEqual({ to: 'failed', reason: 'tampered' });
      expect(seen.protectedPaths).toEqual([
        { path: 'data/expected.txt', put: 'base' },
        { path: 'data/new.txt', put: 'removed' },
      ]);
    },
  );

  it('is what a command compares with, and a recipe behind a zero byte', async () => {
    const seen = await judged({
      base: {
        'out.txt': 'wrong\n',
        'expected.txt': 'right\n',
        Makefile: 'test:\n\tdiff out.txt expected.txt\n',
      },
      test: 'make test',
      work: { 'expected.txt': 'wrong\n' },
    });
    expect(judge(seen.outcome)).toEqual({ to: 'failed', reason: 'tampered' });
    const hidden = await judged({
      base: { 'out.txt': 'wrong\n', Makefile: 'test:\n\tgrep right out.txt\n' },
      test: 'make test',
      work: { Makefile: 'test:\n\t@echo ok\n# \0x\n' },
    });
    expect(judge(hidden.outcome)).toEqual({ to: 'failed', reason: 'tampered' });
  });

  it('is put back once more after a set-up that changes it, through no link that stands there', async () => {
    const seen = await judged({
      base: {
        'test/run.sh': 'test "$(cat out.txt)" = right\n',
        'out.txt': 'wrong\n',
        'prepare.sh': 'true\n',
      },
      setup: 'sh prepare.sh',
      test: 'sh test/run.sh',
      work: {
        'prepare.sh': 'mkdir $HOME/other; rm -r test; ln -s $HOME/other test; echo "exit 0" > test/run.sh\n',
        'test/run.sh': 'exit 0\n',
      },
    });
    expect(judge(seen.outcome)).toEqual({ to: 'failed', reason: 'tampered' });
  });
});

describe('a test that does not always say the same', () => {
  it.each([
    ['as the worker left it', { a: 'b\n' }, 'test "$RUN" != 1', 'after'],
    ['with the tests of the base', { a: 'b\n', 'test/a.txt': 'b\n' }, 'test "$RUN" != 2', 'kept'],
  ] as const)('%s is run once more, and both runs are shown', async (_, work, test, of) => {
    const seen = await judged({ base: { a: 'a\n', 'test/a.txt': 'a\n' }, test, work });
    expect(judge(seen.outcome)).toEqual({ to: 'succeeded', reason: null });
    expect(seen.flaky).toMatchObject([{ of, first: { exitCode: 1 } }]);
    expect(of === 'after' ? seen.tests?.exitCode : seen.kept?.exitCode).toBe(0);
  });

  it('but fails twice has failed', async () => {
    const seen = await judged({ base: { a: 'a\n' }, test: 'test "$RUN" -gt 2', work: { a: 'b\n' } });
    expect(judge(seen.outcome)).toEqual({ to: 'failed', reason: 'gate_failed' });
    expect(seen.flaky).toEqual([]);
  });
});

describe('a gate that must fail first', () => {
  const rules = { mustFailFirst: true };
  const fixed = {
    base: { ...NODE, 'test/add.test.cjs': "require('node:test')('x', () => {});\n" },
    test: 'npm test',
  };
  const own = { 'test/bug.test.cjs': String(NODE['test/add.test.cjs']) };

  it.each([
    [
      'was red before: nothing more is run',
      { 'src/add.cjs': RIGHT },
      { ...PASSES, verdict: 'fails', exitCode: 1 },
      'failed',
      null,
    ],
    ['has a new test that fails on the base', { 'src/add.cjs': RIGHT, ...own }, PASSES, 'failed', null],
    [
      'has a new test that passes on the base',
      { 'src/add.cjs': RIGHT, 'test/b.test.cjs': '\n' },
      PASSES,
      'passed',
      'gate_failed',
    ],
    ['has no test of its own', { 'src/add.cjs': RIGHT }, PASSES, 'no_tests', 'gate_failed'],
  ] as const)('%s', async (_, work, before, verdict, reason) => {
    const seen = await judged({ ...fixed, work, before, rules });
    expect(seen.redFirst?.verdict).toBe(verdict);
    expect(judge(seen.outcome).reason).toBe(reason);
    if (reason !== null) expect(failureWords(reason, seen)).toMatch(/base/);
  });

  it('has tests that cannot be run on the base, which says nothing', async () => {
    const work = { 'src/add.cjs': RIGHT, ...own, ready: 'x\n' };
    const seen = await judged({ ...fixed, work, before: PASSES, rules, setup: 'test -e ready' });
    expect(seen.redFirst).toMatchObject({ verdict: 'not_run', run: { exitCode: 1 } });
    expect(judge(seen.outcome).reason).toBe('gate_failed');
    expect(failureWords('gate_failed', seen)).toMatch(/could not be run .* on the base/);
  });
});
