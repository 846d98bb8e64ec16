import { type Spend, totalTokens } from '../job/cost.ts';
import type { JobId } from '../job/ids.ts';
import type { Receipt } from '../job/receipt.ts';
import type { JobRecord } from '../job/record.ts';
import type { Redactor } from '../job/redaction/redactor.ts';
import { isTerminal, type TerminalState } from '../job/states.ts';
import { announce } from '../notify/announce.ts';
import { runtimeOf } from '../provider/sandbox-runtime.ts';
import { amendEnded } from '../store/amend-job.ts';
import { readLeftovers } from '../store/leftovers-file.ts';
import { identify } from '../store/liveness.ts';
import { openStore, type Store } from '../store/open.ts';
import { runPaths, stateDirectory, userDirectory, workspacePaths } from '../store/paths.ts';
import { readJob } from '../store/read-job.ts';
import { writeReceipt } from '../store/receipt-file.ts';
import { claimSalvage } from '../store/salvager.ts';
import { spendOfJob } from '../store/spend-totals.ts';
import { readTask } from '../store/task-file.ts';
import { unheardMessages } from '../store/unheard-messages.ts';
import { type Collected, collect } from '../workspace/collect.ts';
import { NO_LEFTOVERS, providedAmong, unchangedLeftovers } from '../workspace/leftovers.ts';
import { deleteBranch } from '../workspace/refs.ts';
import { findRepository } from '../workspace/repository.ts';
import { openSandbox } from '../workspace/sandbox/open.ts';
import { sweepJob } from '../workspace/sandbox/sweep.ts';
import { checkpoint } from './checkpoint.ts';
import { removeSocketFolder } from './claude/socket-folder.ts';
import { JobLog } from './job-log.ts';
import type { Secrets } from './launch.ts';
import { patchSecrets } from './patch-secrets.ts';
import { makeReceipt, resultHead, type Story, unheardNotes } from './receipt.ts';

/**
 * Takes in what a dead runner left: ends its processes, collects the workspace, and says in the record
 * whether there is work to be had. Started by whoever noticed the death; safe to be started again.
 */
export async function salvage(repo: string, id: JobId, secrets: Secrets, redactor: Redactor): Promise<void> {
  const store = openStore(repo, { create: false });
  const read = readJob(store, id);
  if (read.kind !== 'ok' || !waits(read.record) || !claimSalvage(store, id, identify())) return;
  checkpoint('salvage:claimed');
  // The one before us may have finished between our look and our claim.
  const claimed = readJob(store, id);
  if (claimed.kind !== 'ok' || !waits(claimed.record)) return;
  const paths = runPaths(store, id);
  const log: JobLog = new JobLog(paths, redactor, (error) => log.complain(error));
  const collected = await takeIn(store, claimed.record, secrets).catch((error: unknown): Collected => {
    log.complain(error);
    return { kind: 'workspace_lost', why: error instanceof Error ? error.message : String(error) };
  });
  log.event('salvaged', { kind: collected?.kind ?? 'not_begun' });
  log.close();
  const changed = collected?.kind === 'changed';
  const secretLike = changed ? await patchSecrets(paths.patch, redactor) : [];
  settle(store, id, { collected, secretLike, redactor });
  checkpoint('salvage:settled');
}

function waits(record: JobRecord): boolean {
  return isTerminal(record.state) && record.result?.salvaged === 'pending';
}

