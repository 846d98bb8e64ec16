import { randomInt } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { NO_SPEND } from '../job/cost.ts';
import { trimLine } from '../job/format.ts';
import { ID_TAILS, type JobId, makeConversationId, makeJobId } from '../job/ids.ts';
import { type JobRecord, NO_PROGRESS, NO_RESULT, RECORD_SCHEMA } from '../job/record.ts';
import { knownSecrets } from '../job/redaction/known.ts';
import { createRedactor } from '../job/redaction/redactor.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { announce } from '../notify/announce.ts';
import { expectEnd } from '../notify/deliver.ts';
import type { ReadyModel } from '../provider/resolve-model.ts';
import { allModels, launchRunner, type Secrets } from '../runner/launch.ts';
import { ensureWritableFolder } from '../store/folders.ts';
import { createJob, publish } from '../store/jobs.ts';
import { openStore, type Store } from '../store/open.ts';
import { runPaths, stateDirectory, userDirectory, workspacePaths } from '../store/paths.ts';
import { writeQueueTerms } from '../store/queue-file.ts';
import { readJob } from '../store/read-job.ts';
import { registerRepository } from '../store/repositories.ts';
import { writeTask } from '../store/task-file.ts';
import { claimNextTurn } from '../store/turn-claim.ts';
import { freeBranch, pinBase } from '../workspace/refs.ts';
import type { FoundRecord } from './find-job.ts';
import type { JobPlan, Turn } from './job-plan.ts';
import type { VerbContext } from './verb.ts';

/** Record first, then the runner: a job that could not be started is there to be seen, as failed. */
export async function createAndLaunch(context: VerbContext, plan: JobPlan): Promise<FoundRecord> {
  const stateDir = stateDirectory(context.env);
  // Before there is an id to speak of: without it the runner could only fail.
  ensureWritableFolder(stateDir);
  const store = openStore(plan.place.home, { create: true });
  const warning = registerRepository(userDirectory(context.env), { path: store.repo, stateDir });
  if (warning !== null) context.stderr(`cc-delegate: ${warning}`);
  const record = await createUnderFreeId(context, plan, store);
  expectEnd(userDirectory(context.env), record);
  try {
    await pinUncommitted(plan, record.id);
    const runner = await launchRunner({
      mode: 'run',
      repo: store.repo,
      id: record.id,
      program: context.program,
      stateDirectory: stateDir,
      runnerLog: runPaths(store, record.id).runnerLog,
      env: context.env,
      secrets: secretsOf(plan),
    });
    await started(store, record.id, runner.exited);
  } catch (error) {
    const failed = markNotStarted(store, record.id, error);
    if (failed !== null) announce(userDirectory(context.env), failed);
  }
  return { store, record };
}

async function createUnderFreeId(context: VerbContext, plan: JobPlan, store: Store): Promise<JobRecord> {
  for (let tries = 0; tries < 5; tries += 1) {
    const now = Date.now();
    const id = makeJobId(now, randomInt(ID_TAILS));
    const branch = await branchFor(plan, id);
    if (branch === null) continue;
    const record = newRecord(context, plan, store, { id, branch, now });
    if (plan.turn !== null) takeTurn(store, plan.turn, id, now);
    writeTask(runPaths(store, id).task, plan.task);
    writeQueueTerms(runPaths(store, id), { ...plan.concurrency, after: plan.after });
    if (plan.turn !== null) copyFileSync(plan.turn.transcript, runPaths(store, id).transcript);
    if (createJob(store, record) === 'created') return record;
  }
  throw new Error('five ids in a row were taken');
}

/** No branch has what was uncommitted: it lasts while the job waits for its turn only if something names it. */
async function pinUncommitted({ task, place, after }: JobPlan, id: JobId): Promise<void> {
  if (task.committed === null || after !== null || place.repository === null) return;
  await pinBase(place.repository, id, place.base);
}

/** An ask makes no branch. null: the name is taken. */
async function branchFor({ task, place }: JobPlan, id: JobId): Promise<string | null> {
  return task.ask !== null || place.repository === null ? '' : freeBranch(place.repository, id);
}

/** Of two that go on from the same turn at the same time, one does. */
function takeTurn(store: Store, turn: Turn, id: JobId, nowMs: number): void {
  if (claimNextTurn(store, turn.newest, { id, nowMs }) === 'claimed') return;
  throw new UserError({
    code: 'turn_taken',
    what: 'somebody has just begun the next turn of this conversation',
    value: turn.conversationId,
    remedy: 'see: cc-delegate list',
    exit: EXIT.wrongState,
  });
}

