import { isAbsolute, normalize } from 'node:path';
import * as z from 'zod';
import { COST_BASES } from '../job/cost.ts';
import { type ConversationId, isConversationId, isJobId, type JobId } from '../job/ids.ts';
import {
  BOUNDARIES,
  NETWORKS,
  PREFLIGHT_VERDICTS,
  RECORD_SCHEMA,
  RESULT_FLAGS,
  SANDBOX_LEVELS,
} from '../job/record.ts';
import { FAILED_REASONS, JOB_STATES, type JobState, type Reason, TIMEOUT_REASONS } from '../job/states.ts';

// z.number() takes neither NaN nor Infinity; z.int() only what a double holds exactly.
const amount = z.number().min(0);
const counter = z.int().min(0);
const absolutePath = z
  .string()
  .refine((path) => isAbsolute(path) && !path.includes('\0'), 'no absolute path');
const innerPath = z.string().refine(isInner, 'no path inside the checkout');
const instant = z.iso.datetime();
// Names that go to git as arguments: never an option, never with a control character.
const revision = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})?$/);
const refName = z.string().regex(/^([^\p{Cc}\s-][^\p{Cc}\s]*)?$/u);
const jobId = z.custom<JobId>((value) => typeof value === 'string' && isJobId(value), 'no job id');
const conversationId = z.custom<ConversationId>(
  (value) => typeof value === 'string' && isConversationId(value),
  'no conversation id',
);

function isInner(path: string): boolean {
  return !isAbsolute(path) && !path.includes('\0') && !normalize(path).split(/[\\/]/).includes('..');
}

const limits = z.object({
  maxSteps: counter,
  maxGrades: counter,
  budgetUsd: amount,
  maxTokens: counter,
  timeout: amount,
  stallTimeout: amount,
  askTimeout: amount,
  commandTimeout: amount,
  preflightTimeout: amount,
  testTimeout: amount,
});

const preflight = z.object({
  ran: z.boolean(),
  exitCode: z.int().nullable(),
  timedOut: z.boolean(),
  outputTail: z.string(),
  verdict: z.enum(PREFLIGHT_VERDICTS),
  note: z.string(),
  durationSeconds: amount,
});

export const runnerIdentity = z.object({
  // 0 and -1 would mean a whole group or everybody, 1 is the system itself.
  pid: z.int().min(2),
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
});

const progress = z.object({
  step: counter,
  toolCalls: counter,
  note: z.string(),
  filesTouched: counter,
  lastActivityAt: instant.nullable(),
});

const question = z.object({
  id: z.string(),
  kind: z.enum(['question', 'blocker', 'budget']),
  message: z.string(),
  askedAt: instant,
  expiresAt: instant,
});

const result = z.object({
  commit: revision.nullable(),
  tree: revision.nullable(),
  files: counter,
  insertions: counter,
  deletions: counter,
  tests: z
    .object({
      command: z.string(),
      exitCode: z.int().nullable(),
      durationSeconds: amount,
      keptExitCode: z.int().nullable().exactOptional(),
    })
    .nullable(),
  flags: z.array(z.enum(RESULT_FLAGS)).readonly(),
  summaryLine: z.string(),
  error: z.string().nullable(),
  salvaged: z.union([z.boolean(), z.literal('pending')]),
});

/** The form of `.cc-delegate/jobs/<id>.json`; `record-schema.ts` makes sure that it says the same as the type. */
export const RECORD = z
  .object({
    schema: z.literal(RECORD_SCHEMA),
    rev: z.int().min(1),
    id: jobId,
    kind: z.enum(['task', 'ask']),
    title: z.string(),
    state: z.enum(JOB_STATES),
    reason: z.enum([...FAILED_REASONS, ...TIMEOUT_REASONS]).nullable(),
    repo: absolutePath,
    checkout: absolutePath,
    cwd: absolutePath,
    subdirectory: innerPath,
    // Empty where there is no git: an ask outside a repository.
    base: revision,
    branch: refName,
    workspace: absolutePath.or(z.literal('')),
    conversationId,
    turn: z.int().min(1),
    parent: jobId.nullable(),
    supervisor: z.object({ sessionId: z.string().nullable() }),
    runner: runnerIdentity.nullable(),
    engine: z.enum(['native', 'claude']),
    // Not in the records of the first versions.
    client: z.string().nullable().default(null),
    model: z.string(),
    modelSource: z.string(),
    profile: z.string().nullable(),
    sandbox: z.enum(SANDBOX_LEVELS),
    sandboxBackend: z.string(),
    // Not in the records of the first versions.
    boundary: z.enum(BOUNDARIES).default('sandbox'),
    network: z.enum(NETWORKS).default('none'),
    limits,
    gate: z.object({ test: z.string().nullable(), setup: z.string().nullable(), criteria: z.boolean() }),
    preflight: preflight.nullable(),
    progress,
    usage: z.object({ input: counter, output: counter, cacheRead: counter, cacheWrite: counter }),
    costUsd: amount.nullable(),
    costBasis: z.enum(COST_BASES),
    question: question.nullable(),
    openQuestions: counter,
    result: result.nullable(),
    disposition: z.enum(['none', 'applied', 'discarded']),
    createdAt: instant,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
    updatedAt: instant,
  })
  .refine((record) => reasonFits(record.state, record.reason), 'the reason does not belong to the state');

function reasonFits(state: JobState, reason: Reason | null): boolean {
  const allowed: readonly (Reason | null)[] =
    state === 'failed' ? FAILED_REASONS : state === 'timeout' ? TIMEOUT_REASONS : [null];
  return allowed.includes(reason);
}
