import { appendFileSync, writeFileSync } from 'node:fs';

/** Instead of a point: stop nowhere, and write down the names of the points that were passed. */
const RECORD = 'record';

/**
 * A named point at which a test may stop a process of ours dead, to kill it there: `CC_DELEGATE_TEST_PAUSE` is
 * `<point>=<file>`. Without the test's variable it does nothing. The wait blocks the whole process on
 * purpose: nothing may happen between the point and the kill.
 */
export function checkpoint(name: string): void {
  const wanted = process.env.CC_DELEGATE_TEST_PAUSE;
  if (wanted === undefined) return;
  const [point, file] = wanted.split('=');
  if (file === undefined) return;
  if (point === RECORD) appendFileSync(file, `${name}\n`);
  if (point !== name) return;
  writeFileSync(file, String(process.pid));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
