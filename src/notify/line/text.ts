import { count, formatMoney, oneLine, shortModel, trimLine } from '../../job/format.ts';
import { shortId } from '../../job/ids.ts';
import type { JobRecord } from '../../job/record.ts';
import { isTerminal, type JobState } from '../../job/states.ts';
import { reasonWords } from '../../job/summary.ts';
import { columnsOf, cutToColumns } from './columns.ts';

/** The widths, in columns, a line is baked at: a shell cannot measure a text, so it picks one. */
export const LINE_WIDTHS = [80, 60, 40, 20] as const;

const NOTE_CHARACTERS = 44;
const SAID_CHARACTERS = 40;
/** Below this, a text that was cut says nothing any more. */
const LEAST_COLUMNS = 10;

/** A part of a line. Where it is narrow, those with the highest `leaves` go first; a `soft` one is cut before. */
interface Part {
  readonly text: string;
  readonly leaves: number;
  readonly soft?: true;
}

/**
 * The status line of a job, at most `width` columns: glyph, short id, and what is known, the least needed left out
 * where it is narrow. Glyph and id always stay. No control characters, whatever a worker wrote.
 */
export function lineText(record: JobRecord, width: number): string {
  return lineWithin(GLYPHS[record.state], idOf(record), partsOf(record), width);
}

/** The line of a job whose runner died before it could say so. */
export function deadText(record: JobRecord, width: number): string {
  const parts: Part[] = [
    { text: 'runner died', leaves: 0 },
    { text: `cc-delegate status ${shortId(record.id)}`, leaves: 1 },
  ];
  return lineWithin('✗', idOf(record), parts, width);
}

const GLYPHS: Readonly<Record<JobState, string>> = {
  queued: '⏳',
  preparing: '⏳',
  running: '⏳',
  grading: '⏳',
  needs_input: '⚠',
  succeeded: '✓',
  failed: '✗',
  timeout: '✗',
  cancelled: '⊘',
};

/** Up to ten characters whole, else `t_…` and the six that people type. */
function idOf({ id }: JobRecord): string {
  return id.length <= 10 ? id : `t_…${shortId(id)}`;
}

function partsOf(record: JobRecord): Part[] {
  const parts = isTerminal(record.state) ? endedParts(record) : activeParts(record);
  const open = record.sandbox !== 'full' && record.boundary !== 'container';
  const shown = parts.filter(({ text }) => text !== '');
  return open ? [...shown, { text: 'unsandboxed', leaves: 4 }] : shown;
}

function activeParts(record: JobRecord): Part[] {
  const { state, question, progress } = record;
  if (state === 'needs_input') {
    return [
      { text: `asks: ${trimLine(question?.message ?? '', SAID_CHARACTERS)}`, leaves: 1, soft: true },
      { text: '→ /delegate-answer', leaves: 2 },
    ];
  }
  const place = state === 'running' || state === 'grading' ? `step ${progress.step}` : state;
  const note = trimLine(progress.note, NOTE_CHARACTERS) || (state === 'grading' ? state : '');
  return [
    { text: trimLine(shortModel(record.model), 30), leaves: 2 },
    { text: place, leaves: 1 },
    { text: note, leaves: 3, soft: true },
  ];
}

function endedParts(record: JobRecord): Part[] {
  const { state, reason, result, costUsd, costBasis } = record;
  if (state === 'succeeded') {
    return [
      { text: 'done', leaves: 1 },
      { text: count(result?.files ?? 0, 'file'), leaves: 2 },
      { text: formatMoney(costUsd, costBasis), leaves: 3 },
    ];
  }
  const salvaged: Part = { text: result?.salvaged === true ? 'work salvaged' : '', leaves: 2 };
  if (state === 'cancelled') return [{ text: 'cancelled', leaves: 1 }, salvaged];
  const why = reason === null ? (result?.error ?? state) : reasonWords(reason);
  return [{ text: trimLine(why, SAID_CHARACTERS), leaves: 1, soft: true }, salvaged];
}

function lineWithin(glyph: string, id: string, parts: readonly Part[], width: number): string {
  const head = `${glyph} delegate ${id}`;
  let kept = parts;
  while (kept.length > 0) {
    const line = joined(head, kept);
    if (columnsOf(line) <= width) return line;
    const shorter = withSoftCut(kept, width - columnsOf(head));
    if (shorter !== null) return joined(head, shorter);
    kept = withoutLeastNeeded(kept);
  }
  // Not even one part fits beside the long head: what the job does is worth more than the word.
  const first = parts.filter(({ soft }) => soft !== true).toSorted((a, b) => a.leaves - b.leaves)[0];
  const short = `${glyph} ${id}`;
  const forms = first === undefined ? [head] : [`${short} ${first.text}`, head];
  return oneLine(forms.find((form) => columnsOf(form) <= width) ?? cutToColumns(short, width));
}

function joined(head: string, parts: readonly Part[]): string {
  return oneLine([head, ...parts.map(({ text }) => text)].join(' · '));
}

/** The parts with the soft one cut to what is left of `room` columns; null when that would leave too little of it. */
function withSoftCut(parts: readonly Part[], room: number): Part[] | null {
  const others = parts.filter(({ soft }) => soft !== true);
  const taken = others.reduce((sum, { text }) => sum + 3 + columnsOf(text), 0);
  const left = room - taken - 3;
  if (others.length === parts.length || left < LEAST_COLUMNS) return null;
  return parts.map((part) => (part.soft === true ? { ...part, text: cutToColumns(part.text, left) } : part));
}

function withoutLeastNeeded(parts: readonly Part[]): Part[] {
  const last = Math.max(...parts.map(({ leaves }) => leaves));
  return parts.filter(({ leaves }) => leaves !== last);
}
