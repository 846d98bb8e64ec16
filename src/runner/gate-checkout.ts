import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runtimeOf } from '../provider/sandbox-runtime.ts';
import type { CheckoutPlace } from '../verify/evidence.ts';
import { createClone } from '../workspace/clone.ts';
import { makeGateReady } from '../workspace/ready/gate-ready.ts';
import { removeTree } from '../workspace/remove.ts';
import { openSandbox } from '../workspace/sandbox/open.ts';
import { checkpoint } from './checkpoint.ts';
import { type Prepared, startFolder } from './prepare.ts';
import type { RunningJob } from './running-job.ts';

/**
 * A fresh checkout of a commit, ready as the workspace was and in a sandbox that the worker never ran in; removed
 * when `use` has ended. One at a time.
 */
export async function inGateCheckout<T>(
  job: RunningJob,
  prepared: Pick<Prepared, 'repository' | 'ready'>,
  commit: string,
  use: (place: CheckoutPlace) => Promise<T>,
): Promise<T> {
  const { record } = job.writer;
  const { gate: folder } = job.places;
  await removeTree(folder);
  await mkdir(folder, { recursive: true });
  checkpoint('gate:folder');
  const checkout = join(folder, 'checkout');
  const { repository, ready } = prepared;
  await createClone({ repository, id: record.id, commit, branch: record.branch, folder: checkout });
  checkpoint('gate:checkout');
  const { signal } = job.stop;
  const again = await makeGateReady({ ready, repository, base: record.base, checkout, signal });
  if (again.notProvided.length + again.changedSince.length > 0) job.log.event('gate_ready', { ...again });
  checkpoint('gate:provided');
  const sandbox = await openSandbox({
    jobId: record.id,
    workspace: checkout,
    home: join(folder, 'home'),
    temp: join(folder, 'tmp'),
    passEnv: job.passEnv,
    levelWanted: record.sandbox,
    runtime: runtimeOf(record, process.env),
    network: record.network,
    readable: [...repository.objectDirectories, ...ready.objectDirectories],
  });
  checkpoint('gate:sandbox');
  try {
    const cwd = startFolder(job, checkout);
    const used = await use({ sandbox, checkout, cwd, folder: join(folder, 'own') });
    checkpoint('gate:judged');
    return used;
  } finally {
    await sandbox.dispose();
    checkpoint('gate:disposed');
    await removeTree(folder);
  }
}