/** null: the worker had not begun, so that nothing in the workspace is its work. */
async function takeIn(store: Store, record: JobRecord, secrets: Secrets): Promise<Collected | null> {
  const places = workspacePaths(stateDirectory(process.env), store.repo, record.id);
  const paths = runPaths(store, record.id);
  await sweepJob(record.id, [places.folder], { startedAfter: startTicks(record) });
  removeSocketFolder(record.id);
  checkpoint('salvage:swept');
  const repository = await findRepository(record.checkout);
  const left = readLeftovers(paths.leftovers);
  if (left.kind === 'absent') {
    await deleteBranch(repository, record.branch, record.base);
    return null;
  }
  const sandbox = await openSandbox({
    jobId: record.id,
    workspace: places.work,
    home: places.home,
    temp: places.temp,
    passEnv: secrets.passEnv,
    levelWanted: record.sandbox,
    runtime: runtimeOf(record, process.env),
    network: record.network,
    readable: repository.objectDirectories,
  });
  const leftovers = left.kind === 'ok' ? new Map(left.value) : NO_LEFTOVERS;
  const collected = await collect({
    repository,
    id: record.id,
    branch: record.branch,
    base: record.base,
    workspace: places.work,
    collector: places.collector,
    sandbox,
    message: `delegate: ${record.title} (salvaged)`,
    testCommand: record.gate.test,
    subdirectory: record.subdirectory,
    scope: scopeOf(paths.task),
    patchFile: paths.patch,
    provided: await unchangedLeftovers(places.work, leftovers),
    withheld: providedAmong(leftovers),
  });
  // An empty branch is no result: its name is given back.
  if (collected.kind === 'unchanged') await deleteBranch(repository, record.branch, record.base);
  checkpoint('salvage:collected');
  return collected;
}

/** A task that cannot be read any more had, for all we know, none. */
function scopeOf(path: string): readonly string[] {
  const task = readTask(path);
  return task.kind === 'ok' ? task.value.scope : [];
}

/** What was there before the runner was is not its job's. 0, which excludes nothing, where it is not known. */
function startTicks({ runner }: JobRecord): number {
  const ticks = Number(runner?.startTime ?? 0);
  return Number.isFinite(ticks) ? ticks : 0;
}

/** What there is to say about what was taken in. */
type Found = Pick<Story, 'collected' | 'secretLike' | 'redactor'>;

/** Says in the record what was found; whoever else changes it at the same time is not overwritten. */
function settle(store: Store, id: JobId, found: Found): void {
  const settled = amendEnded(store, id, Date.now(), (record) => {
    if (!isTerminal(record.state)) return null;
    const spent = spentInAll(record);
    const receipt = receiptOf(store, { ...record, ...spent, state: record.state }, found);
    writeReceipt(runPaths(store, id).receipt, receipt);
    checkpoint('salvage:receipt');
    return { ...spent, result: resultHead(receipt) };
  });
  if (settled !== null) announce(userDirectory(process.env), settled);
}

/** A record is saved once a second, a call is written down at once: what a killed runner had paid last is in that only. */
function spentInAll(record: JobRecord): Pick<JobRecord, 'usage' | 'costUsd' | 'costBasis'> {
  const { usage, costUsd, costBasis } = record;
  const written = writtenSpend(record);
  if (written === null || totalTokens(written.usage) <= totalTokens(usage)) {
    return { usage, costUsd, costBasis };
  }
  return { usage: written.usage, costUsd: written.usd, costBasis: written.basis };
}

function writtenSpend(record: JobRecord): Spend | null {
  try {
    return spendOfJob(userDirectory(process.env), record).spend;
  } catch (error) {
    // The work is worth more than the last cent of its cost.
    process.stderr.write(`the record of calls could not be read: ${String(error)}\n`);
    return null;
  }
}

function noteOn(collected: Collected | null): string {
  if (collected?.kind !== 'workspace_lost') return 'the runner died; what it left was taken in afterwards';
  return `the runner died; what it left could not be taken in: ${collected.why}`;
}

function receiptOf(
  store: Store,
  record: JobRecord & { readonly state: TerminalState },
  found: Found,
): Receipt {
  const task = readTask(runPaths(store, record.id).task);
  return makeReceipt({
    record,
    task: task.kind === 'ok' ? task.value : null,
    end: { to: record.state, reason: record.reason, detail: record.result?.error ?? null },
    ...found,
    setup: null,
    after: null,
    notes: [noteOn(found.collected), ...unheardNotes(unheardMessages(store, record.id))],
    claim: '',
    models: [record.model],
    endedAt: record.endedAt ?? new Date().toISOString(),
  });
}