interface Identity {
  readonly id: JobId;
  readonly branch: string;
  readonly now: number;
}

function newRecord(
  context: VerbContext,
  plan: JobPlan,
  store: Store,
  { id, branch, now }: Identity,
): JobRecord {
  const at = new Date(now).toISOString();
  // It stands in the record, in commits and in every list; the request itself is for the worker, and stays.
  const redactor = createRedactor({
    values: knownSecrets({ models: allModels(secretsOf(plan)), passEnv: plan.passEnv }),
  });
  const { place, task, turn } = plan;
  const workspace = workspacePaths(stateDirectory(context.env), store.repo, id).work;
  return {
    schema: RECORD_SCHEMA,
    rev: 1,
    id,
    kind: task.ask === null ? 'task' : 'ask',
    title: trimLine(redactor.text(plan.title), 120),
    state: 'queued',
    reason: null,
    repo: store.repo,
    checkout: place.checkout,
    cwd: place.cwd,
    subdirectory: place.subdirectory,
    base: place.base,
    branch,
    // Without tools there is nothing to look at.
    workspace: task.ask?.tools === false ? '' : workspace,
    conversationId: turn?.conversationId ?? makeConversationId(now, randomInt(ID_TAILS)),
    turn: turn?.number ?? 1,
    parent: turn?.parent ?? null,
    supervisor: { sessionId: context.env.CLAUDE_CODE_SESSION_ID ?? null },
    runner: null,
    engine: plan.model.engine,
    client: null,
    model: plan.model.name,
    modelSource: plan.model.modelSource,
    profile: plan.model.profile,
    sandbox: plan.sandbox.level,
    sandboxBackend: plan.sandbox.backend,
    boundary: plan.boundary,
    network: plan.network,
    limits: plan.limits,
    gate: { test: plan.test, setup: plan.setup, criteria: task.done !== null },
    preflight: null,
    progress: NO_PROGRESS,
    usage: NO_SPEND.usage,
    ...costAtStart(plan.model.primary),
    question: null,
    openQuestions: 0,
    result: null,
    disposition: 'none',
    createdAt: at,
    startedAt: null,
    endedAt: null,
    updatedAt: at,
  };
}

/** Nothing is spent yet; what will be has its basis from the start. */
function costAtStart({ endpoint }: ReadyModel): Pick<JobRecord, 'costUsd' | 'costBasis'> {
  if (endpoint.prices === null) return { costUsd: null, costBasis: 'unknown' };
  return { costUsd: 0, costBasis: endpoint.priceBasis ?? 'user' };
}

function secretsOf(plan: JobPlan): Secrets {
  const ref = ({ endpoint, key }: ReadyModel) => ({ ...endpoint, apiKey: key });
  const { primary, fallbacks, grader, graderFallbacks, roles, small } = plan.model;
  return {
    models: [primary, ...fallbacks].map(ref),
    grader: grader === null ? [] : [grader, ...graderFallbacks].map(ref),
    // What the worker itself falls back on serves a sub-agent as well.
    roles: Object.fromEntries(
      Object.entries(roles).map(([role, model]) => [role, [model, primary, ...fallbacks].map(ref)]),
    ),
    small: small === null ? null : ref(small),
    passEnv: plan.passEnv,
  };
}

/** Up when the runner has claimed the job; a runner that ends before is a failed launch. */
async function started(store: Store, id: JobId, exited: Promise<number | null>): Promise<void> {
  let ended: number | null | undefined;
  void exited.then((code) => {
    ended = code;
  });
  const deadline = performance.now() + 15_000;
  while (performance.now() < deadline) {
    const read = readJob(store, id);
    if (read.kind !== 'ok' || read.record.runner !== null) return;
    if (ended !== undefined)
      throw new Error(`the runner ended at once (exit ${ended ?? 'by a signal'}); see its runner.log`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Returns what was published; null when the runner has the word after all. */
function markNotStarted(store: Store, id: JobId, error: unknown): JobRecord | null {
  const message = error instanceof Error ? error.message : String(error);
  const read = readJob(store, id);
  if (read.kind !== 'ok' || read.record.state !== 'queued') return null;
  const at = new Date().toISOString();
  const result = {
    ...NO_RESULT,
    summaryLine: 'launch_failed: the runner did not start',
    error: trimLine(message, 500),
  };
  const next = {
    ...read.record,
    rev: read.record.rev + 1,
    state: 'failed',
    reason: 'launch_failed',
    result,
    endedAt: at,
    updatedAt: at,
  } as const;
  // Fenced means that the runner came up after all.
  return publish(store, next) === 'published' ? next : null;
}
