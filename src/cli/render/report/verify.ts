import { shortId } from '../../../job/ids.ts';
import type { ReportFacts } from './facts.ts';
import { type Html, html } from './html.ts';

/** How to check all of it without believing us: nothing but git and the test command itself. */
export function verify(facts: ReportFacts): Html | null {
  const { record, receipt, patch } = facts;
  if (record.kind === 'ask' || patch === null || receipt === null || receipt.tree === null) return null;
  const setup = record.gate.setup === null ? [] : [record.gate.setup];
  const test = record.gate.test === null ? [] : [record.gate.test];
  const lines = [
    `cd ${quoted(record.repo)}`,
    `sha256sum ${quoted(patch.path)}`,
    `# ${patch.sha256}`,
    `git worktree add --detach ../check-${shortId(record.id)} ${record.base}`,
    `cd ../check-${shortId(record.id)}`,
    `git apply --index --binary ${quoted(patch.path)}`,
    `git write-tree`,
    `# ${receipt.tree}`,
    ...setup,
    ...test,
  ];
  return html`<section id="verify"><h2>Check it yourself</h2>
<p>Read the diff first: the last ${test.length === 0 ? 'lines apply' : 'line runs'} what the worker wrote, outside of any sandbox.</p>
<pre>${lines.join('\n')}</pre>
<p>Or let cc-delegate do it: <code>cc-delegate apply ${shortId(record.id)} --check</code></p></section>`;
}

/** As a shell takes it back. */
function quoted(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
