import { stripControls, visiblePath } from './format.ts';
import { splitPatch } from './patch-files.ts';
import type { ReceiptFile } from './receipt.ts';

/** One changed file as a reviewer is shown it: nothing in it steers a terminal or is a secret we know. */
export interface ReviewFile extends ReceiptFile {
  /** git's piece of the patch, its header included; '' when it is not shown, and `note` says why. */
  readonly diff: string;
  /** What is not as it stands in the patch; null: nothing. */
  readonly note: string | null;
}

/** A `Redactor`, as far as it is needed. */
interface Hide {
  text(text: string): string;
  kindsIn(text: string): string[];
}

/**
 * The files of a patch with what the receipt says of them. `patch` may be cut at its end; what the receipt has and the
 * patch does not is listed without a diff.
 */
export function reviewFiles(patch: string, receipt: readonly ReceiptFile[], redactor: Hide): ReviewFile[] {
  const known = new Map(receipt.map((file) => [shownPath(file.path, redactor), file]));
  const files = splitPatch(patch).map(({ path, text }) => {
    const shown = shownPath(path, redactor);
    const facts = known.get(shown) ?? factsOf(text);
    known.delete(shown);
    return { ...facts, path: shown, ...cleanDiff(text, redactor) };
  });
  const missing = [...known].map(([path, file]) => ({
    ...file,
    path,
    diff: '',
    note: 'the patch was too long to be read up to here',
  }));
  return [...files, ...missing];
}

function shownPath(path: string, redactor: Hide): string {
  return visiblePath(redactor.text(path));
}

/** Of a patch without a receipt. */
function factsOf(text: string): Omit<ReceiptFile, 'path'> {
  const count = (sign: string, header: string) =>
    text.split('\n').filter((line) => line.startsWith(sign) && !line.startsWith(header)).length;
  const status = /^new file mode/m.test(text) ? 'A' : /^deleted file mode/m.test(text) ? 'D' : 'M';
  const binary = /^GIT binary patch$/m.test(text);
  return { status, binary, insertions: count('+', '+++ '), deletions: count('-', '--- '), flags: [] };
}

function cleanDiff(text: string, redactor: Hide): Pick<ReviewFile, 'diff' | 'note'> {
  if (/^GIT binary patch$/m.test(text)) return { diff: '', note: 'binary: not shown' };
  const plain = text.replaceAll('\r\n', '\n');
  const stripped = stripControls(plain);
  const diff = redactor.text(stripped);
  // A key of many lines is broken up by the signs in front of them.
  const [hidden] = redactor.kindsIn(diff.replace(/^[+ -]/gm, ''));
  if (hidden !== undefined)
    return { diff: '', note: `not shown: it holds what looks like a secret (${hidden})` };
  const notes = [
    ...(stripped.length < plain.length
      ? [`${[...plain].length - [...stripped].length} invisible or steering characters are left out here`]
      : []),
    ...(diff === stripped ? [] : ['what looks like a secret is hidden here']),
  ];
  return { diff, note: notes.length === 0 ? null : notes.join('; ') };
}
