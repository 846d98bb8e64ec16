import { spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';

/**
 * Skips a test whose machine has not got a program, with the reason. In the gate, which installs what is
 * needed, that is a failure.
 */
export function needs(test: Pick<TestContext, 'skip'>, program: string): void {
  const found = spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0;
  if (found) return;
  if (process.env.CC_DELEGATE_TEST_STRICT === '1') throw new Error(`${program} is not installed`);
  test.skip(`needs ${program}, which is not installed`);
}
