import { join } from 'node:path';
import type { Preflight } from '../job/record.ts';
import { runtimeOf } from '../provider/sandbox-runtime.ts';
import { writeLeftovers } from '../store/leftovers-file.ts';
import { preflight } from '../verify/preflight.ts';
import { runCommand } from '../verify/run-command.ts';
import { createClone } from '../workspace/clone.ts';
import { type Fingerprint, fingerprint } from '../workspace/integrity.ts';
import { type Leftovers, NO_LEFTOVERS, tidyWorkspace } from '../workspace/leftovers.ts';
import { includedSecrets } from '../workspace/ready/included-secrets.ts';
import { withProvided } from '../workspace/ready/keep-out.ts';
import { makeReady as provide, type Ready } from '../workspace/ready/ready.ts';
import { shortReport } from '../workspace/ready/report.ts';
import { deleteBranch, pinBase, pinStart, reserveBranch } from '../workspace/refs.ts';
import { findRepository, type Repository } from '../workspace/repository.ts';
import { openSandbox, type SandboxOptions } from '../workspace/sandbox/open.ts';
import type { Sandbox } from '../workspace/sandbox/sandbox.ts';
import { checkpoint } from './checkpoint.ts';
import { type Withheld, withholdNeverSent } from './never-send.ts';
import { type End, failed, type RunningJob, stopEnd } from './running-job.ts';

/** A workspace that is ready to be worked in, and what it was made from. */
export interface Prepared {
  readonly repository: Repository;
  readonly sandbox: Sandbox;
  readonly before: Fingerprint;
  /** What set-up and preflight left behind: not the worker's work. */
  readonly leftovers: Leftovers;
  readonly ready: Ready;
  /** What no tool reads to the worker. */
  readonly neverSend: Withheld;
}

export type Preparation =
  | { readonly ok: true; readonly prepared: Prepared }
  | { readonly ok: false; readonly end: End; readonly prepared: Prepared | null };

/** Pin, clone, set up, and the test command once on the untouched base: all before the first paid token. */
export async function prepare(job: RunningJob): Promise<Preparation> {
  const { record } = job.writer;
  const repository = await findRepository(record.checkout);
  checkpoint('prepare:found');
  const before = await fingerprint(repository);
  checkpoint('prepare:fingerprint');
  await pinBase(repository, record.id, record.base);
  const start = job.task.goesOn?.start ?? null;
  if (start !== null) await pinStart(repository, record.id, start);
  checkpoint('prepare:pinned');
  const reserved = await reserveBranch(repository, record.id, record.base);
  if (reserved.kind === 'taken') {
    return {
      ok: false,
      end: failed('setup_failed', `the branch ${reserved.branch} exists already`),
      prepared: null,
    };
  }
  if (reserved.branch !== record.branch) job.writer.amend({ branch: reserved.branch });
  checkpoint('prepare:reserved');
  const ready = await makeReady(job, repository, before).catch(async (error: unknown) => {
    await deleteBranch(repository, job.writer.record.branch, record.base);
    throw error;
  });
  // Nothing will ever be on the branch: its name is given back.
  if (!ready.ok) await deleteBranch(repository, job.writer.record.branch, record.base);
  return ready;
}

