import { formatDuration, formatMoney, trimLine } from '../../job/format.ts';
import { shortId } from '../../job/ids.ts';
import type { JobRecord } from '../../job/record.ts';
import { elapsedSeconds, nextHint, reasonWords } from '../../job/summary.ts';

/** An ask that is still at it: its id, and how to come by the answer. */
export function renderAsked(record: JobRecord): string {
  const id = shortId(record.id);
  return [
    `asked      ${record.id}   ${trimLine(record.title, 45)}`,
    `model      ${trimLine(`${record.model} (${record.modelSource}) · cap $${record.limits.budgetUsd.toFixed(2)}`, 69)}`,
    `next       cc-delegate wait ${id} · result ${id}`,
  ].join('\n');
}

/** One line about an answer, for stderr: who answered, what it cost, how to go on. */
export function askFooter(record: JobRecord): string {
  const time = formatDuration(elapsedSeconds(record, Date.now()));
  const cost = formatMoney(record.costUsd, record.costBasis);
  // It could have looked, and has answered from what it thinks it knows.
  const looked = record.result?.flags.includes('no_tool_calls') ? ' · looked at no file (unverified)' : '';
  return `${record.model} · ${time} · ${cost}${looked} · go on: ${nextHint(record)}`;
}

/** An ask that ended badly; what was answered all the same is shown below. */
export function renderFailedAsk(record: JobRecord, answer: string): string {
  const why = record.reason === null ? record.state : `${record.state} (${record.reason})`;
  const lines = [`✗ ${why}  ${shortId(record.id)}  ${trimLine(record.title, 45)}`];
  if (record.reason !== null) lines.push(`  why       ${reasonWords(record.reason)}`);
  const error = record.result?.error ?? null;
  if (error !== null) lines.push(`  error     ${trimLine(error, 300)}`);
  return answer === '' ? lines.join('\n') : `${lines.join('\n')}\n\n${answer}`;
}
