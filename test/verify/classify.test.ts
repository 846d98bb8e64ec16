import { describe, expect, it } from 'vitest';
import { classify } from '../../src/verify/classify.ts';

/** What the programs really print, shortened; npm 11, vitest 4, node 20, pytest 9, cargo, make 4.3, maven. */
const BROKEN: readonly (readonly [string, number, string])[] = [
  [
    'npm without the script',
    1,
    'npm error Missing script: "test"\nnpm error\nnpm error To see a list of scripts, run:\n',
  ],
  ['older npm without the script', 1, 'npm ERR! Missing script: "test"\n'],
  [
    "npm's own first test script",
    1,
    '\n> np\n> echo "Error: no test specified" && exit 1\n\nError: no test specified\n',
  ],
  ['pnpm without the script', 1, ' ERR_PNPM_NO_SCRIPT  Missing script: test\n'],
  ['yarn without the script', 1, 'error Command "test" not found.\n'],
  [
    'an option that vitest does not know',
    1,
    'CACError: Unknown option `--nosuch`\n    at Command.checkUnknownOptions\n',
  ],
  [
    'a package that a vitest file wants',
    1,
    "\u001b[41m FAIL \u001b[49m a.test.js\n\u001b[31mError\u001b[22m: Cannot find package 'nosuchpkg' imported from /w/a.test.js\n Test Files  1 failed (1)\n      Tests  no tests\n",
  ],
  [
    'an option that jest does not know',
    1,
    '● Unrecognized CLI Parameter:\n\n  Unrecognized option "nosuch".\n',
  ],
  ['a preset that jest has not got', 1, '● Validation Error:\n\n  Preset ts-jest not found.\n'],
  ['an option that node does not know', 9, 'node: bad option: --nosuch\n'],
  [
    'a file that node cannot find',
    1,
    "node:internal/modules/cjs/loader:1210\n  throw err;\n\nError: Cannot find module '/w/nothere.js'\n    at x {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n",
  ],
  ['a module that python has not got', 1, '/usr/bin/python3: No module named pytest\n'],
  [
    'a file that python cannot open',
    2,
    "python3: can't open file '/w/x.py': [Errno 2] No such file or directory\n",
  ],
  [
    'an option that pytest does not know',
    4,
    'ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --nosuch\n  inifile: None\n',
  ],
  [
    'a path that pytest cannot find',
    4,
    '==== no tests ran in 2.34s ====\nERROR: file or directory not found: nothere\n',
  ],
  [
    'go without a module',
    1,
    'go: go.mod file not found in current directory or any parent directory; see ...\n',
  ],
  ['an option that go test does not know', 2, 'flag provided but not defined: -nosuch\n'],
  [
    'a package that go has not got',
    1,
    'a_test.go:4:2: no required module provides package github.com/x/y; to add it:\n',
  ],
  [
    'a command that cargo has not got',
    101,
    'error: no such command: `nextest`\n\nhelp: view all installed commands\n',
  ],
  ['cargo without a project', 101, 'error: could not find `Cargo.toml` in `/w` or any parent directory\n'],
  ['an option that cargo does not know', 1, "error: unexpected argument '--nosuch' found\n"],
  ['a target that make has not got', 2, "make: *** No rule to make target 'test'.  Stop.\n"],
  ['make without a makefile', 2, 'make: *** No targets specified and no makefile found.  Stop.\n'],
  [
    'a command that make cannot find',
    2,
    'nosuchcmd\nmake: nosuchcmd: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n',
  ],
  [
    'maven without a project',
    1,
    '[\u001b[1;31mERROR\u001b[m] The goal you specified requires a project to execute but there is no POM in this directory (/w). Please\n',
  ],
  ['a phase that maven does not know', 1, '[ERROR] Unknown lifecycle phase "nosuch". You must specify\n'],
  ['a syntax that bash does not know', 2, "bash: -c: line 1: syntax error near unexpected token `then'\n"],
  ['a folder that is not there', 1, 'bash: line 1: cd: nothere: No such file or directory\n'],
];

const FAILS: readonly (readonly [string, number, string])[] = [
  ['nothing said', 1, ''],
  ['a failing vitest', 1, ' Test Files  1 failed (1)\n      Tests  1 failed (1)\n'],
  [
    'a vitest whose own file is still to come',
    1,
    "Error: Cannot find module './new.js' imported from /w/b.test.js\n      Tests  no tests\n",
  ],
  [
    'a vitest whose alias is still to come',
    1,
    "Error: Cannot find package '@/new' imported from /w/b.test.js\n      Tests  no tests\n",
  ],
  ['a vitest without tests yet', 1, 'No test files found, exiting with code 1\n'],
  [
    'a failing jest that speaks of a missing package',
    1,
    "Cannot find module 'x'\nTests:       1 failed, 2 passed, 3 total\n",
  ],
  ['a failing pytest', 1, 'E   assert 0\nFAILED test_b.py::test_a - assert 0\n1 failed in 1.29s\n'],
  [
    'a pytest whose module is still to come',
    2,
    "E   ModuleNotFoundError: No module named 'new'\nERROR test_a.py\n1 error in 2.62s\n",
  ],
  ['a pytest without tests yet', 5, '==== no tests ran in 0.01s ====\n'],
  [
    'a failing go test that prints what make prints',
    1,
    '--- FAIL: TestX (0.00s)\nmake: *** [Makefile:2: test] Error 127\n',
  ],
  ['go code that does not compile yet', 1, './a_test.go:5:2: undefined: NewThing\nFAIL\tx [build failed]\n'],
  [
    'a failing cargo test',
    101,
    'test result: FAILED. 1 passed; 1 failed; 0 ignored\nerror: test failed, to rerun pass `--lib`\n',
  ],
  [
    'rust code that does not compile yet',
    101,
    'error[E0425]: cannot find function `new`\nerror: could not compile `x` (lib test)\n',
  ],
  ['a make target that fails', 2, 'false\nmake: *** [Makefile:4: fail] Error 1\n'],
  ['a failing maven test', 1, '[ERROR] Tests run: 3, Failures: 1\n[ERROR] There are test failures.\n'],
  ['java code that does not compile yet', 1, '[ERROR] COMPILATION ERROR :\n[ERROR] cannot find symbol\n'],
];

describe('the preflight verdict', () => {
  it.each(BROKEN)('is a broken runner for %s', (_, exitCode, output) => {
    const { verdict, note } = classify({ ended: 'exit', exitCode, output });
    expect(verdict).toBe('runner_broken');
    expect(note).toMatch(/^the test command cannot run: .* \(.+\)$/);
  });

  it.each(FAILS)('is failing tests for %s', (_, exitCode, output) => {
    expect(classify({ ended: 'exit', exitCode, output }).verdict).toBe('fails');
  });

  it.each([
    ['exit', 0, 'npm error Missing script: "test"', 'passes'],
    ['not_started', 127, 'sh: 1: vitest: not found\n', 'runner_broken'],
    ['not_started', 126, 'bash: ./t.sh: Permission denied\n', 'runner_broken'],
    ['timeout', 124, '1 passed in 1s', 'timed_out'],
    ['signal', null, '', 'fails'],
  ] as const)('for %s with exit code %s and %j is %4$s', (ended, exitCode, output, verdict) => {
    expect(classify({ ended, exitCode, output }).verdict).toBe(verdict);
  });
});
