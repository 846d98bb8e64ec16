/** What was done to what judges the work, as far as a host can see it; what tells most stands first. */
export const TEST_CHANGE_KINDS = [
  'runner_shadowed',
  'runner_patched',
  'exit_masked',
  'test_deleted',
  'test_skipped',
  'test_focused',
  'config_added',
  'alias_changed',
  'snapshot_edited',
  'assertion_weakened',
  'script_changed',
  'config_changed',
  'protected_changed',
  'test_edited',
  'test_added',
] as const;
export type TestChangeKind = (typeof TEST_CHANGE_KINDS)[number];

/** One finding. It accuses nobody by itself: what it is worth the run with the base's tests shows. */
export interface TestChange {
  readonly path: string;
  readonly kind: TestChangeKind;
  /** A few words, e.g. `2 of 5 tests gone`. */
  readonly detail: string;
}

/** Total: a new kind without words does not compile. */
const WORDS: Record<TestChangeKind, string> = {
  test_deleted: 'a test is gone',
  test_skipped: 'a test is skipped',
  test_focused: 'other tests are left out by a focused one',
  assertion_weakened: 'an assertion is gone or weaker',
  exit_masked: 'a failing exit code is masked',
  script_changed: 'the script that runs the tests is changed',
  config_changed: "the runner's configuration is changed",
  config_added: 'configuration for the runner is planted',
  runner_shadowed: 'something stands in place of the test runner',
  runner_patched: 'the test runner is patched',
  snapshot_edited: 'a snapshot is edited',
  alias_changed: 'a name is led to another module',
  protected_changed: 'a protected file is changed',
  test_edited: 'a test is edited',
  test_added: 'a new test changes what the others see',
};

export function testChangeWords(kind: TestChangeKind): string {
  return WORDS[kind];
}

/** Both sides of a changed file; null: it is not there, too big, or no text. */
export interface Sides {
  readonly before: string | null;
  readonly after: string | null;
}

