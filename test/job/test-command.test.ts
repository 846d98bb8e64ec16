import { describe, expect, it } from 'vitest';
import { simpleCommands } from '../../src/job/command-words.ts';
import { judgesOf } from '../../src/job/test-command.ts';

function files(texts: Record<string, string>) {
  return {
    has: (path: string) => Object.hasOwn(texts, path),
    text: async (path: string) => texts[path] ?? null,
  };
}

const PROJECT = {
  'test.sh': 'cd tools\nsh check-all.sh\n./../greet.sh\n',
  'tools/check-all.sh': 'true\n',
  'greet.sh': 'echo hi\n',
  'app.py': '',
  'run_tests.py': '',
  'out.txt': '',
  'data/expected.txt': '',
  'Golden.bin': '',
  'compare.sh': 'for f in a; do sh greet.sh | diff - data/expected.txt || exit 1; done',
  'conf/jest.json': '',
  'checks/a.js': '',
  Makefile:
    'all: build\n\t@sh greet.sh\ntest: build check\n\t@bash test.sh; true\ncheck:\n\tnode run_tests.py\n',
  'package.json': JSON.stringify({
    scripts: {
      test: 'npm run unit && sh ./test.sh',
      unit: 'jest --config conf/jest.json',
      posttest: 'sh greet.sh',
    },
  }),
  'sub/package.json': '{}',
  'packages/a/package.json': JSON.stringify({ scripts: { test: 'sh ../../run-check.sh' } }),
  'run-check.sh': 'true\n',
};

describe('what judges, for a command', () => {
  it.each([
    ['sh test.sh', ['test.sh', 'tools/check-all.sh']],
    ['CI=1 timeout 60 bash -e ./test.sh | tail -3', ['test.sh', 'tools/check-all.sh']],
    ["bash -c 'cd tools && sh check-all.sh'", ['tools/check-all.sh']],
    ['sh greet.sh', ['greet.sh']],
    ['sh greet.sh | grep -q hi', []],
    ['python3 app.py | diff - out.txt', []],
    ['python3 app.py | diff -u - data/expected.txt', ['data/expected.txt']],
    ['cmp out.txt Golden.bin', ['Golden.bin']],
    ['sh compare.sh', ['compare.sh', 'data/expected.txt']],
    ['diff out.txt <(sort data/expected.txt)', ['data/expected.txt']],
    ['sh greet.sh | diff data/expected.txt /dev/stdin', ['data/expected.txt']],
    ['test "$(cat out.txt)" = right', []],
    ['python3 run_tests.py', ['run_tests.py']],
    ['python3 -m pytest app.py', ['app.py']],
    ['node --test checks/a.js', ['checks/a.js']],
    ['node -e "require(1)" app.py', []],
    ['npx jest --config=conf/jest.json', ['conf/jest.json']],
    ['npm test', ['test.sh', 'tools/check-all.sh', 'conf/jest.json', 'greet.sh']],
    ['npm test -w packages/a', ['run-check.sh']],
    ['npm --workspace=packages/a run test', ['run-check.sh']],
    ['pnpm --filter ./packages/a test', ['run-check.sh']],
    ['pnpm -w test', ['test.sh', 'tools/check-all.sh', 'conf/jest.json', 'greet.sh']],
    ['yarn workspace packages/a test', ['run-check.sh']],
    ['npm --prefix packages/a test', ['run-check.sh']],
    ['make test', ['test.sh', 'tools/check-all.sh']],
    ['make', ['greet.sh']],
  ])('%s', async (command, scripts) => {
    const judges = await judgesOf(command, '', files(PROJECT));
    expect([...judges.scripts].sort()).toEqual([...scripts].sort());
  });

  it('the scripts and targets that run are named with their files, and with the folders', async () => {
    const judges = await judgesOf('npm test && make -C . test && cd sub && npm run x', '', files(PROJECT));
    expect([...(judges.packages.get('package.json') ?? [])]).toEqual(
      expect.arrayContaining(['pretest', 'test', 'posttest', 'unit']),
    );
    expect([...judges.packages.keys()]).toContain('sub/package.json');
    expect([...(judges.makefiles.get('Makefile') ?? [])]).toEqual(['test']);
    expect([...judges.folders]).toEqual(expect.arrayContaining(['', 'tools', 'sub']));
  });

  it('a file that the base does not have is named', async () => {
    const text = { Makefile: 'test:\n\tsh test/run.sh && pytest tests/test_a.py::test_b -q\n' };
    const judges = await judgesOf('make test; node tools/new.js', '', files(text));
    expect([...judges.missing]).toEqual(
      expect.arrayContaining(['test/run.sh', 'tests/test_a.py', 'tools/new.js']),
    );
  });

  it('the folder of a script is one that is looked into', async () => {
    const judges = await judgesOf('python3 sub/dir/run.py', '', files(PROJECT));
    expect([...judges.folders]).toEqual(['', 'sub/dir']);
  });

  it('is seen from the folder it starts in', async () => {
    const judges = await judgesOf('sh check-all.sh; sh ../../out', 'tools', files(PROJECT));
    expect([...judges.scripts]).toEqual(['tools/check-all.sh']);
  });

  it('ends where scripts call each other', async () => {
    const judges = await judgesOf(
      'sh test.sh',
      '',
      files({ 'test.sh': 'sh test2.sh', 'test2.sh': 'sh test.sh' }),
    );
    expect([...judges.scripts]).toEqual(['test.sh']);
  });
});

it('a shell text falls into simple commands', () => {
  const text = 'A=1 a "b c" && d \'e;f\' 2>&1 | g $H $(i j); # k\nl\\ m';
  expect(simpleCommands(text)).toEqual([
    ['A=1', 'a', 'b c'],
    ['d', 'e;f', '2>&1'],
    ['g', '$H', '$'],
    ['i', 'j'],
    ['l m'],
  ]);
});
