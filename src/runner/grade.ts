import { mkdir, rm } from 'node:fs/promises';
import type { CommandReceipt } from '../job/receipt.ts';
import type { JobRecord } from '../job/record.ts';
import { judge } from '../job/verdict.ts';
import { runtimeOf } from '../provider/sandbox-runtime.ts';
import { type GateReport, gate } from '../verify/gate.ts';
import { createClone } from '../workspace/clone.ts';
import { type Collected, collect } from '../workspace/collect.ts';
import { providedAmong, unchangedLeftovers } from '../workspace/leftovers.ts';
import { makeGateReady } from '../workspace/ready/gate-ready.ts';
import { deleteBranch, jobRef, readRef } from '../workspace/refs.ts';
import type { Repository } from '../workspace/repository.ts';
import { openSandbox } from '../workspace/sandbox/open.ts';
import { checkpoint } from './checkpoint.ts';
import type { Worked } from './outcome.ts';
import { type Prepared, startFolder } from './prepare.ts';
import { type End, failed, type RunningJob, stopEnd } from './running-job.ts';

/** The work as the host took it, and what the host thinks of it. */
export interface Graded {
  readonly end: End;
  readonly claim: string;
  readonly collected: Collected | null;
  readonly setup: CommandReceipt | null;
  readonly after: CommandReceipt | null;
}

/**
 * Takes the work in, whatever the end, and, if the worker says it is done, judges it in a clean checkout
 * of what was taken. The worker's word is not asked for.
 */
export async function grade(job: RunningJob, prepared: Prepared, worked: Worked): Promise<Graded> {
  const claim = worked.ok ? worked.claim : '';
  checkpoint('grade:start');
  if (worked.ok) job.writer.move({ to: 'grading', reason: null });
  checkpoint('grade:moved');
  const collected = await takeIn(job, prepared);
  checkpoint('grade:collected');
  const nothing = { claim, setup: null, after: null };
  if (collected.kind === 'workspace_lost') {
    const end = worked.ok ? failed('workspace_lost', collected.why) : worked.end;
    return { ...nothing, end: { ...end, detail: end.detail ?? collected.why }, collected: null };
  }
  if (!worked.ok) return { ...nothing, end: worked.end, collected };
  const report = await runGate(job, prepared, collected);
  checkpoint('grade:gated');
  const end = stoppedEnd(job, report) ?? verdictEnd(report, job);
  return { end, claim, collected, setup: report.setup, after: report.tests };
}

/** One commit on the base, fetched into the user's repository, and its patch. Safe to do again. */
export async function takeIn(
  job: RunningJob,
  prepared: Pick<Prepared, 'repository' | 'sandbox' | 'leftovers'>,
): Promise<Collected> {
  const { record } = job.writer;
  const collected = await keepWork(job, prepared);
  // An empty branch is no result: its name is given back.
  if (collected.kind !== 'changed') await giveBack(prepared.repository, record);
  checkpoint('collect:done');
  return collected;
}

/** The branch is at the base, or at work that was taken in before and has been undone since. */
async function giveBack(repository: Repository, { id, branch, base }: JobRecord): Promise<void> {
  const earlier = await readRef(repository, jobRef(id, 'result'));
  if ((await deleteBranch(repository, branch, base)) || earlier === null) return;
  await deleteBranch(repository, branch, earlier);
}

/** The same for work that may still go on: the branch stays, whatever there is. */
export async function keepWork(
  job: RunningJob,
  prepared: Pick<Prepared, 'repository' | 'sandbox' | 'leftovers'>,
): Promise<Collected> {
  const { record } = job.writer;
  const provided = await unchangedLeftovers(job.places.work, prepared.leftovers);
  checkpoint('collect:start');
  return collect({
    repository: prepared.repository,
    id: record.id,
    branch: record.branch,
    base: record.base,
    workspace: job.places.work,
    collector: job.places.collector,
    sandbox: prepared.sandbox,
    message: `delegate: ${record.title}`,
    testCommand: record.gate.test,
    patchFile: job.paths.patch,
    provided,
    withheld: providedAmong(prepared.leftovers),
    reached: (step) => checkpoint(`collect:${step}`),
  });
}

async function runGate(job: RunningJob, prepared: Prepared, collected: Collected): Promise<GateReport> {
  const { record } = job.writer;
  if (collected.kind !== 'changed' || (record.gate.test === null && record.gate.setup === null)) {
    return {
      outcome: { changed: collected.kind === 'changed', setupOk: true, tests: null },
      setup: null,
      tests: null,
    };
  }
  const { gate: folder } = job.places;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  checkpoint('gate:folder');
  const checkout = `${folder}/checkout`;
  await createClone({
    repository: prepared.repository,
    id: record.id,
    commit: collected.commit,
    branch: record.branch,
    folder: checkout,
  });
  checkpoint('gate:checkout');
  const { repository, ready } = prepared;
  const again = await makeGateReady({
    ready,
    repository,
    base: record.base,
    checkout,
    signal: job.stop.signal,
  });
  if (again.notProvided.length + again.changedSince.length > 0) job.log.event('gate_ready', { ...again });
  checkpoint('gate:provided');
  const sandbox = await openSandbox({
    jobId: record.id,
    workspace: checkout,
    home: `${folder}/home`,
    temp: `${folder}/tmp`,
    passEnv: job.passEnv,
    levelWanted: record.sandbox,
    runtime: runtimeOf(record, process.env),
    network: record.network,
    readable: [...repository.objectDirectories, ...ready.objectDirectories],
  });
  checkpoint('gate:sandbox');
  const release = job.watchdogs.hold();
  try {
    const report = await gate({
      sandbox,
      cwd: startFolder(job, checkout),
      setup: record.gate.setup,
      test: record.gate.test,
      timeoutMs: record.limits.testTimeout * 1000,
      log: job.log.output,
      signal: job.stop.signal,
    });
    checkpoint('gate:judged');
    return report;
  } finally {
    release();
    await sandbox.dispose();
    checkpoint('gate:disposed');
    await rm(folder, { recursive: true, force: true });
  }
}

/** A test command that hangs is worth a word: the limit alone does not tell that the worker was done. */
function stoppedEnd(job: RunningJob, report: GateReport): End | null {
  const stopped = stopEnd(job.stop);
  if (stopped?.to !== 'timeout' || report.tests === null) return stopped;
  return { ...stopped, detail: 'the worker was done, the test command had not ended' };
}

function verdictEnd(report: GateReport, job: RunningJob): End {
  job.log.event('gate', { ...report.outcome, after: report.tests });
  const { to, reason } = judge(report.outcome);
  if (to === 'succeeded' || reason === null) return { to: 'succeeded', reason: null, detail: null };
  return failed(reason, report.tests?.outputTail ?? report.setup?.outputTail ?? '');
}
