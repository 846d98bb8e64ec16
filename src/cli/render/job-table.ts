import { formatDuration, formatMoney, trimLine } from '../../job/format.ts';
import { shortId } from '../../job/ids.ts';
import type { JobRecord } from '../../job/record.ts';
import { elapsedSeconds, whatColumn } from '../../job/summary.ts';
import type { FoundJob } from '../../store/read-job.ts';

export type JobLine = JobRecord;

const WIDTH = 80;

/** The jobs as a table of 80 columns: what each is doing, or how it ended. */
export function jobTable(records: readonly JobLine[], nowMs: number): string {
  const header = row('ID', 'STATE', 'STEP', 'TIME', 'COST', 'WHAT');
  const rows = records.map((record) =>
    row(
      shortId(record.id),
      record.state,
      String(record.progress.step),
      formatDuration(elapsedSeconds(record, nowMs)),
      record.costUsd === null ? 'unknown' : formatMoney(record.costUsd, record.costBasis),
      whatColumn(record),
    ),
  );
  return [header, ...rows].join('\n');
}

function row(id: string, state: string, step: string, time: string, cost: string, what: string): string {
  const left = `${id.padEnd(7)} ${state.padEnd(12)} ${step.padStart(4)}  ${time.padEnd(7)} ${cost.padEnd(8)} `;
  return `${left}${trimLine(what, WIDTH - left.length)}`.trimEnd();
}

/** A job that is there but cannot be read: named, never hidden. */
export function unreadableLine(job: Exclude<FoundJob, { kind: 'ok' }>): string {
  const why = job.kind === 'newer' ? `written by a newer cc-delegate (schema ${job.schema})` : job.why;
  return `${shortId(job.id)}  unreadable (${job.path}): ${why}`;
}
