import { count, exactMoney, formatDuration, trimLine } from '../../job/format.ts';
import { shortId } from '../../job/ids.ts';
import type { JobRecord } from '../../job/record.ts';
import { isTerminal } from '../../job/states.ts';
import { nextHint } from '../../job/summary.ts';
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
    `${shortId(record.id)}  ${record.state}  step ${progress.step}  ${formatDuration(view.elapsedSeconds)}  ${exactMoney(record.costUsd, record.costBasis)} of ${exactMoney(record.limits.budgetUsd)}`,
    field('model', record.model),
  ];
  if (progress.note !== '')
    lines.push(field(isTerminal(record.state) ? 'was doing' : 'doing', progress.note));
  if (record.question) {
    lines.push(field('asks', record.question.message));
    lines.push(field('', nextHint(record)));
  }
  if (view.filesTouched.length > 0) {
    lines.push(field('files', `${count(view.filesTouched.length, 'file')}: ${view.filesTouched.join(', ')}`));
  }
  for (const line of view.activity) {
    lines.push(
      `${line.at.slice(11, 19)}  ${line.tool.padEnd(6)} ${trimLine(`${line.ok ? '' : 'failed: '}${line.summary}`, 62)}`,
    );
  }
  if (view.lastActivitySeconds !== null)
    lines.push(`last sign of life ${formatDuration(view.lastActivitySeconds)} ago`);
  return lines.join('\n');
}

function field(name: string, value: string): string {
  return `${name.padEnd(10)} ${trimLine(value, 69)}`;
}
