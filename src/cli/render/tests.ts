import { stripControls, visiblePath } from '../../job/format.ts';
import type { Receipt } from '../../job/receipt.ts';
import type { JobRecord } from '../../job/record.ts';
import { testChangeWords } from '../../job/test-changes.ts';

/** What the tests said before and after, and with the base's own: one or two lines, by name and value. */
export function testLines(record: JobRecord, receipt: Receipt | null): [string, string][] {
  const { preflight, gate } = record;
  const before =
    preflight === null || !preflight.ran ? 'not run' : exitWord(preflight.exitCode, preflight.timedOut);
  const { after = null, kept = null, flaky = [] } = receipt ?? {};
  const then = after === null ? 'not run' : exitWord(after.exitCode, after.timedOut);
  const twice = (run: 'after' | 'kept'): string =>
    flaky.some(({ of }) => of === run) ? ' (flaky: failed, then passed)' : '';
  const first: [string, string] = [
    'tests',
    `before: ${before} · after: ${then}${twice('after')} · ${gate.test ?? ''}`,
  ];
  const tail = record.state === 'succeeded' ? '' : lastLine((kept ?? after)?.outputTail ?? '');
  const words =
    kept === null ? '' : `with the base's tests: ${exitWord(kept.exitCode, kept.timedOut)}${twice('kept')}`;
  const second = [words, tail].filter((part) => part !== '').join(': ');
  return second === '' ? [first] : [first, ['', second]];
}

/** What was done to what judges the work, else the changed files that its command runs; null: neither. */
export function lookAt({ files, testChanges }: Receipt): string | null {
  // A path has many findings, the first of which tells most.
  const known = new Map(testChanges.toReversed().map((change) => [change.path, change]));
  if (known.size > 0) {
    const found = [...known.values()].reverse();
    return found.map(({ path, kind }) => `${visiblePath(path)} (${testChangeWords(kind)})`).join(', ');
  }
  const edited = files.filter(({ flags }) => flags.includes('test_edit'));
  if (edited.length === 0) return null;
  const paths = edited.map(({ path }) => visiblePath(path)).join(', ');
  return `${paths} (the worker changed what the test command runs)`;
}

/** Is the error no more than what is shown anyhow: the last of the output, the rubric, the changes of the tests? */
export function isShown(reason: JobRecord['reason'], { after }: Receipt): boolean {
  if (reason === 'gate_failed') return after?.exitCode !== 0;
  return reason === 'tampered' || reason === 'rubric_unsatisfied';
}

function exitWord(exitCode: number | null, timedOut = false): string {
  if (timedOut) return 'timed out';
  if (exitCode === null) return 'no exit code';
  return exitCode === 0 ? 'pass' : `fail (exit ${exitCode})`;
}

function lastLine(text: string): string {
  return stripControls(text).trim().split('\n').at(-1) ?? '';
}
