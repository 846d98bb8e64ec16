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
    ran: false,
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
    ran: false,
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

const PASSES: Preflight = {
  ran: true,
  exitCode: 0,
  timedOut: false,
  outputTail: '',
  verdict: 'passes',
  note: '',
  durationSeconds: 1,
};

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
});
