import { describe, expect, it } from 'vitest';
import type { ReportFacts } from '../../../src/cli/render/report/facts.ts';
import { html } from '../../../src/cli/render/report/html.ts';
import { renderReport } from '../../../src/cli/render/report/page.ts';
import { NO_PROOF, type Receipt } from '../../../src/job/receipt.ts';
import { type JobRecord, NO_RESULT } from '../../../src/job/record.ts';
import type { ReviewFile } from '../../../src/job/review-files.ts';
import { AT, NOW, sampleRecord } from '../../store/fixtures/records.ts';

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  "' onmouseover='alert(3)",
  '</title></style></pre></code></svg><svg onload=alert(4)>',
  '<!-- --><a href="javascript:alert(5)">',
  '&lt;b&gt;\u202e\u2066\u001b[31m\u0000',
].join(' ');

function record(change: Partial<JobRecord> = {}): JobRecord {
  const result = {
    ...NO_RESULT,
    files: 1,
    insertions: 2,
    commit: 'c'.repeat(40),
    flags: ['test_edits' as const],
    summaryLine: `1 file ${HOSTILE}`,
  };
  return sampleRecord({
    title: `title ${HOSTILE}`,
    state: 'succeeded',
    gate: { test: `npm test ${HOSTILE}`, setup: null, criteria: false },
    result,
    endedAt: AT,
    ...change,
  });
}

function receipt(of: JobRecord): Receipt {
  const run = { command: HOSTILE, exitCode: 0, timedOut: false, durationSeconds: 1, outputTail: HOSTILE };
  return {
    ...of,
    schema: 1,
    version: '0',
    state: 'succeeded',
    error: HOSTILE,
    specDigest: '',
    commit: 'c'.repeat(40),
    tree: 'd'.repeat(40),
    files: [],
    insertions: 0,
    deletions: 0,
    notInPatch: [{ path: HOSTILE, why: HOSTILE }],
    setup: run,
    before: null,
    after: run,
    ...NO_PROOF,
    rubric: null,
    flags: [],
    notes: [HOSTILE],
    summary: HOSTILE,
    models: [HOSTILE],
    steps: 1,
    toolCalls: 1,
    salvaged: false,
    startedAt: AT,
    endedAt: AT,
  };
}

function reviewFile(change: Partial<ReviewFile> = {}): ReviewFile {
  return {
    path: HOSTILE,
    status: 'A',
    insertions: 1,
    deletions: 0,
    binary: false,
    flags: [HOSTILE],
    diff: `@@ -1 +1 @@ ${HOSTILE}\n+${HOSTILE}\n`,
    note: HOSTILE,
    ...change,
  };
}

const EVENTS = [
  { at: HOSTILE, t: 'step_start', step: 1, model: HOSTILE },
  { at: AT, t: 'tool_end', tool: HOSTILE, ok: true, ms: 1, summary: HOSTILE },
  { at: AT, t: 'spend', spend: { usd: 0.25, usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 } } },
  { at: AT, t: 'question', id: 'q1', message: HOSTILE },
  { at: AT, t: 'retry', kind: HOSTILE, waitMs: HOSTILE },
  { at: AT, t: HOSTILE, text: HOSTILE },
  { at: AT, t: 'spend', spend: HOSTILE },
];

function facts(change: Partial<ReportFacts> = {}): ReportFacts {
  const job = change.record ?? record();
  return {
    record: job,
    receipt: receipt(job),
    states: [{ state: 'queued', at: AT }],
    events: EVENTS,
    eventsCut: false,
    patch: { path: `/r/${HOSTILE}`, sha256: 'e'.repeat(64), isCut: false, files: [reviewFile()] },
    answer: '',
    madeAt: new Date(NOW).toISOString(),
    version: '0.1.0',
    ...change,
  };
}

/** Every tag of a page, by a reading as strict as a browser's: what is left of `<` is text. */
function tags(page: string): string[] {
  return page.replace(/<style>[\s\S]*?<\/style>/, '').match(/<[^>]*>/g) ?? [];
}