async function makeReady(job: RunningJob, repository: Repository, before: Fingerprint): Promise<Preparation> {
  const { record } = job.writer;
  await createClone({
    repository,
    id: record.id,
    commit: record.base,
    branch: record.branch,
    folder: job.places.work,
    start: job.task.goesOn?.start ?? null,
  });
  checkpoint('prepare:cloned');
  const ready = await provide({
    repository,
    base: record.base,
    workspace: job.places.work,
    folder: join(job.places.folder, 'ready'),
    signal: job.stop.signal,
  });
  job.redactor.learn(await includedSecrets(ready.snapshot));
  const neverSend = await withholdNeverSent(job);
  const notices = [...ready.notices, ...neverSend.notices];
  // What the base has of it is no more beside it.
  const report = job.task.includeDirty ? { ...ready.report, uncommitted: NOTHING } : ready.report;
  job.log.event('ready', { ...shortReport(report), notices });
  checkpoint('prepare:provided');
  const { addDirs } = job.task;
  const objects = [...repository.objectDirectories, ...ready.objectDirectories];
  const sandbox = await openSandbox(sandboxOf(job, [...objects, ...addDirs]));
  // The gate has no more than the result, and what comes before the work is judged as that is.
  const judging = addDirs.length === 0 ? sandbox : await openSandbox(sandboxOf(job, objects));
  checkpoint('prepare:sandbox');
  const prepared = { repository, sandbox, before, leftovers: NO_LEFTOVERS, ready, neverSend };
  const end = (await setUp(job, judging)) ?? (await flyBefore(job, judging)) ?? stopEnd(job.stop);
  if (end) return { ok: false, end, prepared };
  const found = ranAnything(job)
    ? await tidyWorkspace(sandbox, job.places.work, job.task.goesOn?.start ?? null)
    : NO_LEFTOVERS;
  checkpoint('prepare:tidied');
  const leftovers = await withProvided(ready, job.places.work, found);
  writeLeftovers(job.paths.leftovers, leftovers);
  checkpoint('prepare:ready');
  const withheld = ranAnything(job) ? await withholdNeverSent(job, true) : neverSend;
  return { ok: true, prepared: { ...prepared, leftovers, neverSend: withheld } };
}

const NOTHING = { changed: [], untracked: [] };

function ranAnything({ writer }: RunningJob): boolean {
  return writer.record.gate.setup !== null || writer.record.gate.test !== null;
}

function sandboxOf(job: RunningJob, readable: readonly string[]): SandboxOptions {
  const { record } = job.writer;
  return {
    jobId: record.id,
    workspace: job.places.work,
    home: job.places.home,
    temp: job.places.temp,
    passEnv: job.passEnv,
    levelWanted: record.sandbox,
    runtime: runtimeOf(record, process.env),
    network: record.network,
    readable,
  };
}

async function setUp(job: RunningJob, sandbox: Sandbox): Promise<End | null> {
  const { record } = job.writer;
  if (record.gate.setup === null) return null;
  job.log.event('setup', { command: record.gate.setup });
  checkpoint('prepare:set-up-begins');
  const done = await runCommand({
    sandbox,
    command: record.gate.setup,
    cwd: startFolder(job),
    timeoutMs: record.limits.timeout * 1000,
    log: job.log.output,
    signal: job.stop.signal,
  });
  checkpoint('prepare:set-up');
  if (job.stop.reason !== null) return stopEnd(job.stop);
  if (done.ended === 'exit' && done.exitCode === 0) return null;
  return failed('setup_failed', `the set-up command failed: ${done.outputTail}`);
}

async function flyBefore(job: RunningJob, sandbox: Sandbox): Promise<End | null> {
  const { record } = job.writer;
  const seen = await preflight({
    sandbox,
    command: record.gate.test,
    cwd: startFolder(job),
    timeoutMs: record.limits.preflightTimeout * 1000,
    log: job.log.output,
    signal: job.stop.signal,
  });
  if (job.stop.reason !== null) return stopEnd(job.stop);
  checkpoint('prepare:preflight-ran');
  job.writer.amend({ preflight: seen });
  job.log.event('preflight', { ...seen });
  checkpoint('prepare:preflight');
  return broken(seen) && !job.task.forceStart ? failed('setup_failed', seen.note) : null;
}

function broken(seen: Preflight): boolean {
  return seen.verdict === 'runner_broken';
}

/** Where the worker's commands and the test command start: the place the job was started from. */
export function startFolder(job: RunningJob, root = job.places.work): string {
  return join(root, job.writer.record.subdirectory);
}