// The text is the worker's: no pattern may take longer than in proportion to it. A line's beginning is therefore
// `[ \t]*`, as `\s*` would run through all empty lines from each of them, and nothing that repeats stands beside its
// like.
const TESTS =
  /(?<![\w.$])(?:it|test|specify|describe|Deno\.test|t\.test)(?:\.\w+)*\s*\(|^[ \t]*(?:async\s+)?def\s+test\w*|^func\s+(?:Test|Fuzz|Example)\w*|#\[(?:\w+::)?test\b|@(?:Parameterized)?Test\b|^[ \t]*class\s+Test\w+|^@test\b|^[ \t]*(?:test|should)\s+["']/gm;
const SKIPS =
  /(?<=[\w)\]])\.(?:skip|skipIf|todo|fails|failing)\b|(?<![\w.$])(?:xit|xtest|xdescribe|xspecify|xcontext)\s*\(|\bskip\s*:(?!\s*false)|\btodo\s*:\s*true|@(?:pytest\.mark\.(?:skip|skipif|xfail)|(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure))\b|\b(?:pytest\.(?:skip|xfail|importorskip)|self\.skipTest|t\.Skip(?:f|Now)?|raise\s+(?:unittest\.)?SkipTest)\b|__test__\s*=\s*False|collect_ignore|#\[ignore\b|@(?:Ignore|Disabled)\b|\bpending\s*\(|^[ \t]*\/\/\s*(?:\+build|go:build)\s+ignore/gm;
const FOCUS =
  /(?<=[\w)\]])\.only\b|(?<![\w.$])(?:fit|fdescribe|fcontext|ftest)\s*\(|\bonly\s*:\s*true|\bfocus\s*:\s*true|\bSOLO\b|,\s*:focus\b/gm;
const ASSERTIONS =
  /\bassert\w*\s*[!(.]|^[ \t]*assert\s|\bexpect\s*\(|\bshould\.|self\.(?:assert|fail)\w*\s*\(|\brequire\.\w+\(t\b|\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow|is|ok|deepEqual|equal)\s*\(|\bpytest\.raises|^[ \t]*(?:test|\[{1,2})\s+\S|\b(?:diff|cmp|grep)\s+-?\S|\bexit\s+[1-9]/gm;
const HOLLOW =
  /\bassert\s+(?:True|1|not\s+False)\b|\bassert(?:\.ok|\.equal|\.strictEqual)?\s*\(\s*(?:true|1)\s*[,)]|assertTrue\s*\(\s*[Tt]rue|expect\s*\(\s*(?:true|1)\s*\)\s*\.\s*to(?:Be|Equal)?|\.(?:toBeDefined|toBeTruthy|toBeInstanceOf)\s*\(|assertIsNotNone\s*\(|\.toEqual\s*\(\s*expect\.any|^[ \t]*or\s+True\b|\|\|\s*true\s*\)/gm;
const MASKS =
  /\|\|\s*(?:true|:|exit\s+0|echo\b|\/bin\/true)|;\s*(?:true|exit\s+0)\s*(?:["']\s*)?$|^[ \t]*exit\s+0\b|(?<![\w.])exit\s*\(\s*(?:0\s*)?\)|process\.(?:exit|reallyExit|_exit)\s*\(\s*(?:0\s*)?\)|process\.exitCode\s*=\s*0|sys\.exit\s*\(\s*(?:(?:0|None)\s*)?\)|os\._exit\s*\(|os\.Exit\s*\(\s*0\s*\)|std::process::exit\s*\(\s*0|System\.exit\s*\(\s*0|\bset\s+\+e\b|trap\s+(?:['"]\s*)?exit\s+0|continue-on-error|passWithNoTests|--pass-with-no-tests|exitstatus\s*=\s*0|^\t-\S|MAKEFLAGS\s*[+:?]?=(?:(?!MAKEFLAGS).)*?(?:-i|-k|ignore)|^\.IGNORE/gm;
const PATCHES =
  /\b(?:assert|expect|TestCase|unittest|pytest|_pytest|Assertion\w*|console\.assert)(?:\.\w+){0,6}\.\w+\s*=(?!=)|setattr\s*\(\s*(?:unittest|pytest|_pytest|\w*TestCase)|patch\(\s*["'](?:unittest|pytest|_pytest)|sys\.modules\s*\[\s*["'](?:unittest|_?pytest)\b|builtins\.\w+\s*=|Module\._(?:load|resolveFilename)\s*=|require\.cache\s*\[|(?:mock|vi|jest)\.(?:mock|module)\(\s*["'](?:node:)?(?:assert|test|chai|vitest|jest)|process\.on\s*\(\s*["']exit|atexit\.register|def\s+pytest_\w+|pytest_plugins\s*=|Object\.defineProperty\s*\(\s*(?:assert|expect)/gm;

/** Are these the words of a test that does more than test, e.g. ends the process or leaves the others out? */
export function isSuspicious(text: string): boolean {
  return [FOCUS, MASKS, PATCHES].some((pattern) => countOf(text, pattern) > 0);
}

/** Ends of a process that no runner hears of; what else ends one is ordinary in a program. */
const SILENT_ENDS =
  /\bos\._exit\s*\(|process\.(?:reallyExit|_exit)\s*\(|\bsyscall\.Exit\s*\(|halt!?\s*\(\s*0\s*\)/gm;

/** What a file that is no test does to what judges it, as far as that can be told from ordinary work. */
export function readSource(path: string, { before, after }: Sides): TestChange[] {
  const told = [
    ['runner_patched', PATCHES],
    ['exit_masked', SILENT_ENDS],
  ] as const;
  return told.flatMap(([kind, pattern]) =>
    countOf(after ?? '', pattern) > countOf(before ?? '', pattern)
      ? [{ path, kind, detail: quote(after, before, pattern) }]
      : [],
  );
}

/**
 * A source that ends the process with 0 where it did not before. Ordinary in a program, and no finding as long as all
 * tests still run.
 */
export function readEnds(path: string, { before, after }: Sides): TestChange[] {
  if (countOf(after ?? '', MASKS) <= countOf(before ?? '', MASKS)) return [];
  return [{ path, kind: 'exit_masked', detail: quote(after, before, MASKS) }];
}

/**
 * What was done to a test, a script or a configuration, read from its text. Empty when there is nothing that a
 * pattern can tell. Counted over the whole file, so that moving a test is no finding.
 */
export function readChange(path: string, sides: Sides): TestChange[] {
  const { before, after } = sides;
  const had = (pattern: RegExp): number => countOf(before ?? '', pattern);
  const has = (pattern: RegExp): number => countOf(after ?? '', pattern);
  const found: TestChange[] = [];
  const add = (kind: TestChangeKind, detail: string): void => void found.push({ path, kind, detail });
  if (before !== null && after === null)
    return [{ path, kind: 'test_deleted', detail: 'the file is deleted' }];
  if (before !== null && has(TESTS) < had(TESTS))
    add('test_deleted', `${had(TESTS) - has(TESTS)} of ${had(TESTS)} tests gone`);
  if (has(SKIPS) > had(SKIPS)) add('test_skipped', quote(after, before, SKIPS));
  if (has(FOCUS) > had(FOCUS)) add('test_focused', quote(after, before, FOCUS));
  if (has(MASKS) > had(MASKS)) add('exit_masked', quote(after, before, MASKS));
  if (has(PATCHES) > had(PATCHES)) add('runner_patched', quote(after, before, PATCHES));
  if (before !== null && has(ASSERTIONS) < had(ASSERTIONS))
    add('assertion_weakened', `${has(ASSERTIONS)} assertions, before ${had(ASSERTIONS)}`);
  else if (has(HOLLOW) > had(HOLLOW)) add('assertion_weakened', quote(after, before, HOLLOW));
  else if (before !== null && lostAssertion(before, after ?? ''))
    add('assertion_weakened', 'an assertion is no longer what it was');
  return found;
}

/** A line of the base with an assertion that is nowhere any more, while others came. */
function lostAssertion(before: string, after: string): boolean {
  const kept = new Set(after.split('\n').map((line) => line.trim()));
  return before.split('\n').some((line) => countOf(line, ASSERTIONS) > 0 && !kept.has(line.trim()));
}

/** As much as is read of a file, so that padding hides nothing. */
const MOST_READ = 512 * 1024;
const MOST_QUOTED = 80;

function countOf(text: string, pattern: RegExp): number {
  return text.slice(0, MOST_READ).match(pattern)?.length ?? 0;
}

/** The first new line with it, so that a reader knows where to look. */
function quote(after: string | null, before: string | null, pattern: RegExp): string {
  const old = new Set((before ?? '').split('\n').map((line) => line.trim()));
  const line = (after ?? '')
    .split('\n')
    .map((each) => each.trim())
    .find((each) => !old.has(each) && countOf(each, pattern) > 0);
  return line === undefined ? 'more of it than before' : line.slice(0, MOST_QUOTED);
}
