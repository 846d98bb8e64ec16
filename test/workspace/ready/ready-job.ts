import { join } from 'node:path';
import { createClone } from '../../../src/workspace/clone.ts';
import type { Collected } from '../../../src/workspace/collect.ts';
import {
  type Leftovers,
  NO_LEFTOVERS,
  providedAmong,
  unchangedLeftovers,
} from '../../../src/workspace/leftovers.ts';
import { type GateReady, makeGateReady } from '../../../src/workspace/ready/gate-ready.ts';
import { withProvided } from '../../../src/workspace/ready/keep-out.ts';
import { makeReady, type Ready, type ReadyRequest } from '../../../src/workspace/ready/ready.ts';
import { type Changed, collectJob, type Job, startJob } from '../job.ts';

/** A job whose workspace is ready: its worker may begin. */
export interface ReadyJob extends Job {
  readonly ready: Ready;
  readonly leftovers: Leftovers;
}

type Options = Partial<Pick<ReadyRequest, 'canBind' | 'limits' | 'signal'>> & { readonly rev?: string };

export async function startReadyJob(cwd: string, { rev, ...options }: Options = {}): Promise<ReadyJob> {
  const job = await startJob(cwd, rev === undefined ? {} : { rev });
  const { repository, base, workspace } = job;
  const ready = await makeReady({
    repository,
    base,
    workspace,
    folder: join(job.folder, 'ready'),
    ...options,
  });
  return { ...job, ready, leftovers: await withProvided(ready, workspace, NO_LEFTOVERS) };
}

/** As the runner takes the work in. */
export async function collectReady(job: ReadyJob): Promise<Collected> {
  const provided = await unchangedLeftovers(job.workspace, job.leftovers);
  return collectJob(job, { provided, withheld: providedAmong(job.leftovers) });
}

/** The gate's checkout of what was collected. */
export async function openGate(
  job: ReadyJob,
  { commit }: Changed,
): Promise<{ folder: string; gate: GateReady }> {
  const { repository, base, branch, id, ready } = job;
  const folder = join(job.folder, 'gate');
  await createClone({ repository, id, commit, branch, folder });
  return { folder, gate: await makeGateReady({ ready, repository, base, checkout: folder }) };
}

export function changed(collected: Collected): Changed {
  if (collected.kind !== 'changed') throw new Error(`collected: ${JSON.stringify(collected)}`);
  return collected;
}
