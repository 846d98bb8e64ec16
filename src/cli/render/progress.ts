import { count, formatDuration, formatMoney, trimLine } from '../../job/format.ts';
import { shortId } from '../../job/ids.ts';
import type { JobRecord } from '../../job/record.ts';
import type { ActivityLine } from '../activity.ts';

export interface ProgressView {
  readonly elapsedSeconds: number;
  readonly activity: readonly ActivityLine[];
  readonly filesTouched: readonly string[];
  readonly lastActivitySeconds: number | null;
  readonly partialText: string;
}

/** Progress for people: where it is, then what it did, newest last. */
export function renderProgress(record: JobRecord, view: ProgressView): string {
  const { progress } = record;
  const lines = [
    `${shortId(record.id)}  ${record.state}  step ${progress.step}  ${formatDuration(view.elapsedSeconds)}  ${formatMoney(record.costUsd, record.costBasis)} of $${record.limits.budgetUsd}`,
    trimLine(`model      ${record.model}`, 80),
  ];
  if (progress.note !== '') lines.push(trimLine(`doing      ${progress.note}`, 80));
  if (record.question) {
    lines.push(trimLine(`asks       ${record.question.message}`, 80));
    lines.push(`           cc-delegate answer ${shortId(record.id)} "…"`);
  }
  if (view.filesTouched.length > 0) {
    lines.push(
      trimLine(`files      ${count(view.filesTouched.length, 'file')}: ${view.filesTouched.join(', ')}`, 80),
    );
  }
  for (const line of view.activity) {
    const mark = line.ok ? ' ' : '!';
    lines.push(trimLine(`${line.at.slice(11, 19)} ${mark} ${line.tool.padEnd(6)} ${line.summary}`, 80));
  }
  if (view.lastActivitySeconds !== null)
    lines.push(`last sign of life ${formatDuration(view.lastActivitySeconds)} ago`);
  return lines.join('\n');
}
