import { count, formatDuration, formatMoney, trimLine } from '../../../job/format.ts';
import type { Event } from '../../../store/events.ts';
import type { ReportFacts } from './facts.ts';
import { type Html, html } from './html.ts';

interface Row {
  readonly at: string;
  readonly kind: 'state' | 'step' | 'note' | 'bad';
  readonly name: string;
  readonly text: string;
}

const MOST_ROWS = 300;

/** States and steps in the order of time; of very many, the first and the last. */
export function timeline(facts: ReportFacts): Html {
  const { shown, left } = middleOut(rowsOf(facts), MOST_ROWS);
  const start = Date.parse(facts.record.createdAt);
  return html`<section id="timeline"><h2>What happened</h2>
${facts.eventsCut && html`<p class="cut">The log is longer than what was read; its beginning is missing here.</p>`}
<ol class="timeline">${shown.map(
    (row, at) =>
      html`${left > 0 && at === MOST_ROWS / 2 && html`<li class="cut">${count(left, 'more line')} left out; cc-delegate log has all</li>`}
<li class="${row.kind}"><time datetime="${row.at}">${offset(start, row.at)}</time> <b>${row.name}</b> <span>${row.text}</span></li>`,
  )}</ol></section>`;
}

function offset(start: number, at: string): string {
  const seconds = (Date.parse(at) - start) / 1000;
  return Number.isFinite(seconds) ? `+${formatDuration(seconds)}` : '?';
}

function middleOut(rows: readonly Row[], most: number): { shown: readonly Row[]; left: number } {
  if (rows.length <= most) return { shown: rows, left: 0 };
  return { shown: [...rows.slice(0, most / 2), ...rows.slice(-most / 2)], left: rows.length - most };
}

function rowsOf({ record, states, events }: ReportFacts): Row[] {
  const why = (state: string): string => (state === record.state ? (record.reason ?? '') : '');
  const moves = states.map(({ state, at }): Row => ({ at, kind: 'state', name: state, text: why(state) }));
  const rows = [...moves, ...stepRows(events), ...events.flatMap((event) => noteRow(event) ?? [])];
  return rows.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** One row a step: the tools it used and what it cost. */
function stepRows(events: readonly Event[]): Row[] {
  const steps: { at: string; name: string; parts: string[]; usd: number | null }[] = [];
  for (const event of events) {
    if (event.t === 'step_start')
      steps.push({ at: word(event.at), name: `step ${word(event.step)}`, parts: [], usd: null });
    const step = steps.at(-1);
    if (step === undefined) continue;
    if (event.t === 'tool_end') {
      const failed = event.ok === true ? '' : ' (failed)';
      step.parts.push(`${word(event.tool)} ${trimLine(word(event.summary), 80)}${failed}`);
    } else if (event.t === 'spend') {
      const usd = usdOf(event);
      if (usd !== null) step.usd = (step.usd ?? 0) + usd;
    }
  }
  return steps.map(({ at, name, parts, usd }) => {
    const text = [...parts, ...(usd === null ? [] : [formatMoney(usd)])].join(' · ');
    return { at, kind: 'step', name, text: trimLine(text, 400) };
  });
}

/** US dollars of one call; null when it has no price. */
export function usdOf(event: Event): number | null {
  const usd: unknown = fieldOf(event.spend, 'usd');
  return typeof usd === 'number' ? usd : null;
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

const NOTES: Readonly<Record<string, readonly [string, Row['kind']]>> = {
  progress: ['reports', 'note'],
  question: ['asks', 'note'],
  answer: ['is answered', 'note'],
  question_expired: ['nobody answered', 'bad'],
  steer: ['is told', 'note'],
  cancel: ['cancel', 'bad'],
  retry: ['retry', 'bad'],
  fallback: ['fallback', 'bad'],
  compacted: ['compacts', 'note'],
  refused: ['refused', 'bad'],
  warn: ['warning', 'bad'],
  fault: ['fault', 'bad'],
  preflight: ['tests before', 'note'],
  gate: ['tests after', 'note'],
};

function noteRow(event: Event): Row | null {
  const note = NOTES[word(event.t)];
  if (note === undefined) return null;
  return { at: word(event.at), kind: note[1], name: note[0], text: trimLine(noteText(event), 400) };
}

function noteText(event: Event): string {
  const test = event.t === 'gate' ? event.after : event;
  if (event.t === 'gate' || event.t === 'preflight') {
    const exitCode = fieldOf(test, 'exitCode');
    if (fieldOf(test, 'timedOut') === true) return 'did not end in time';
    return typeof exitCode === 'number' ? `exit ${exitCode}` : 'not run';
  }
  const said = [event.text, event.message, event.sentence].find((part) => typeof part === 'string');
  if (typeof said === 'string') return said;
  const { at: _at, t: _t, agent: _agent, id: _id, ...rest } = event;
  return Object.entries(rest)
    .map(([name, value]) => `${name} ${word(value)}`)
    .join(', ');
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
