import { joined } from './relative-path.ts';

const FOLDERS: ReadonlySet<string> = new Set([
  'test',
  'tests',
  '__tests__',
  'spec',
  'specs',
  'e2e',
  'testdata',
  '__snapshots__',
  '__mocks__',
]);

/** `a.test.ts`, `a.spec.js`, `a_test.go`, `test_a.py`, `ATest.java`, `a_spec.rb`. */
const NAMES =
  /(^test_.+\.py|[._-](test|tests|spec|e2e)\.[a-z0-9]+|[A-Za-z0-9](Test|Tests|Spec)\.[a-z]+|\.snap)$/;

/** What tells a test runner where to look and what to load, by the last part of a path. */
const CONFIGURATION =
  /^(conftest\.py|pytest\.ini|\.?pytest\.toml|tox\.ini|noxfile\.py|\.coveragerc|\.mocharc(\..+)?|mocha\.opts|\.nycrc(\..+)?|bunfig\.toml|setup[-_.]?tests?\.[cm]?[jt]sx?|(test|tests|vitest|jest|mocha)[-_.]?setup\.[cm]?[jt]sx?|(vitest|jest|karma|playwright|cypress|ava|wdio|mocha|tap)\.[^/]*(config|setup|conf)\.([cm]?[jt]s|json)|jest[.-](setup|global|env)[^/]*\.[cm]?[jt]s|vitest\.(setup|workspace|projects)\.([cm]?[jt]s|json)|tsconfig\.(test|tests|spec|vitest|jest)\.json|\.rspec|\.taprc|phpunit\.xml(\.dist)?|junit-platform\.properties|testng\.xml|nextest\.toml)$/i;

/** The same where only the whole path tells. */
const CONFIGURATION_PATHS = /(^|\/)\.cargo\/config(\.toml)?$|(^|\/)\.mvn\/(maven|jvm)\.config$/i;

const SNAPSHOTS = /(\.snap|\.approved\.[a-z0-9]+|\.ambr)$|(^|\/)__(image_)?snapshots__\//i;

/** Data by its name: nothing runs it by itself, and nothing is set up by it. */
const DATA =
  /\.(txt|md|csv|tsv|in|out|expected|golden|ans|html?|xml|sql|log|png|jpe?g|gif|svg|pdf|zip|gz|bin|dat|jsonl?|ya?ml)$/i;
const STEERING_DATA = /^(package|deno|bunfig|nx|project)\b.*\.|config|setup|rc\./i;

/**
 * Could a new test file (relative, slashes) change how the others run? Data and snapshots cannot; they may even
 * be what a test of the base asks for.
 */
export function mayDisarm(path: string): boolean {
  const name = path.split('/').at(-1) ?? '';
  return !isSnapshot(path) && (!DATA.test(name) || STEERING_DATA.test(name));
}

/** Is there a test in a project with this path (relative, slashes)? What only marks a folder is none. */
export function holdsTests(path: string): boolean {
  return (
    isTestFile(path) && !/(^|\/)(__init__\.py|conftest\.py|\.git(keep|ignore)|README(\.\w+)?)$/.test(path)
  );
}

/**
 * May a NEW file with this path be a part that others import rather than a test that a runner picks up, though it
 * lies where tests do? `isTestsFolder`: a runner picks up whatever is in it.
 */
export function mayBePart(path: string): { readonly isTestsFolder: boolean } | null {
  const name = path.split('/').at(-1) ?? '';
  if (!isCode(path) || NAMES.test(name) || !isTestFile(path)) return null;
  return { isTestsFolder: /(^|\/)(tests?|__tests__|__mocks__)\//i.test(path) };
}

/** Does this path (relative, slashes) say to a test runner where to look or what to load? */
export function isRunnerConfig(path: string): boolean {
  return CONFIGURATION.test(path.split('/').at(-1) ?? '') || CONFIGURATION_PATHS.test(path);
}

/** Is it what a test compares with, as a runner wrote it? */
export function isSnapshot(path: string): boolean {
  return SNAPSHOTS.test(path);
}

const CODE = /\.([cm]?[jt]sx?|py|go|rb|rs|java|kts?|php|pl|lua|(ba|z|k|da)?sh)$/i;

/** Is it text that is run, by its name? */
export function isCode(path: string): boolean {
  return CODE.test(path);
}

/** Is it, by its name, what an output is compared with? */
export function isExpectation(path: string): boolean {
  return /expect|golden|reference|baseline/i.test(path) && !isCode(path);
}

/** By the usual names of languages and runners, is this path (relative, slashes) a test or its data? */
export function isTestFile(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  return parts.slice(0, -1).some((part) => FOLDERS.has(part.toLowerCase())) || NAMES.test(name);
}

/**
 * Could this change make the test command green without the code being right? A test that was there before is
 * changed or deleted, what steers the runner is new or changed, or the command itself names the file. A new
 * test is work like any other. `folder`: where the command starts, relative to the root ('' is the root).
 */
export function editsTests(
  change: { readonly path: string; readonly status: 'A' | 'M' | 'D' | 'T' },
  testCommand: string | null,
  folder = '',
): boolean {
  if (isRunnerConfig(change.path) || LEGACY_CONFIGURATION.test(change.path)) return true;
  if (testCommand !== null && namedIn(testCommand, change.path, folder)) return true;
  return change.status !== 'A' && isTestFile(change.path);
}

/** Holds more than what steers a runner; a change is worth a look all the same. */
const LEGACY_CONFIGURATION = /(^|\/)setup\.cfg$/;

/** Is a word of the command this path, also as `./run/test.sh`, seen from the folder the command starts in? */
export function namedIn(command: string, path: string, folder = ''): boolean {
  return command
    .split(/[\s;&|()'"`=<>]+/)
    .some(
      (word) => word !== '' && [word, moduleFile(word)].some((each) => joined(folder, plain(each)) === path),
    );
}

/** Without a test's name within the file, as pytest takes it. */
function plain(word: string): string {
  return word.replace(/::.*$/, '');
}

/** `tests.test_a.TestA.test_b`, as Python's unittest takes it, is a name in `tests/test_a.py`. */
function moduleFile(word: string): string {
  const module = /^((?:\w+\.)+test\w*|test_\w+)(?:\.[A-Z]\w*(?:\.\w+)?)?$/.exec(word)?.[1];
  return module === undefined ? word : `${module.replaceAll('.', '/')}.py`;
}
