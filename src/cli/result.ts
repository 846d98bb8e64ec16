import { existsSync } from 'node:fs';
import { totalTokens } from '../job/cost.ts';
import type { Receipt } from '../job/receipt.ts';
import type { JobRecord } from '../job/record.ts';
import { isTerminal } from '../job/states.ts';
import { elapsedSeconds, statusOf } from '../job/summary.ts';
import { EXIT, type ExitCode } from '../job/user-error.ts';
import type { Store } from '../store/open.ts';
import { runPaths } from '../store/paths.ts';
import { readReceipt } from '../store/receipt-file.ts';
import type { Output } from './command.ts';
import { findNamedJob } from './find-job.ts';
import { atMost, parseVerb, seconds } from './parse.ts';
import { readAnswer } from './read-answer.ts';
import { renderFailedAsk } from './render/ask.ts';
import { jobTable } from './render/job-table.ts';
import { renderResult } from './render/result.ts';
import type { Verb } from './verb.ts';
import { waitForNews } from './wait-for-news.ts';

const SUMMARY_KEPT = 60_000;

export const verb: Verb = {
  help: `cc-delegate result [ID] [--full] [--verify] [--wait S]

The receipt of a job: how it ended, tests before and after, files, cost. Of an
ask, the answer.

  --full     the worker's last message whole, however long
  --verify   run the gate once more on the recorded commit, and compare
  --wait S   wait up to S seconds for the end

Exit: 0 succeeded, or still active (with its state); 1 not, or the gate
says otherwise now.`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, {
      full: { type: 'boolean' },
      verify: { type: 'boolean' },
      wait: { type: 'string' },
    });
    atMost(positionals, 1);
    const wait = seconds('wait', values.wait);
    const found = await findNamedJob(context, positionals[0], 'any');
    const record = wait === undefined ? found.record : await waitForNews(context, found, wait);
    if (!isTerminal(record.state)) {
      return { json: statusOf(record, Date.now()), text: jobTable([record], Date.now()), exit: EXIT.done };
    }
    if (record.kind === 'ask') return askResult(found.store, record, values.full === true);
    const read = readReceipt(runPaths(found.store, record.id).receipt);
    const receipt = read.kind === 'ok' ? read.value : null;
    const json = resultJson(found.store, record, receipt, values.full === true);
    if (values.verify !== true) return { json, text: renderResult(record, receipt), exit: exitOf(record) };
    // Asked for here: settings and sandbox are much to load for who only reads.
    const { verifyResult } = await import('./verify-result.ts');
    const verify = await verifyResult(context, { ...found, record }, receipt);
    const exit = verify.verdict === 'same' ? exitOf(record) : EXIT.badNews;
    return {
      json: { ...json, verify },
      text: `${renderResult(record, receipt, 14)}\n  ${'verified'.padEnd(9)} ${verify.verdict}: ${verify.note}`,
      exit,
    };
  },
};

/** An ask's result is its answer. */
function askResult(store: Store, record: JobRecord, full: boolean): Output {
  const read = readReceipt(runPaths(store, record.id).receipt);
  const answer = readAnswer(store, record, full);
  const json = {
    ...resultJson(store, record, read.kind === 'ok' ? read.value : null, full),
    patchPath: null,
    answer: answer.text,
    structured: answer.structured,
    answerPath: answer.text === '' ? null : answer.path,
  };
  const text = record.state === 'succeeded' ? answer.text : renderFailedAsk(record, answer.text);
  return { json, text, exit: exitOf(record) };
}

function exitOf(record: JobRecord): ExitCode {
  return record.state === 'succeeded' ? EXIT.done : EXIT.badNews;
}

/** The `result` object of the contract. Without a receipt (the runner died) the record alone speaks. */
function resultJson(store: Store, record: JobRecord, receipt: Receipt | null, full: boolean) {
  const paths = runPaths(store, record.id);
  const summary = receipt?.summary ?? '';
  const cut = !full && summary.length > SUMMARY_KEPT;
  return {
    id: record.id,
    conversationId: record.conversationId,
    turn: record.turn,
    engine: record.engine,
    client: record.client,
    model: record.model,
    modelsUsed: receipt?.models ?? [record.model],
    profile: record.profile,
    startedAt: record.startedAt,
    endedAt: record.endedAt,
    durationSeconds: elapsedSeconds(record, Date.now()),
    totalTokens: totalTokens(record.usage),
    state: record.state,
    reason: record.reason,
    summary: cut ? `${summary.slice(0, SUMMARY_KEPT)}\n[cut; the whole is in ${paths.receipt}]` : summary,
    summaryLine: record.result?.summaryLine ?? '',
    branch: record.branch,
    base: record.base,
    commit: record.result?.commit ?? null,
    patchPath: existsSync(paths.patch) ? paths.patch : null,
    filesChanged: receipt?.files ?? [],
    notInPatch: receipt?.notInPatch ?? [],
    tests: testsJson(record, receipt),
    rubric: receipt?.rubric ?? null,
    flags: record.result?.flags ?? [],
    notes: receipt?.notes ?? [],
    toolCalls: record.progress.toolCalls,
    steps: record.progress.step,
    usage: record.usage,
    costUsd: record.costUsd,
    costBasis: record.costBasis,
    salvaged: record.result?.salvaged ?? false,
    disposition: record.disposition,
    error: record.result?.error ?? null,
    logPath: paths.events,
    transcriptPath: paths.transcript,
    sandbox: record.sandbox,
    receiptPath: receipt === null ? null : paths.receipt,
  };
}

function testsJson(record: JobRecord, receipt: Receipt | null) {
  if (record.gate.test === null) return null;
  const after = receipt?.after ?? null;
  return {
    command: record.gate.test,
    exitCode: after?.exitCode ?? null,
    before: record.preflight,
    after,
    durationSeconds: after?.durationSeconds ?? null,
    outputTail: after?.outputTail ?? '',
    kept: receipt?.kept ?? null,
    flaky: receipt?.flaky ?? [],
    testChanges: receipt?.testChanges ?? [],
    protectedPaths: receipt?.protectedPaths ?? [],
    redFirst: receipt?.redFirst ?? null,
  };
}
