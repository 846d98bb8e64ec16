import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeJobId } from '../../src/job/ids.ts';
import { identify } from '../../src/store/liveness.ts';
import { runPaths, storePaths } from '../../src/store/paths.ts';
import { claimSalvage, salvagerLives } from '../../src/store/salvager.ts';
import { makeFolder } from '../helpers/repository.ts';

it('lets one process salvage a job, and another one only when that one is dead', async () => {
  const store = storePaths(makeFolder());
  const id = makeJobId(Date.now(), 1);
  mkdirSync(runPaths(store, id).folder, { recursive: true });
  expect(salvagerLives(store, id)).toBe(false);

  const first = spawn('sleep', ['60'], { stdio: 'ignore' });
  expect(claimSalvage(store, id, identify(first.pid))).toBe(true);
  expect(salvagerLives(store, id)).toBe(true);
  expect(claimSalvage(store, id, identify())).toBe(false);

  first.kill('SIGKILL');
  await new Promise((resolve) => first.once('exit', resolve));
  expect(salvagerLives(store, id)).toBe(false);
  expect(claimSalvage(store, id, identify())).toBe(true);
  expect(claimSalvage(store, id, identify())).toBe(false);
});
