import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NO_PROOF, type Receipt } from '../../src/job/receipt.ts';
import { readReceipt, writeReceipt } from '../../src/store/receipt-file.ts';
import { makeFolder } from '../helpers/repository.ts';
import { AT, newId } from './fixtures/records.ts';

const receipt: Receipt = {
  schema: 1,
  version: '0.1.0',
  kind: 'task',
  id: newId(),
  state: 'succeeded',
  reason: null,
  error: null,
  specDigest: '',
  base: 'a'.repeat(40),
  commit: null,
  tree: null,
  branch: 'delegate/x',
  files: [],
  insertions: 0,
  deletions: 0,
  notInPatch: [],
  setup: null,
  before: null,
  after: null,
  ...NO_PROOF,
  rubric: null,
  flags: [],
  notes: [],
  summary: '',
  sandbox: 'full',
  sandboxBackend: 'bubblewrap',
  boundary: 'sandbox',
  network: 'none',
  engine: 'claude',
  client: '2.1.332',
  models: ['vendor/model'],
  steps: 1,
  toolCalls: 1,
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0,
  costBasis: 'reported',
  salvaged: false,
  startedAt: AT,
  endedAt: AT,
};

it('a receipt is read as it was written', () => {
  const path = join(makeFolder(), 'receipt.json');
  writeReceipt(path, receipt);
  expect(readReceipt(path)).toEqual({ kind: 'ok', value: receipt });
});

it('one of the first versions is read, with nothing in place of what it did not say', () => {
  const path = join(makeFolder(), 'receipt.json');
  writeReceipt(path, receipt);
  const early: Record<string, unknown> = JSON.parse(readFileSync(path, 'utf8'));
  for (const key of ['kind', 'rubric', 'boundary', 'network', 'client', ...Object.keys(NO_PROOF)])
    delete early[key];
  writeFileSync(path, JSON.stringify(early));
  expect(readReceipt(path)).toEqual({ kind: 'ok', value: { ...receipt, client: null } });
});
