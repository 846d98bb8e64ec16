import { join } from 'node:path';
import { failureWords } from '../job/failure-words.ts';
import { type CommandReceipt, NO_PROOF, type Proof } from '../job/receipt.ts';
import type { JobRecord } from '../job/record.ts';
import type { RubricReceipt } from '../job/rubric.ts';
import { judge } from '../job/verdict.ts';
import { type Evidence, evidence } from '../verify/evidence.ts';
import { type Collected, collect } from '../workspace/collect.ts';
import { providedAmong, unchangedLeftovers } from '../workspace/leftovers.ts';
import { deleteBranch, jobRef, readRef } from '../workspace/refs.ts';
import { removeTree } from '../workspace/remove.ts';
import type { Repository } from '../workspace/repository.ts';
import { checkpoint } from './checkpoint.ts';
import { inGateCheckout } from './gate-checkout.ts';
import type { Worked } from './outcome.ts';
import type { Prepared } from './prepare.ts';
import { type End, failed, type RunningJob, stopEnd } from './running-job.ts';

/** The work as the host took it, and what the host thinks of it. */
export interface Graded {
  readonly end: End;
  readonly claim: string;
  readonly collected: Collected | null;
  readonly setup: CommandReceipt | null;
  readonly after: CommandReceipt | null;
  /** What the gate has to show beside the one run. */
  readonly proof: Proof;
  /** What the grader said last; absent where nothing was graded. */
  readonly rubric?: RubricReceipt | undefined;
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
  const nothing = { claim, setup: null, after: null, proof: NO_PROOF };
  if (collected.kind === 'workspace_lost') {
    const end = worked.ok ? failed('workspace_lost', collected.why) : worked.end;
    return { ...nothing, end: { ...end, detail: end.detail ?? collected.why }, collected: null };
  }
  if (!worked.ok) return { ...nothing, end: worked.end, collected };
  const report = await runGate(job, prepared, collected);
  checkpoint('grade:gated');
  const end = stoppedEnd(job, report) ?? verdictEnd(report, job);
  const { outcome, setup, tests, ...proof } = report;
  return { end, claim, collected, setup, after: tests, proof };
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
    subdirectory: record.subdirectory,
    scope: job.task.scope,
    patchFile: job.paths.patch,
    provided,
    withheld: providedAmong(prepared.leftovers),
    reached: (step) => checkpoint(`collect:${step}`),
  });
}

async function runGate(job: RunningJob, prepared: Prepared, collected: Collected): Promise<Evidence> {
  const { record } = job.writer;
  const { test, setup } = record.gate;
  if (collected.kind !== 'changed' || (test === null && setup === null)) {
    const outcome = { changed: collected.kind === 'changed', setupOk: true, tests: null };
    return { ...NO_PROOF, outcome, setup: null, tests: null };
  }
  const folder = join(job.places.folder, 'evidence');
  await removeTree(folder);
  try {
    return await evidence({
      repository: prepared.repository,
      base: record.base,
      commit: collected.commit,
      subdirectory: record.subdirectory,
      setup,
      test,
      before: record.preflight,
      rules: job.task.proof,
      folder,
      inCheckout: (commit, use) => inGateCheckout(job, prepared, commit, use),
      timeoutMs: record.limits.testTimeout * 1000,
      log: job.log.output,
      signal: job.stop.signal,
    });
  } finally {
    await removeTree(folder);
  }
}

/** A test command that hangs is worth a word: the limit alone does not tell that the worker was done. */
function stoppedEnd(job: RunningJob, report: Evidence): End | null {
  const stopped = stopEnd(job.stop);
  if (stopped?.to !== 'timeout' || report.tests === null) return stopped;
  return { ...stopped, detail: 'the worker was done, the test command had not ended' };
}

function verdictEnd(report: Evidence, job: RunningJob): End {
  const { outcome, tests, kept, flaky, testChanges, redFirst } = report;
  job.log.event('gate', { ...outcome, after: tests, kept, flaky, testChanges, redFirst });
  const { to, reason } = judge(outcome);
  if (to === 'succeeded' || reason === null) return { to: 'succeeded', reason: null, detail: null };
  return failed(reason, failureWords(reason, report));
}
