/** What runners say where nothing was collected; pytest and unittest end with 5 too. */
const NONE_FOUND =
  /^(?:=+ )?no tests (?:ran|collected)\b|^collected 0 items|^NO TESTS RAN|^Ran 0 tests in |No test (?:suite |spec )?files? found|^No tests found|\bno tests found\b|^Error: no test specified|^# tests 0$/im;

/** Did this run of a test command fail because there was no test to run? */
export function foundNoTests(run: {
  readonly exitCode: number | null;
  readonly outputTail: string;
}): boolean {
  return run.exitCode !== null && run.exitCode !== 0 && NONE_FOUND.test(run.outputTail);
}
