const FOLDERS: ReadonlySet<string> = new Set([
  'test',
  'tests',
  '__tests__',
  'spec',
  'specs',
  'e2e',
  'testdata',
  '__snapshots__',
]);

/** `a.test.ts`, `a.spec.js`, `a_test.go`, `test_a.py`, `ATest.java`, `a_spec.rb`. */
const NAMES =
  /(^test_.+\.py|[._-](test|tests|spec|e2e)\.[a-z0-9]+|[A-Za-z0-9](Test|Tests|Spec)\.[a-z]+|\.snap)$/;

/** What tells a test runner where to look and what to load. */
const CONFIGURATION =
  /^(conftest\.py|pytest\.ini|tox\.ini|noxfile\.py|setup\.cfg|\.coveragerc|\.mocharc(\..+)?|(vitest|jest|karma|playwright|cypress|ava|wdio)\.[^/]*(config|setup|conf)\.[cm]?[jt]s|jest\.config\.json|vitest\.workspace\.[cm]?[jt]s|\.rspec|phpunit\.xml(\.dist)?)$/i;

/** By the usual names of languages and runners, is this path (relative, slashes) a test or its data? */
export function isTestFile(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  return parts.slice(0, -1).some((part) => FOLDERS.has(part.toLowerCase())) || NAMES.test(name);
}

/**
 * Could this change make the test command green without the code being right? A test that was there before is
 * changed or deleted, what steers the runner is new or changed, or the command itself names the file. A new
 * test is work like any other.
 */
export function editsTests(
  change: { readonly path: string; readonly status: 'A' | 'M' | 'D' | 'T' },
  testCommand: string | null,
): boolean {
  const name = change.path.split('/').at(-1) ?? '';
  if (CONFIGURATION.test(name)) return true;
  if (testCommand !== null && namedIn(testCommand, change.path)) return true;
  return change.status !== 'A' && isTestFile(change.path);
}

/** A word of the command that is this path, or ends in it as `./run/test.sh` does in `run/test.sh`. */
function namedIn(command: string, path: string): boolean {
  return command.split(/[\s;&|()'"`=<>]+/).some((word) => word.replace(/^\.\//, '') === path);
}
