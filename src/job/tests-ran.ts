/** Signs that tests have run: then whatever else is in the output, it is theirs. */
const TESTS_RAN: readonly RegExp[] = [
  // vitest, jest, maven's surefire
  /^[ \t]*Tests:?[ \t]+.*\d (?:passed|failed)/m,
  /Tests run: \d+/,
  // pytest, also -q
  /^(?:=+ )?\d+ (?:passed|failed)\b.* in [\d.]+s/m,
  // go test
  /^[ \t]*--- (?:FAIL|PASS):/m,
  // cargo test
  /^test result: /m,
  // mocha, TAP (node --test), python's unittest
  /^[ \t]+\d+ (?:passing|failing)\b/m,
  /^(?:#|ℹ) (?:pass|fail) \d+/m,
  /^Ran [1-9]\d* tests? in /m,
];

/** What go test says of a package whose tests passed, and vitest's and node's other words for it. */
const PASSED = /^ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))|^(?:not )?ok \d+\b|^[ \t]*[✓✔] /m;

/** Does this output, without its colours, come from a runner that ran tests? In doubt it does not. */
export function tellsOfTests(output: string): boolean {
  return TESTS_RAN.some((pattern) => pattern.test(output));
}

/** How many tests ran, as node --test, unittest, jest and vitest say it. */
const COUNTS: readonly RegExp[] = [
  /^(?:#|ℹ) tests (\d{1,9})\b/gm,
  /^Ran (\d{1,9}) tests? in /gm,
  /^Tests:[^\n]{0,200} (\d{1,9}) total\b/gm,
  /^[ \t]{0,20}Tests {2}[^\n]{0,200}\((\d{1,9})\)/gm,
];

/** null where it is not said, or more than once: then there may have been more above. */
function countOf(output: string): number | null {
  const found = COUNTS.flatMap((pattern) => [...output.matchAll(pattern)]);
  return found.length === 1 ? Number(found[0]?.[1]) : null;
}

interface Run {
  readonly exitCode: number | null;
  readonly outputTail: string;
}

/**
 * Did the test command tell of tests before the work, and pass after it without a word of any? Something may have
 * ended it before they ran.
 */
export function lostItsTests(before: Run | null, after: Run | null): boolean {
  if (before === null || after?.exitCode !== 0) return false;
  const now = after.outputTail;
  return tellsOfTests(before.outputTail) && !tellsOfTests(now) && !PASSED.test(now);
}

/**
 * The same, or fewer of them than before. By itself it is no sign of a trick: it is one with the same tests, and with
 * a source that ends the process.
 */
export function lostSomeTests(before: Run | null, after: Run | null): boolean {
  if (before === null || after?.exitCode !== 0) return false;
  const [had, has] = [countOf(before.outputTail), countOf(after.outputTail)];
  return lostItsTests(before, after) || (had !== null && has !== null && has < had);
}
