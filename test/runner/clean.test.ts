import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { makeJobId } from '../../src/job/ids.ts';
import type { Receipt } from '../../src/job/receipt.ts';
import { NO_RESULT } from '../../src/job/record.ts';
import { createRedactor } from '../../src/job/redaction/redactor.ts';
import { cleaner, cleanReceipt, cleanRecord } from '../../src/runner/clean.ts';
import { withoutSecrets } from '../../src/runner/tools/without-secrets.ts';

const SECRET = 'quiet-value-77';
const redactor = createRedactor({ values: [{ kind: 'key', value: SECRET }] });
const bad = `a ${SECRET}\u001b[2J b`;
const good = 'a [redacted:key][2J b';

const preflight = {
  ran: true,
  exitCode: 1,
  timedOut: false,
  outputTail: bad,
  verdict: 'fails',
  note: bad,
  durationSeconds: 1,
} as const;
const command = { command: bad, exitCode: 1, timedOut: false, durationSeconds: 1, outputTail: bad };

/** What neither a worker nor an endpoint has a word in. */
const REST = {
  schema: 1,
  kind: 'task',
  version: '0',
  id: makeJobId(1_700_000_000_000, 1),
  state: 'failed',
  reason: 'gate_failed',
  specDigest: SECRET,
  base: SECRET,
  commit: SECRET,
  tree: SECRET,
  insertions: 1,
  deletions: 0,
  flags: ['secret_like'],
  sandbox: 'full',
  sandboxBackend: 'bubblewrap',
  boundary: 'sandbox',
  network: 'none',
  engine: 'native',
  client: null,
  models: ['m'],
  steps: 1,
  toolCalls: 1,
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  costUsd: 1,
  costBasis: 'user',
  salvaged: false,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
} as const;

describe('on its way into a file of ours', () => {
  it('a record loses secrets and control characters in what others said, and nothing else', () => {
    const question = {
      id: 'q1',
      kind: 'question',
      message: bad,
      askedAt: SECRET,
      expiresAt: SECRET,
    } as const;
    const progress = { step: 1, toolCalls: 1, note: bad, filesTouched: 0, lastActivityAt: null };
    const tests = { command: bad, exitCode: 1, durationSeconds: 1 };
    const result = { ...NO_RESULT, summaryLine: bad, error: bad, tests, commit: SECRET };
    const patch = { title: bad, branch: SECRET, preflight, progress, question, result, costUsd: 1 };
    expect(cleanRecord(patch, cleaner(redactor))).toEqual({
      title: good,
      branch: SECRET,
      preflight: { ...preflight, outputTail: good, note: good },
      progress: { ...progress, note: good },
      question: { ...question, message: good },
      result: { ...result, summaryLine: good, error: good, tests: { ...tests, command: good } },
      costUsd: 1,
    });
    expect(cleanRecord({ question: null, preflight: null, result: null }, cleaner(redactor))).toEqual({
      question: null,
      preflight: null,
      result: null,
    });
  });

  it('a record stays small though a mark is longer than what it hides', () => {
    const outputTail = `${SECRET} `.repeat(60);
    const cleaned = cleanRecord({ preflight: { ...preflight, outputTail } }, cleaner(redactor));
    expect(cleaned.preflight?.outputTail).toHaveLength(800);
  });

  it('a receipt loses them too, but a path keeps the characters that make it another path', () => {
    const file = {
      path: `${SECRET}/a\u001bb`,
      status: 'A',
      insertions: 1,
      deletions: 0,
      binary: false,
      flags: [],
    } as const;
    const receipt: Receipt = {
      ...REST,
      error: bad,
      files: [file],
      notInPatch: [{ path: file.path, why: bad }],
      setup: command,
      before: preflight,
      after: command,
      kept: command,
      flaky: [{ of: 'after', first: command }],
      testChanges: [{ path: file.path, kind: 'test_skipped', detail: bad }],
      protectedPaths: [{ path: file.path, put: 'base' }],
      redFirst: { verdict: 'failed', run: command },
      rubric: rubricOf(bad),
      notes: [bad],
      summary: bad,
      branch: SECRET,
    };
    const cleaned = cleanReceipt(receipt, redactor);
    const cleanCommand = { ...command, command: good, outputTail: good };
    const path = '[redacted:key]/a\u001bb';
    expect(cleaned).toEqual({
      ...REST,
      error: good,
      files: [{ ...file, path }],
      notInPatch: [{ path, why: good }],
      setup: cleanCommand,
      before: { ...preflight, outputTail: good, note: good },
      after: cleanCommand,
      kept: cleanCommand,
      flaky: [{ of: 'after', first: cleanCommand }],
      testChanges: [{ path, kind: 'test_skipped', detail: good }],
      protectedPaths: [{ path, put: 'base' }],
      redFirst: { verdict: 'failed', run: cleanCommand },
      rubric: rubricOf(good),
      notes: [good],
      summary: good,
      branch: SECRET,
    });
  });
});

describe('the result of a tool', () => {
  it('goes to the model without the keys of endpoints, and otherwise as it is', async () => {
    const looks = 'DB_PASSWORD=hunter2hunter';
    const tool = {
      name: 'bash',
      description: '',
      input: z.unknown(),
      readOnly: true,
      run: async () => ({ ok: false, text: `${looks} ${SECRET}\u001b`, summary: SECRET }),
    };
    const context = { signal: new AbortController().signal, callId: 'c' };
    expect(await withoutSecrets(tool, redactor).run({}, context)).toEqual({
      ok: false,
      text: `${looks} [redacted:key]\u001b`,
      summary: '[redacted:key]',
    });
  });
});

function rubricOf(text: string): NonNullable<Receipt['rubric']> {
  const criteria = [{ text, pass: true, evidence: text }];
  return { verdict: 'satisfied', explanation: text, criteria, iterations: 1 };
}