describe('a page about a worker that wrote markup everywhere', () => {
  const page = renderReport(facts());

  it('has no tag and no attribute but our own', () => {
    const names = new Set(tags(page).map((tag) => /^<\/?([a-z0-9!-]+)/i.exec(tag)?.[1]));
    const ours = [
      'html',
      'head',
      'meta',
      'title',
      'body',
      'header',
      'p',
      'h1',
      'h2',
      'h3',
      'main',
      'section',
      'dl',
      'dt',
      'dd',
      'ul',
      'ol',
      'li',
      'pre',
      'code',
      'span',
      'b',
      'i',
      'mark',
      'small',
      'time',
      'details',
      'summary',
      'figure',
      'svg',
      'line',
      'path',
      'figcaption',
      'footer',
      '!doctype',
      '!--',
    ];
    expect([...names].filter((name) => !ours.includes(name ?? ''))).toEqual([]);
    const attributes = tags(page).flatMap((tag) =>
      [...tag.replace(/"[^"]*"/g, '').matchAll(/ ([a-z][\w:-]*)=/gi)].map(([, name]) => name),
    );
    for (const name of attributes) expect(name).not.toMatch(/^on|href|src|style/);
  });

  it('holds none of it as it was written, and no character that steers', () => {
    for (const piece of ['<script', '<img', 'onload=alert(4)>', 'href="javascript'])
      expect(page).not.toContain(piece);
    for (const steers of ['\u202e', '\u2066', '\u001b', '\u0000']) expect(page).not.toContain(steers);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('&amp;lt;b&amp;gt;');
  });

  it('loads nothing, and tells the browser to load nothing before anything else', () => {
    expect(page.match(/https?:|url\(|@import|<link|<script|srcset/g)).toBeNull();
    expect(page.indexOf('charset')).toBeLessThan(200);
    expect(page.slice(0, 400)).toContain('default-src &#39;none&#39;');
  });
});

it('takes no text for markup, whatever form it comes in', () => {
  expect(String(html`<p title="${'"<'}">${['<', 1, null, false, undefined]}${html`<i>${"'"}</i>`}</p>`)).toBe(
    '<p title="&quot;&lt;">&lt;1<i>&#39;</i></p>',
  );
});

it('says how a job stands that has not ended', () => {
  const page = renderReport(
    facts({ record: record({ state: 'running', result: null, endedAt: null }), receipt: null, patch: null }),
  );
  expect(page).toContain('It has not ended');
  expect(page).toContain('There is no patch of this job.');
  expect(page).not.toContain('Check it yourself');
});

it('shows the answer of an ask in place of a diff', () => {
  const page = renderReport(facts({ record: record({ kind: 'ask' }), answer: 'because <b>' }));
  expect(page).toContain('because &lt;b&gt;');
  expect(page).not.toContain('id="files"');
});

it('cuts a big diff, many files and many events, and says so each time', () => {
  const big = reviewFile({ diff: `@@\n${'+line\n'.repeat(1000)}` });
  const many = Array.from({ length: 600 }, () => big);
  const events = Array.from({ length: 5000 }, (_, at) => ({ at: AT, t: 'step_start', step: at }));
  const patch = { path: '/p', sha256: '', isCut: true, files: many };
  const page = renderReport(facts({ patch, events, eventsCut: true }));
  expect(page).toContain('This diff is cut: 401 more lines');
  expect(page).toContain('100 more files not shown');
  expect(page).toContain('The patch is longer than what was read');
  expect(page).toContain('more lines left out; cc-delegate log has all');
  expect(page).toContain('its beginning is missing here');
  expect(page.length).toBeLessThan(2_000_000);
});

it.each([
  ['a curve of money', EVENTS, 'Cost over 1 steps, $0.25 in all'],
  [
    'tokens where nothing has a price',
    [{ t: 'spend', spend: { usd: null, usage: { input: 1200, output: 34 } } }],
    'Tokens over 1 steps, 1,234 tokens in all',
  ],
])('draws %s', (_name, events, label) => {
  expect(renderReport(facts({ events }))).toContain(`aria-label="${label}"`);
});
