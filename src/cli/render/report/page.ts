import { trimLine } from '../../../job/format.ts';
import { costChart } from './cost-chart.ts';
import type { ReportFacts } from './facts.ts';
import { files } from './files.ts';
import { html } from './html.ts';
import { STYLE } from './style.ts';
import { headline, proof, receipt, said } from './summary.ts';
import { timeline } from './timeline.ts';
import { verify } from './verify.ts';

/** By its first bytes a report is known, so that no other file is ever overwritten by one. */
export const REPORT_START = '<!doctype html>\n<!-- cc-delegate report -->\n';

// What a worker wrote is escaped; should that ever fail, the browser still runs and loads nothing.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** One page that needs nothing else: no script, no file, no network. */
export function renderReport(facts: ReportFacts): string {
  const { record } = facts;
  const chart = costChart(facts.events);
  // First of all, for a browser looks for them at the beginning of a page, and obeys them from there on.
  const rules = html`<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${record.state}: ${trimLine(record.title, 80)}</title>`;
  const body = html`${headline(facts)}
<main>${receipt(facts)}
${said(facts)}
${proof(facts)}
${record.kind === 'task' && files(facts)}
${verify(facts)}
${chart && html`<section id="cost"><h2>Cost</h2>${chart}</section>`}
${timeline(facts)}</main>
<footer>Made by cc-delegate ${facts.version} at ${facts.madeAt}. Secrets it knows, and what looks like one, are hidden.</footer>`;
  // The style is ours, and holds nothing of anybody else.
  return `${REPORT_START}<html lang="en"><head>${rules}<style>${STYLE}</style></head>\n<body>${body}</body></html>\n`;
}
