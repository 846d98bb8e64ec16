import { writeFileSync } from 'node:fs';

/**
 * A named point at which a test may stop the runner dead, to kill it there. Without the test's variable
 * it does nothing. The wait blocks the whole process on purpose: nothing may happen between the point and
 * the kill.
 */
export function checkpoint(name: string): void {
  const wanted = process.env.CC_DELEGATE_TEST_PAUSE;
  if (wanted === undefined) return;
  const [point, file] = wanted.split('=');
  if (point !== name || file === undefined) return;
  writeFileSync(file, String(process.pid));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
