import { fileFlagWords } from '../../../job/flag-words.ts';
import { count } from '../../../job/format.ts';
import type { ReviewFile } from '../../../job/review-files.ts';
import { byRisk } from '../../../job/review-risk.ts';
import type { ReportFacts } from './facts.ts';
import { type Html, html } from './html.ts';

const LINES_A_FILE = 600;
const LINES_IN_ALL = 6000;
const LINE_CHARACTERS = 600;
const MOST_FILES = 500;

/** Every changed file, risky ones first, folded, with its diff; of a big one the beginning. */
export function files({ patch, record, receipt }: ReportFacts): Html {
  if (patch === null || patch.files.length === 0) {
    const why = patch === null ? 'There is no patch of this job.' : 'The patch is empty.';
    return html`<section id="files"><h2>Files</h2><p>${why}</p></section>`;
  }
  let room = LINES_IN_ALL;
  const shown = byRisk(patch.files, receipt?.notes)
    .slice(0, MOST_FILES)
    .map(({ file }) => {
      const lines = Math.min(LINES_A_FILE, room);
      room -= Math.min(lines, lineCount(file.diff));
      return fileBlock(file, lines);
    });
  const left = patch.files.length - shown.length;
  return html`<section id="files"><h2>${count(patch.files.length, 'file')}</h2>
${patch.isCut && html`<p class="cut">The patch is longer than what was read for this page: its end is missing here.</p>`}
${shown}${left > 0 && html`<p class="cut">${count(left, 'more file')} not shown; all are in cc-delegate diff ${record.id} --stat</p>`}
${notInPatch(receipt?.notInPatch ?? [])}</section>`;
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}

const STATUS: Readonly<Record<ReviewFile['status'], string>> = {
  A: 'added',
  M: 'changed',
  D: 'deleted',
  T: 'another type',
};

function fileBlock(file: ReviewFile, most: number): Html {
  const amount = file.binary
    ? 'binary'
    : html`<i class="a">+${file.insertions}</i> <i class="d">−${file.deletions}</i>`;
  return html`<details><summary><code>${file.path}</code> <small>${STATUS[file.status]} ${amount}</small>${file.flags.map(
    (flag) => html` <mark title="${fileFlagWords(flag)}">${flag}</mark>`,
  )}</summary>
${file.note !== null && html`<p class="cut">${file.note}</p>`}
${file.diff !== '' && diff(file.diff, most)}</details>
`;
}

function diff(text: string, most: number): Html {
  const lines = text.replace(/\n$/, '').split('\n');
  const left = lines.length - most;
  return html`<pre class="diff">${lines.slice(0, most).map(
    (line) => html`<span class="${kindOf(line)}">${short(line)}</span>
`,
  )}</pre>${left > 0 && html`<p class="cut">This diff is cut: ${count(left, 'more line')} in cc-delegate diff.</p>`}`;
}

function short(line: string): string {
  return line.length <= LINE_CHARACTERS ? line : `${line.slice(0, LINE_CHARACTERS)}… (line cut)`;
}

function kindOf(line: string): string {
  if (line.startsWith('@@')) return 'h';
  if (/^(diff --git|index|---|\+\+\+|new file|deleted file|old mode|new mode) /.test(line)) return 'm';
  if (line.startsWith('+')) return 'a';
  return line.startsWith('-') ? 'd' : 'c';
}

function notInPatch(left: readonly { readonly path: string; readonly why: string }[]): Html | null {
  if (left.length === 0) return null;
  const items = left.slice(0, 100).map(({ path, why }) => html`<li><code>${path}</code> ${why}</li>`);
  const more = left.length - items.length;
  return html`<h3>Not in the patch</h3><ul>${items}${more > 0 && html`<li class="cut">${more} more</li>`}</ul>`;
}
