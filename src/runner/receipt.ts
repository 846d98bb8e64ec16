import { createHash } from 'node:crypto';
import { trimLine } from '../job/format.ts';
import { type CommandReceipt, NO_PROOF, type Proof, type Receipt } from '../job/receipt.ts';
import type { JobRecord, ResultFlag, ResultHead } from '../job/record.ts';
import type { Redactor } from '../job/redaction/redactor.ts';
import type { SecretLike } from '../job/redaction/secret-like.ts';
import type { RubricReceipt } from '../job/rubric.ts';
import { summaryLine } from '../job/summary.ts';
import type { Task } from '../job/task.ts';
import { lostItsTests } from '../job/tests-ran.ts';
import { trickWords } from '../job/verdict.ts';
import { VERSION } from '../job/version.ts';
import type { Collected } from '../workspace/collect.ts';
import { cleanReceipt } from './clean.ts';
import type { End } from './running-job.ts';

/** What a receipt is made of; the rest of it stands in the record. */
export interface Story {
  readonly record: JobRecord;
  /** null: it can no longer be read, which must not cost the work. */
  readonly task: Task | null;
  readonly end: End;
  readonly collected: Collected | null;
  readonly setup: CommandReceipt | null;
  readonly after: CommandReceipt | null;
  readonly proof?: Proof;
  readonly rubric?: RubricReceipt | undefined;
  readonly notes: readonly string[];
  /** The worker's last message. */
  readonly claim: string;
  readonly models: readonly string[];
  /** What the patch adds that looks like a secret. */
  readonly secretLike: readonly SecretLike[];
  readonly redactor: Redactor;
  readonly endedAt: string;
}

/** The receipt of a job that ends: facts the host saw, and, apart from them, what the worker said. */
export function makeReceipt(story: Story): Receipt {
  const { record, end, collected, setup, after, models, secretLike, endedAt, proof = NO_PROOF } = story;
  const notes = [
    ...secretLike.map(({ path, kind }) => `looks like a secret (${kind}): ${path}`),
    ...story.notes,
  ];
  const changed = collected?.kind === 'changed' ? collected : null;
  const receipt: Receipt = {
    schema: 1,
    version: VERSION,
    kind: record.kind,
    id: record.id,
    state: end.to,
    reason: end.reason,
    error: end.detail,
    specDigest: story.task === null ? '' : specDigest(story.task, record),
    base: record.base,
    commit: changed?.commit ?? null,
    tree: changed?.tree ?? null,
    branch: record.branch,
    files: changed?.files ?? [],
    insertions: changed?.insertions ?? 0,
    deletions: changed?.deletions ?? 0,
    notInPatch: collected === null || collected.kind === 'workspace_lost' ? [] : collected.notInPatch,
    setup,
    before: record.preflight,
    after,
    ...proof,
    rubric: story.rubric ?? null,
    flags: flags(story),
    notes,
    summary: story.claim,
    sandbox: record.sandbox,
    sandboxBackend: record.sandboxBackend,
    boundary: record.boundary,
    network: record.network,
    engine: record.engine,
    client: record.client,
    models,
    steps: record.progress.step,
    toolCalls: record.progress.toolCalls,
    usage: record.usage,
    costUsd: record.costUsd,
    costBasis: record.costBasis,
    salvaged: end.to !== 'succeeded' && changed !== null,
    startedAt: record.startedAt ?? record.createdAt,
    endedAt,
  };
  return cleanReceipt(receipt, story.redactor);
}

/** A message that no request had is told of: its sender thinks that it was heard. */
export function unheardNotes(messages: readonly string[]): string[] {
  return messages.map((text) => `the worker never read: ${trimLine(text, 120)}`);
}

function specDigest(task: Task, record: JobRecord): string {
  const spec = JSON.stringify([task.prompt, task.done, record.gate.test]);
  return createHash('sha256').update(spec).digest('hex');
}

function flags({ record, collected, secretLike, task, after, proof = NO_PROOF }: Story): ResultFlag[] {
  const found = new Set<ResultFlag>(
    collected === null || collected.kind === 'workspace_lost' ? [] : collected.flags,
  );
  // Nothing of an answer can be proven by a test.
  const isJudged = record.gate.criteria && record.limits.maxGrades > 0;
  if (record.kind === 'task' && record.gate.test === null && !isJudged) found.add('unproven');
  if (record.sandbox !== 'full' && record.boundary !== 'container') found.add('unsandboxed');
  if (record.progress.toolCalls === 0 && hadTools(task)) found.add('no_tool_calls');
  if (secretLike.length > 0) found.add('secret_like');
  if (proof.protectedPaths.length > 0) found.add('test_edits');
  if (proof.flaky.length > 0) found.add('flaky');
  if (lostItsTests(record.preflight, after)) found.add('no_tests_seen');
  return [...found];
}

/** An ask without tools could not look at anything, and was not meant to. */
function hadTools(task: Task | null): boolean {
  return task?.ask?.tools !== false;
}

/** The record's small part of a receipt. */
export function resultHead(receipt: Receipt): ResultHead {
  const { after } = receipt;
  return {
    commit: receipt.commit,
    tree: receipt.tree,
    files: receipt.files.length,
    insertions: receipt.insertions,
    deletions: receipt.deletions,
    tests: after && {
      command: trimLine(after.command, 200),
      exitCode: after.exitCode,
      durationSeconds: after.durationSeconds,
      keptExitCode: receipt.kept?.exitCode ?? null,
    },
    flags: receipt.flags,
    summaryLine: summaryLine({
      kind: receipt.kind,
      state: receipt.state,
      reason: receipt.reason,
      files: receipt.files.length,
      testCommand: after?.command ?? null,
      testExitCode: after?.exitCode ?? null,
      keptExitCode: receipt.kept?.exitCode ?? null,
      trick: trickWords(receipt.testChanges, 1),
      flags: receipt.flags,
      criteria: receipt.rubric,
      costUsd: receipt.costUsd,
      salvaged: receipt.salvaged,
    }),
    error: receipt.error === null ? null : trimLine(receipt.error, 500),
    salvaged: receipt.salvaged,
  };
}
