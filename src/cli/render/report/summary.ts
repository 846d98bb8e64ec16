import { totalTokens } from '../../../job/cost.ts';
import { flagWords } from '../../../job/flag-words.ts';
import { count, formatDuration, formatMoney } from '../../../job/format.ts';
import type { CommandReceipt } from '../../../job/receipt.ts';
import type { Preflight } from '../../../job/record.ts';
import { isTerminal } from '../../../job/states.ts';
import { elapsedSeconds, engineWords, reasonWords, sandboxWords } from '../../../job/summary.ts';
import { testChangeWords } from '../../../job/test-changes.ts';
import type { ReportFacts } from './facts.ts';
import { type Html, html } from './html.ts';

/** Title and verdict. */
export function headline({ record, madeAt }: ReportFacts): Html {
  const { state, reason, title } = record;
  const tone = state === 'succeeded' ? 'good' : isTerminal(state) ? 'bad' : 'open';
  const line = record.result?.summaryLine || (reason === null ? '' : reasonWords(reason));
  const soFar =
    !isTerminal(state) && html`<p class="cut">It has not ended: this is how it stood at ${madeAt}.</p>`;
  return html`<header><p class="verdict ${tone}">${state.replace('_', ' ')}</p><h1>${title}</h1>
<p>${line}</p><p class="id">${record.id}</p>${soFar}</header>`;
}

/** The facts the host saw, one a line. */
export function receipt(facts: ReportFacts): Html {
  const { record, receipt: seen } = facts;
  const money = `${formatMoney(record.costUsd, record.costBasis)} (${record.costBasis}), cap ${formatMoney(record.limits.budgetUsd)}`;
  const tokens = `${totalTokens(record.usage).toLocaleString('en-US')} tokens`;
  const amount = `${count(record.result?.files ?? 0, 'file')}, +${record.result?.insertions ?? 0} −${record.result?.deletions ?? 0}`;
  const rows: readonly (readonly [string, string])[] = [
    ['Tests', testsLine(facts)],
    ['Changed', amount],
    ['Cost', `${money}, ${tokens}`],
    [
      'Time',
      `${formatDuration(elapsedSeconds(record, Date.parse(facts.madeAt)))}, ${count(record.progress.step, 'step')}, ${count(record.progress.toolCalls, 'tool call')}`,
    ],
    [
      'Model',
      `${(seen?.models ?? [record.model]).join(', ')} (${record.modelSource}), engine ${engineWords(record)}`,
    ],
    ['Work', `${record.result?.commit ?? 'no commit'} on ${record.base}, branch ${record.branch}`],
    ['Sandbox', `${sandboxWords(record)}; network: ${record.network}`],
    ['Taken', record.disposition === 'none' ? 'neither applied nor discarded' : record.disposition],
  ];
  const wanted =
    record.kind === 'ask'
      ? rows.filter(([name]) => !['Tests', 'Changed', 'Work', 'Taken'].includes(name))
      : rows;
  return html`<section id="receipt"><h2>Receipt</h2><dl>${wanted.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>
`,
  )}</dl>${seen?.error && html`<p class="error">${seen.error}</p>`}${flags(facts)}${notes(facts)}</section>`;
}

function testsLine({ record, receipt: seen }: ReportFacts): string {
  if (record.gate.test === null) return 'none: nothing but a reading can judge it';
  const before = seen?.before ?? record.preflight;
  return `before: ${ended(before?.ran === false ? null : before)} · after: ${ended(seen?.after ?? null)} · ${record.gate.test}`;
}

function ended(run: CommandReceipt | Preflight | null): string {
  if (run === null) return 'not run';
  if (run.timedOut) return 'did not end in time';
  return run.exitCode === 0 ? 'pass' : `fail (exit ${run.exitCode ?? 'unknown'})`;
}

function flags({ record }: ReportFacts): Html | null {
  const found = record.result?.flags ?? [];
  if (found.length === 0) return null;
  return html`<h3>Look at this</h3><ul class="flags">${found.map(
    (flag) => html`<li><mark>${flag}</mark> ${flagWords(flag)}</li>`,
  )}</ul>`;
}

function notes({ receipt: seen }: ReportFacts): Html | null {
  if (seen === null || seen.notes.length + seen.testChanges.length === 0) return null;
  return html`<ul>${seen.testChanges.slice(0, 50).map(({ path, kind, detail }) => html`<li>${path}: ${testChangeWords(kind)} (${detail})</li>`)}${seen.notes.slice(0, 50).map((note) => html`<li>${note}</li>`)}</ul>`;
}

/** What the commands that judged the work printed last. */
export function proof({ record, receipt: seen }: ReportFacts): Html | null {
  const runs = [
    { name: 'Set-up', run: seen?.setup ?? null },
    { name: 'Tests on the base, before the work', run: seen?.before ?? record.preflight },
    { name: 'Tests on the result, in a clean checkout', run: seen?.after ?? null },
    { name: "The same with the base's tests, scripts and configuration", run: seen?.kept ?? null },
    ...(seen?.flaky ?? []).map(({ first }) => ({
      name: 'A run that failed, and passed when run again',
      run: first,
    })),
    { name: "The work's tests on the base", run: seen?.redFirst?.run ?? null },
  ];
  const blocks = runs.flatMap(({ name, run }) =>
    run === null || ('ran' in run && !run.ran)
      ? []
      : [
          html`<h3>${name}: ${ended(run)}, ${formatDuration(run.durationSeconds)}</h3>
<pre>${run.outputTail.trim() || '(it printed nothing)'}</pre>`,
        ],
  );
  return blocks.length === 0
    ? null
    : html`<section id="proof"><h2>What the tests printed last</h2>${blocks}</section>`;
}

const MOST_SAID = 20_000;

/** The worker's own word, marked as such; of an ask, the answer. */
export function said({ record, receipt: seen, answer }: ReportFacts): Html | null {
  const text = (record.kind === 'ask' ? answer : (seen?.summary ?? '')).trim();
  if (text === '') return null;
  const cut =
    text.length > MOST_SAID && html`<p class="cut">Cut here; the whole is in cc-delegate result --full.</p>`;
  const name = record.kind === 'ask' ? 'The answer' : 'What the worker says of it (no proof)';
  return html`<section id="said"><h2>${name}</h2><pre class="said">${text.slice(0, MOST_SAID)}</pre>${cut}</section>`;
}
