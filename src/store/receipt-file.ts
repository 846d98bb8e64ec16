import * as z from 'zod';
import { COST_BASES } from '../job/cost.ts';
import { escapeControls } from '../job/format.ts';
import { isJobId } from '../job/ids.ts';
import type { Receipt } from '../job/receipt.ts';
import { BOUNDARIES, NETWORKS, PREFLIGHT_VERDICTS, RESULT_FLAGS, SANDBOX_LEVELS } from '../job/record.ts';
import { RUBRIC_VERDICTS } from '../job/rubric.ts';
import { FAILED_REASONS, TERMINAL_STATES, TIMEOUT_REASONS } from '../job/states.ts';
import { TEST_CHANGE_KINDS } from '../job/test-changes.ts';
import { RED_FIRST_VERDICTS } from '../job/verdict.ts';
import { writeAtomic } from './atomic-file.ts';
import { type JsonFile, readJsonFile } from './json-file.ts';

const RECEIPT_MAX_BYTES = 32 * 1024 * 1024;
const number = z.number();
const text = z.string();

const command = z.object({
  command: text,
  exitCode: number.nullable(),
  timedOut: z.boolean(),
  durationSeconds: number,
  outputTail: text,
});

const file = z.object({
  path: text,
  status: z.enum(['A', 'M', 'D', 'T']),
  insertions: number,
  deletions: number,
  binary: z.boolean(),
  flags: z.array(text),
});

const change = z.object({ path: text, kind: z.enum(TEST_CHANGE_KINDS), detail: text });

/** Not in the receipts of the first versions. */
const proof = {
  kept: command.nullable().default(null),
  flaky: z.array(z.object({ of: z.enum(['after', 'kept']), first: command })).default([]),
  testChanges: z.array(change).default([]),
  protectedPaths: z.array(z.object({ path: text, put: z.enum(['base', 'removed', 'merged']) })).default([]),
  redFirst: z
    .object({ verdict: z.enum(RED_FIRST_VERDICTS), run: command.nullable() })
    .nullable()
    .default(null),
};

const schema: z.ZodType<Receipt> = z.object({
  schema: z.literal(1),
  version: text,
  // Not in the receipts of the first versions.
  kind: z.enum(['task', 'ask']).default('task'),
  id: z.custom<Receipt['id']>((value) => typeof value === 'string' && isJobId(value)),
  state: z.enum(TERMINAL_STATES),
  reason: z.enum([...FAILED_REASONS, ...TIMEOUT_REASONS]).nullable(),
  error: text.nullable(),
  specDigest: text,
  base: text,
  commit: text.nullable(),
  tree: text.nullable(),
  branch: text,
  files: z.array(file),
  insertions: number,
  deletions: number,
  notInPatch: z.array(z.object({ path: text, why: text })),
  setup: command.nullable(),
  before: z
    .object({
      ran: z.boolean(),
      exitCode: number.nullable(),
      timedOut: z.boolean(),
      outputTail: text,
      verdict: z.enum(PREFLIGHT_VERDICTS),
      note: text,
      durationSeconds: number,
    })
    .nullable(),
  after: command.nullable(),
  ...proof,
  // Not in the receipts of the first versions.
  rubric: z
    .object({
      verdict: z.enum(RUBRIC_VERDICTS),
      explanation: text,
      criteria: z.array(z.object({ text, pass: z.boolean(), evidence: text })),
      iterations: number,
    })
    .nullable()
    .default(null),
  flags: z.array(z.enum(RESULT_FLAGS)),
  notes: z.array(text),
  summary: text,
  sandbox: z.enum(SANDBOX_LEVELS),
  sandboxBackend: text,
  // Not in the receipts of the first versions.
  boundary: z.enum(BOUNDARIES).default('sandbox'),
  network: z.enum(NETWORKS).default('none'),
  engine: text,
  // Not in the receipts of the first versions.
  client: text.nullable().default(null),
  models: z.array(text),
  steps: number,
  toolCalls: number,
  usage: z.object({ input: number, output: number, cacheRead: number, cacheWrite: number }),
  costUsd: number.nullable(),
  costBasis: z.enum(COST_BASES),
  salvaged: z.boolean(),
  startedAt: text,
  endedAt: text,
});

/** Control characters in paths are escaped. Durable: the record that follows says the job has ended. Throws UserError `storage`. */
export function writeReceipt(path: string, receipt: Receipt): void {
  writeAtomic(path, `${escapeControls(JSON.stringify(receipt, null, 2))}\n`, { durable: true });
}

export function readReceipt(path: string): JsonFile<Receipt> {
  return readJsonFile(path, schema, RECEIPT_MAX_BYTES);
}
