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
import { elapsedSeconds, engineWords, nextHint, reasonWords } from '../../job/summary.ts';
import { fold } from './fold.ts';
import { rubricLines } from './rubric.ts';
import { isShown, lookAt, testLines } from './tests.ts';

const WIDTH = 80;

/** A field, in the lines it takes. */
interface Part {
  readonly name: string;
  readonly lines: readonly string[];
}

/** What goes when there are too many lines; it stands in the receipt all the same. */
const LEAST_TELLING = ['engine', 'network', 'second note', 'said', 'left out', 'note', 'flags'];
const MOST = 15;

/** The receipt for people: at most 15 lines, facts first, the worker's own word marked as such. */
export function renderResult(record: JobRecord, receipt: Receipt | null, most = MOST): string {
  let parts = allParts(record, receipt);
  for (const name of LEAST_TELLING) {
    if (parts.flatMap(({ lines }) => lines).length <= most) break;
    parts = parts.filter((part) => part.name !== name);
  }
  return parts.flatMap(({ lines }) => lines).join('\n');
}

function allParts(record: JobRecord, receipt: Receipt | null): Part[] {
  const parts: Part[] = [{ name: 'headline', lines: [headline(record)] }];
  if (record.reason !== null) parts.push(field('why', reasonWords(record.reason)));
  if (record.gate.test !== null)
    parts.push(...testLines(record, receipt).map(([name, value]) => field(name, value)));
  if (receipt === null) parts.push(field('work', workWithoutReceipt(record)));
  else parts.push(...judgedParts(receipt), ...workParts(record, receipt));
  // Our own loop is the program itself, whose version everybody can ask.
  if (record.client !== null) parts.push(field('engine', engineWords(record)));
  parts.push(field('next', nextHint(record)));
  return parts;
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

function judgedParts({ rubric }: Receipt): Part[] {
  return rubric === null ? [] : rubricLines(rubric).map(([name, value]) => field(name, value));
}

function workParts(record: JobRecord, receipt: Receipt): Part[] {
  const parts: Part[] = [];
  const names = receipt.files.slice(0, 3).map(({ path }) => visiblePath(path));
  const more = receipt.files.length > 3 ? ` +${receipt.files.length - 3}` : '';
  const amount = `${count(receipt.files.length, 'file')} +${receipt.insertions} −${receipt.deletions}`;
  parts.push(
    field('files', receipt.files.length === 0 ? 'none changed' : `${amount} · ${names.join(', ')}${more}`),
  );
  if (receipt.notInPatch.length > 0) {
    const left = receipt.notInPatch.map(({ path, why }) => `${visiblePath(path)} (${why})`).join(', ');
    parts.push(field('left out', left));
  }
  const look = lookAt(receipt);
  if (look !== null) parts.push(field('look at', look));
  if (receipt.flags.length > 0) parts.push(field('flags', receipt.flags.join(', ')));
  if (receipt.commit !== null) {
    parts.push(
      field(
        'work',
        `${record.branch} @ ${receipt.commit.slice(0, 8)} on ${receipt.base.slice(0, 8)} · sandbox: ${record.sandbox}`,
      ),
    );
  }
  if (record.network === 'full') parts.push(field('network', 'full: its commands could reach everything'));
  const [first, second] = receipt.notes;
  if (first !== undefined) parts.push(field('note', first));
  if (second !== undefined) parts.push({ ...field('note', second), name: 'second note' });
  if (receipt.error && !isShown(record.reason, receipt)) parts.push(folded('error', receipt.error));
  const said = stripControls(receipt.summary).trim();
  if (said !== '') parts.push(field('said', said));
  return parts;
}

function workWithoutReceipt(record: JobRecord): string {
  return record.result?.salvaged === 'pending'
    ? 'being salvaged, ask again in a moment'
    : 'nothing could be kept';
}

function field(name: string, value: string): Part {
  return { name, lines: [`  ${name.padEnd(9)} ${trimLine(value, WIDTH - 12)}`] };
}

/** Whole: an error that is cut hides its remedy, which comes last. */
function folded(name: string, value: string): Part {
  const text = trimLine(value, MOST_LINES * (WIDTH - 12));
  const lines = fold(`  ${name.padEnd(9)} ${text}`, WIDTH, ' '.repeat(12));
  return { name, lines: lines.slice(0, MOST_LINES) };
}

const MOST_LINES = 4;
