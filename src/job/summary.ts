import { countsTokens } from './budget.ts';
import { isResumable } from './conversation.ts';
import { totalTokens } from './cost.ts';
import { count, formatMoney, trimLine } from './format.ts';
import { shortId } from './ids.ts';
import { waitsForItsTurn } from './queue.ts';
import type { JobRecord, ResultFlag } from './record.ts';
import type { RubricReceipt } from './rubric.ts';
import { isTerminal, type Reason, type TerminalState } from './states.ts';
import type { JobKind } from './transition.ts';

/** A reason in words a person would use. Total: a new reason without words does not compile. */
const REASON_WORDS: Record<Reason, string> = {
  gate_failed: 'the test command fails on the collected work',
  rubric_unsatisfied: 'the definition of done is not met',
  tampered: 'the tests pass only as the worker edited them',
  no_changes: 'the worker changed nothing',
  over_budget: 'the budget is used up',
  max_steps: 'the step limit is reached',
  engine_error: 'the model endpoint or the engine failed',
  auth: 'the endpoint refused the key',
  quota: 'the account has no credit left',
  rate_limited: 'the endpoint kept saying: too many requests',
  context_overflow: 'the conversation no longer fits the model',
  loop: 'the worker kept doing the same thing',
  empty_responses: 'the model kept answering nothing',
  grader_error: 'the grader failed',
  launch_failed: 'the runner did not start',
  setup_failed: 'the workspace could not be made ready',
  dependency_failed: 'a job this one waits for failed',
  runner_lost: 'the runner died',
  workspace_lost: 'the workspace or the repository is gone',
  storage: 'state could not be written',
  integrity: 'the repository was changed in a way nobody asked for',
  test_timeout: 'the test command did not end in time',
  wall: 'the time limit is reached',
  stall: 'the worker was silent for too long',
  queue: 'no place became free in time',
};

export function reasonWords(reason: Reason): string {
  return REASON_WORDS[reason];
}

export interface Outcome {
  /** A task where it is not said. */
  readonly kind?: JobKind;
  readonly state: TerminalState;
  readonly reason: Reason | null;
  readonly files: number;
  readonly testCommand: string | null;
  readonly testExitCode: number | null;
  /** With the base's tests put back. */
  readonly keptExitCode?: number | null;
  /** What was done to what judges the work, in words; for `tampered`. */
  readonly trick?: string;
  readonly flags: readonly ResultFlag[];
  /** What a grader said of the definition of done. */
  readonly criteria?: Pick<RubricReceipt, 'criteria'> | null;
  readonly costUsd: number | null;
  readonly salvaged: boolean | 'pending';
}

/** One line that tells how a job ended: facts first, at most 160 characters. */
export function summaryLine(outcome: Outcome): string {
  if (outcome.kind === 'ask') return answerLine(outcome);
  const parts = [ending(outcome), count(outcome.files, 'file')];
  if (outcome.state === 'succeeded') parts.push(proof(outcome), criteriaWords(outcome));
  else if (outcome.salvaged === 'pending') parts.push('work is being salvaged');
  else if (outcome.files > 0) parts.push('work kept');
  parts.push(formatMoney(outcome.costUsd));
  return trimLine(parts.filter((part) => part !== '').join(', '), 160);
}

function answerLine(outcome: Outcome): string {
  const said = outcome.state === 'succeeded' ? 'answered' : ending(outcome);
  return trimLine([said, formatMoney(outcome.costUsd)].join(', '), 160);
}

function ending({ state, reason, trick = '' }: Outcome): string {
  if (state === 'succeeded') return '';
  if (reason === 'tampered' && trick !== '') return `tampered: ${trick}, and the tests pass only so`;
  return reason === null ? state : `${reason}: ${reasonWords(reason)}`;
}

function proof({ testCommand, testExitCode, keptExitCode, flags }: Outcome): string {
  if (testCommand === null) return flags.includes('unproven') ? 'no test command (unproven)' : '';
  if (testExitCode !== 0) return 'tests fail';
  const flaky = flags.includes('flaky') ? ' (flaky)' : '';
  if (keptExitCode === 0) return `tests pass${flaky}, as the base has them too`;
  return flags.includes('test_edits') ? `tests pass as the worker edited them${flaky}` : `tests pass${flaky}`;
}

/** `3 of 3 criteria met`; '' where nothing was graded. */
function criteriaWords({ criteria }: Pick<Outcome, 'criteria'>): string {
  if (!criteria) return '';
  const met = criteria.criteria.filter(({ pass }) => pass).length;
  return `${met} of ${criteria.criteria.length} criteria met`;
}

