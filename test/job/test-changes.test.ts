import { describe, expect, it } from 'vitest';
import { explainTimeout } from '../../src/job/explain-timeout.ts';
import {
  isSuspicious,
  readChange,
  readSource,
  TEST_CHANGE_KINDS,
  testChangeWords,
} from '../../src/job/test-changes.ts';
import { trickWords } from '../../src/job/verdict.ts';

const JS =
  "test('a', () => {\n  expect(f(1)).toBe(2);\n});\ntest('b', () => {\n  expect(f(2)).toBe(3);\n});\n";
const PY = 'def test_a():\n    assert f(1) == 2\n\n\ndef test_b():\n    assert f(2) == 3\n';
const GO = 'func TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Fatal("x")\n\t}\n}\n';
const RUST = '#[test]\nfn a() {\n    assert_eq!(f(1), 2);\n}\n';
const JAVA = '@Test\nvoid a() {\n  assertEquals(2, f(1));\n}\n';

describe('in a changed test is seen', () => {
  it.each([
    ['a file that is gone', JS, null, 'test_deleted'],
    ['a test that is gone', JS, JS.slice(0, JS.indexOf("test('b'")), 'test_deleted'],
    ['a skip of JavaScript', JS, JS.replace("test('a'", "test.skip('a'"), 'test_skipped'],
    ['another one', JS, JS.replace("test('a'", "xtest('a'"), 'test_skipped'],
    ['an option that skips', JS, JS.replace("'a', ()", "'a', { skip: true }, ()"), 'test_skipped'],
    ['a skip of pytest', PY, PY.replace('def test_a', '@pytest.mark.skip\ndef test_a'), 'test_skipped'],
    ['an expected failure', PY, PY.replace('def test_a', '@pytest.mark.xfail\ndef test_a'), 'test_skipped'],
    ['a skip of Go', GO, GO.replace('if f', 't.Skip()\n\tif f'), 'test_skipped'],
    ['a skip of Rust', RUST, RUST.replace('fn a', '#[ignore]\nfn a'), 'test_skipped'],
    ['a skip of Java', JAVA, JAVA.replace('void', '@Disabled\nvoid'), 'test_skipped'],
    ['a focused test', JS, JS.replace("test('a'", "test.only('a'"), 'test_focused'],
    ['an assertion that is gone', JS, JS.replace('expect(f(1)).toBe(2);', 'f(1);'), 'assertion_weakened'],
    ['one that is weaker', JS, JS.replace('.toBe(2)', '.toBeDefined()'), 'assertion_weakened'],
    ['one that expects something else', PY, PY.replace('== 2', '== 3'), 'assertion_weakened'],
    ['one of Rust', RUST, RUST.replace('assert_eq!(f(1), 2);', ''), 'assertion_weakened'],
    ['a masked exit code', 'set -e\nrun\n', 'set -e\nrun || true\n', 'exit_masked'],
    ['an exit of the script', 'run\n', 'run\nexit 0\n', 'exit_masked'],
    ['an exit of the process', JS, `${JS}process.exit(0);\n`, 'exit_masked'],
    ['an exit of Python', PY, `${PY}import os; os._exit(0)\n`, 'exit_masked'],
    [
      'an exit code that is set',
      PY,
      `${PY}def pytest_sessionfinish(session):\n    session.exitstatus = 0\n`,
      'exit_masked',
    ],
    ['a runner that is patched', PY, `${PY}unittest.TestCase.assertEqual = print\n`, 'runner_patched'],
  ] as const)('%s', (_, before, after, kind) => {
    expect(readChange('a', { before, after }).map((found) => found.kind)).toContain(kind);
  });

  it.each([
    ['a test more', JS, `${JS}test('c', () => {\n  expect(f(3)).toBe(4);\n});\n`],
    ['a test that is moved', JS, `${JS.slice(JS.indexOf("test('b'"))}${JS.slice(0, JS.indexOf("test('b'"))}`],
    ['a comment', PY, `# a comment\n${PY}`],
  ])('nothing for %s', (_, before, after) => {
    expect(readChange('a', { before, after })).toEqual([]);
  });
});

it.each([
  ['import os\nos._exit(0)\n', ['exit_masked']],
  ['process.reallyExit(0);', ['exit_masked']],
  ['unittest.TestCase.assertEqual = print\n', ['runner_patched']],
  ['import sys\nsys.exit(0)\n', []],
  ['process.exit(0);', []],
])('a source with %j is told as %j', (after, kinds) => {
  expect(readSource('a', { before: null, after }).map(({ kind }) => kind)).toEqual(kinds);
  expect(readSource('a', { before: after, after })).toEqual([]);
});

it('an ordinary new test is not suspicious', () => {
  for (const text of [JS, PY, GO, RUST, JAVA]) expect(isSuspicious(text), text).toBe(false);
  for (const text of ["@patch('builtins.input', f)", "sys.modules['app'] = fake"]) {
    expect(isSuspicious(text), text).toBe(false);
  }
  expect(isSuspicious("sys.modules['unittest'] = fake")).toBe(true);
});

it('every kind has words, and what tells more stands first', () => {
  for (const kind of TEST_CHANGE_KINDS) expect(testChangeWords(kind)).toMatch(/^\w/);
  const words = trickWords([
    { path: 'a', kind: 'script_changed', detail: '' },
    { path: 'b', kind: 'exit_masked', detail: '' },
    { path: 'c', kind: 'exit_masked', detail: '' },
  ]);
  expect(words).toBe('a failing exit code is masked (b), the script that runs the tests is changed (a)');
});

describe('a test that does not end', () => {
  it.each([
    ['PASS  Waiting for file changes...\n  press h to show help, press q to quit', /watcher/],
    ['Watch Usage\n › Press a to run all tests', /watcher/],
    ['Server listening on http://localhost:3000', /server/],
    ['Need to install the following packages: x\nOk to proceed? (y) ', /wait for an answer/],
    ['Overwrite file? [y/N]', /wait for an answer/],
    ['Password: ', /wait for an answer/],
  ])('after %j is explained', (tail, words) => expect(explainTimeout(tail)).toMatch(words));

  it.each(['', 'ok 1 - a\nok 2 - b', 'compiling 300 files'])('after %j is not', (tail) => {
    expect(explainTimeout(tail)).toBeNull();
  });
});
