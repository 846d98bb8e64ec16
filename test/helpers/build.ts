import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildInto } from '../../scripts/build.ts';

/** Builds the program once for a whole test run, into a folder of its own, named by CC_DELEGATE_TEST_DIST. */
export async function setup(): Promise<() => Promise<void>> {
  const dist = await mkdtemp(join(tmpdir(), 'cc-delegate-dist-'));
  if (process.env.CC_DELEGATE_TEST_NO_BUILD === undefined) await buildInto(dist);
  process.env.CC_DELEGATE_TEST_DIST = dist;
  return () => rm(dist, { recursive: true, force: true });
}