/** What the caller may want to type next: one short command. */
export function nextHint(record: JobRecord): string {
  const id = shortId(record.id);
  if (record.state === 'needs_input') {
    const isMoney = record.question?.kind === 'budget';
    return `cc-delegate answer ${id} ${isMoney ? '--raise-budget USD, or: stop' : '"…"'}`;
  }
  if (!isTerminal(record.state)) return `cc-delegate wait ${id}`;
  if (isResumable(record) && record.progress.step > 0 && record.disposition === 'none')
    return resumeHint(record);
  if (record.kind === 'ask')
    return record.state === 'succeeded' ? `cc-delegate followup ${id} "…"` : `cc-delegate log ${id}`;
  if (record.disposition === 'applied') return `cc-delegate undo ${id}`;
  if (record.state === 'succeeded') return `cc-delegate apply ${id} --check`;
  return (record.result?.files ?? 0) > 0 ? `cc-delegate diff ${id}` : `cc-delegate log ${id}`;
}

/** It can go on: with more money, where that was used up and not tokens; what it has made so far can be looked at. */
function resumeHint({ id, reason, result, usage, limits, ...spent }: JobRecord): string {
  const byTokens =
    countsTokens({ usd: spent.costUsd, basis: spent.costBasis }) && totalTokens(usage) >= limits.maxTokens;
  const more = reason === 'over_budget' && !byTokens ? ' --raise-budget USD' : '';
  const look = (result?.files ?? 0) > 0 ? `, or: diff ${shortId(id)}` : '';
  return `cc-delegate resume ${shortId(id)}${more}${look}`;
}

/** Whole seconds a job has been alive: to its end, or to now. Never negative, whatever a clock does. */
export function elapsedSeconds(record: JobRecord, nowMs: number): number {
  const from = Date.parse(record.startedAt ?? record.createdAt);
  const to = record.endedAt === null ? nowMs : Date.parse(record.endedAt);
  return Math.max(0, Math.round((to - from) / 1000));
}

/** Who does the work: `native`, or `claude (Claude Code 2.1.332)`. */
export function engineWords({ engine, client }: Pick<JobRecord, 'engine' | 'client'>): string {
  return client === null ? engine : `${engine} (Claude Code ${client})`;
}

/** What holds the worker's commands, in a few words; short of level `full`, what it does not hold back. */
export function sandboxWords({ sandbox, sandboxBackend, boundary, network }: JobRecord): string {
  if (sandbox === 'full') return network === 'full' ? 'full, with network' : 'full';
  const level = `${sandbox} (${sandboxBackend})`;
  if (boundary === 'container') return `${level}: the container is the boundary`;
  return `${level}: your files and the network are reachable`;
}

/** What `status ID` says: the tiny state, at most 600 bytes as JSON. */
export function statusOf(record: JobRecord, nowMs: number): Record<string, unknown> {
  const { question, result } = record;
  const ended = isTerminal(record.state);
  return {
    id: record.id,
    state: record.state,
    done: ended,
    ...(waitsForItsTurn(record) && { note: trimLine(record.progress.note, 60) }),
    step: record.progress.step,
    model: trimLine(record.model, 60),
    ...(record.client !== null && { client: record.client }),
    costUsd: record.costUsd,
    elapsedSeconds: elapsedSeconds(record, nowMs),
    sandbox: record.sandbox,
    ...(record.network === 'full' && { network: record.network }),
    ...(question && { question: { id: question.id, kind: question.kind, message: question.message } }),
    ...(ended && { reason: record.reason, summaryLine: result?.summaryLine ?? '' }),
    next: nextHint(record),
  };
}

/** How a job ended, for a table whose other columns say the state and the cost. */
function endedWords(record: JobRecord): string {
  const { reason, result } = record;
  if (record.kind === 'ask') return `${reason ?? 'answered'} → result ${shortId(record.id)}`;
  const files = count(result?.files ?? 0, 'file');
  const kept = result?.tests?.keptExitCode === 0;
  const edited = result?.flags.includes('test_edits') && !kept ? ' (edited)' : '';
  const tests = result?.tests ? (result.tests.exitCode === 0 ? `, tests pass${edited}` : ', tests fail') : '';
  const applied = record.disposition === 'none' ? '' : `, ${record.disposition}`;
  return `${reason === null ? '' : `${reason}: `}${files}${tests}${applied} → result ${shortId(record.id)}`;
}

/** What a job is doing or how it ended, for the last column of a table. */
export function whatColumn(record: JobRecord): string {
  const id = shortId(record.id);
  if (record.question?.kind === 'budget') return `asks for money → answer ${id}`;
  if (record.question) return `asks: ${trimLine(record.question.message, 16)} → answer ${id}`;
  if (isTerminal(record.state)) return endedWords(record);
  const touched =
    record.progress.filesTouched > 0 ? ` (+${count(record.progress.filesTouched, 'file')})` : '';
  return `${record.progress.note || record.title}${touched}`;
}
