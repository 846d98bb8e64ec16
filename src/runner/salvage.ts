import type { JobId } from '../job/ids.ts';
import type { Receipt } from '../job/receipt.ts';
import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { amendEnded } from '../store/amend-job.ts';
import { openStore, type Store } from '../store/open.ts';
import { runPaths, stateDirectory, workspacePaths } from '../store/paths.ts';
import { readJob } from '../store/read-job.ts';
import { writeReceipt } from '../store/receipt-file.ts';
import { readTask } from '../store/task-file.ts';
import { type Collected, collect } from '../workspace/collect.ts';
import { findRepository } from '../workspace/repository.ts';
import { openSandbox } from '../workspace/sandbox/open.ts';
import { sweepJob } from '../workspace/sandbox/sweep.ts';
import { JobLog } from './job-log.ts';
import type { Secrets } from './launch.ts';
import { makeReceipt, resultHead } from './receipt.ts';

/**
 * Takes in what a dead runner left: ends its processes, collects the workspace, and says in the record
 * whether there is work to be had. Started by whoever noticed the death; safe to be started again.
 */
export async function salvage(repo: string, id: JobId, secrets: Secrets): Promise<void> {
  const store = openStore(repo, { create: false });
  const read = readJob(store, id);
  if (read.kind !== 'ok' || !isTerminal(read.record.state)) return;
  const log = new JobLog(runPaths(store, id), (error) => process.stderr.write(`${String(error)}\n`));
  const collected = await takeIn(store, read.record, secrets).catch((error: unknown): Collected => {
    process.stderr.write(`${String(error)}\n`);
    return { kind: 'workspace_lost', why: error instanceof Error ? error.message : String(error) };
  });
  log.event('salvaged', { kind: collected.kind });
  settle(store, id, collected);
  log.close();
}

async function takeIn(store: Store, record: JobRecord, secrets: Secrets): Promise<Collected> {
  const places = workspacePaths(stateDirectory(process.env), store.repo, record.id);
  await sweepJob(record.id, [places.folder]);
  const repository = await findRepository(record.checkout);
  const sandbox = await openSandbox({
    jobId: record.id,
    workspace: places.work,
    home: places.home,
    temp: places.temp,
    passEnv: secrets.passEnv,
  });
  return collect({
    repository,
    id: record.id,
    branch: record.branch,
    base: record.base,
    workspace: places.work,
    collector: places.collector,
    sandbox,
    message: `delegate: ${record.title} (salvaged)`,
    patchFile: runPaths(store, record.id).patch,
    provided: [],
  });
}

/** Says in the record what was found; whoever else changes it at the same time is not overwritten. */
function settle(store: Store, id: JobId, collected: Collected): void {
  amendEnded(store, id, Date.now(), (record) => {
    const receipt = receiptOf(store, record, collected);
    if (receipt === null) return { result: record.result && { ...record.result, salvaged: false } };
    writeReceipt(runPaths(store, id).receipt, receipt);
    return { result: resultHead(receipt) };
  });
}

function receiptOf(store: Store, record: JobRecord, collected: Collected): Receipt | null {
  const task = readTask(runPaths(store, record.id).task);
  if (task.kind !== 'ok' || !isTerminal(record.state)) return null;
  return makeReceipt({
    record,
    task: task.value,
    end: { to: record.state, reason: record.reason, detail: record.result?.error ?? null },
    collected,
    setup: null,
    after: null,
    notes: ['the runner died; what it left was taken in afterwards'],
    claim: '',
    models: [record.model],
    endedAt: record.endedAt ?? new Date().toISOString(),
  });
}
