import { describe, expect, it } from 'vitest';
import { editsTests, isTestFile, namedIn } from '../../src/job/test-files.ts';

describe('a test file', () => {
  it.each([
    'test/a.ts',
    'packages/x/tests/deep/a.py',
    'src/__tests__/a.jsx',
    'src/a.test.ts',
    'src/a.spec.mjs',
    'pkg/a_test.go',
    'test_a.py',
    'src/ATest.java',
    'a_spec.rb',
    'spec/fixtures/data.json',
    'src/__snapshots__/a.snap',
  ])('is %s', (path) => expect(isTestFile(path)).toBe(true));

  it.each([
    'src/latest.ts',
    'src/contest.py',
    'attest/a.ts',
    'test.md',
    'src/testing.ts',
    'src/Latest.java',
    'a.ts',
  ])('is not %s', (path) => expect(isTestFile(path)).toBe(false));
});

describe('a command names', () => {
  it.each([
    ['pytest tests/test_new.py::TestA::test_b', 'tests/test_new.py'],
    ['python3 -m unittest tests.test_new.TestA', 'tests/test_new.py'],
    ['python3 -m unittest tests.test_new', 'tests/test_new.py'],
  ])('by %s the file %s', (command, path) => expect(namedIn(command, path)).toBe(true));

  it.each([
    ['pytest tests', 'tests/test_new.py'],
    ['python3 -m unittest tests', 'tests.py.py'],
  ])('by %s not %s', (command, path) => expect(namedIn(command, path)).toBe(false));
});

describe('an edit of the tests', () => {
  it.each([
    ['M', 'test/a.ts', 'npm test'],
    ['D', 'src/a.test.ts', null],
    ['T', 'test/a.ts', null],
    ['A', 'conftest.py', 'pytest'],
    ['A', 'vitest.config.ts', 'npx vitest run'],
    ['M', 'jest.config.js', null],
    ['M', 'test.sh', 'sh test.sh'],
    ['A', 'run/check', './run/check --all'],
    ['M', 'run/check', 'bash -c "run/check && echo ok"'],
  ] as const)('%s %s, with %j', (status, path, command) => {
    expect(editsTests({ path, status }, command)).toBe(true);
  });

  it('is told from the folder the command starts in', () => {
    const change = { path: 'pkg/check.sh', status: 'M' } as const;
    expect(editsTests(change, 'sh check.sh', 'pkg')).toBe(true);
    expect(editsTests(change, 'sh ../pkg/check.sh', 'other')).toBe(true);
    expect(editsTests({ ...change, path: 'check.sh' }, 'sh check.sh', 'pkg')).toBe(false);
  });

  it.each([
    ['A', 'test/new.test.ts', 'npm test'],
    ['M', 'src/a.ts', 'npm test'],
    ['M', 'a.sh', 'sh test-a.sh'],
    ['M', 'check', './run/check'],
  ] as const)('is not %s %s, with %j', (status, path, command) => {
    expect(editsTests({ path, status }, command)).toBe(false);
  });
});
