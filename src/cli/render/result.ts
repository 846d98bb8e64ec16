import {
  count,
  formatDuration,
  formatMoney,
  stripControls,
  trimLine,
  visiblePath,
} from '../../job/format.ts';
import { shortId } from '../../job/ids.ts';
import type { Receipt } from '../../job/receipt.ts';
import type { JobRecord } from '../../job/record.ts';
import { elapsedSeconds, nextHint, reasonWords } from '../../job/summary.ts';
import { fold } from './fold.ts';
import { rubricLines } from './rubric.ts';
import { isShown, lookAt, testLines } from './tests.ts';

const WIDTH = 80;

/** The receipt for people: at most 15 lines, facts first, the worker's own word marked as such. */
export function renderResult(record: JobRecord, receipt: Receipt | null): string {
  const lines = [headline(record)];
  if (record.reason !== null) lines.push(field('why', reasonWords(record.reason)));
  if (record.gate.test !== null)
    lines.push(...testLines(record, receipt).map(([name, value]) => field(name, value)));
  if (receipt === null) lines.push(field('work', workWithoutReceipt(record)));
  else lines.push(...judgedLines(receipt), ...workLines(record, receipt));
  lines.push(field('next', nextHint(record)));
  return lines.join('\n');
}

function headline(record: JobRecord): string {
  const mark = record.state === 'succeeded' ? '✓' : record.state === 'cancelled' ? '⊘' : '✗';
  const time = formatDuration(elapsedSeconds(record, Date.now()));
  const right = `${time}  ${count(record.progress.step, 'step')}  ${formatMoney(record.costUsd, record.costBasis)}`;
  const ending = record.reason === null ? record.state : `${record.state} (${record.reason})`;
  const left = `${mark} ${ending}  ${shortId(record.id)}  `;
  const room = WIDTH - left.length - right.length - 2;
  return `${left}${trimLine(record.title, Math.max(10, room)).padEnd(Math.max(10, room))}  ${right}`;
}

function judgedLines({ rubric }: Receipt): string[] {
  return rubric === null ? [] : rubricLines(rubric).map(([name, value]) => field(name, value));
}

function workLines(record: JobRecord, receipt: Receipt): string[] {
  const lines: string[] = [];
  const names = receipt.files.slice(0, 3).map(({ path }) => visiblePath(path));
  const more = receipt.files.length > 3 ? ` +${receipt.files.length - 3}` : '';
  const amount = `${count(receipt.files.length, 'file')} +${receipt.insertions} −${receipt.deletions}`;
  lines.push(
    field('files', receipt.files.length === 0 ? 'none changed' : `${amount} · ${names.join(', ')}${more}`),
  );
  if (receipt.notInPatch.length > 0) {
    const left = receipt.notInPatch.map(({ path, why }) => `${visiblePath(path)} (${why})`).join(', ');
    lines.push(field('left out', left));
  }
  const look = lookAt(receipt);
  if (look !== null) lines.push(field('look at', look));
  if (receipt.flags.length > 0) lines.push(field('flags', receipt.flags.join(', ')));
  if (receipt.commit !== null) {
    lines.push(
      field(
        'work',
        `${record.branch} @ ${receipt.commit.slice(0, 8)} on ${receipt.base.slice(0, 8)} · sandbox: ${record.sandbox}`,
      ),
    );
  }
  if (record.network === 'full') lines.push(field('network', 'full: its commands could reach everything'));
  for (const note of receipt.notes.slice(0, 2)) lines.push(field('note', note));
  if (receipt.error !== null && !isShown(record.reason, receipt))
    lines.push(...folded('error', receipt.error));
  const said = stripControls(receipt.summary).trim();
  if (said !== '') lines.push(field('said', said));
  return lines;
}

function workWithoutReceipt(record: JobRecord): string {
  return record.result?.salvaged === 'pending'
    ? 'being salvaged, ask again in a moment'
    : 'nothing could be kept';
}

function field(name: string, value: string): string {
  return `  ${name.padEnd(9)} ${trimLine(value, WIDTH - 12)}`;
}

/** Whole: an error that is cut hides its remedy, which comes last. */
function folded(name: string, value: string): string[] {
  const text = trimLine(value, MOST_LINES * (WIDTH - 12));
  return fold(`  ${name.padEnd(9)} ${text}`, WIDTH, ' '.repeat(12));
}

const MOST_LINES = 4;
