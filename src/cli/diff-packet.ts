import { flagWords } from '../job/flag-words.ts';
import { count } from '../job/format.ts';
import { shortId } from '../job/ids.ts';
import type { Receipt } from '../job/receipt.ts';
import type { JobRecord } from '../job/record.ts';
import { createRedactor } from '../job/redaction/redactor.ts';
import { reviewFiles } from '../job/review-files.ts';
import { type Packet, reviewPacket } from '../job/review-packet.ts';
import { reasonWords, sandboxWords } from '../job/summary.ts';
import { settingsSecrets } from '../provider/known-secrets.ts';
import { readPatchText } from './read-patch.ts';
import type { VerbContext } from './verb.ts';

/** The bounded packet of a job whose patch is there. Secrets in it are hidden, as in a log. */
export function packetOf(
  context: VerbContext,
  record: JobRecord,
  receipt: Receipt | null,
  patch: string,
): Packet {
  const values = settingsSecrets(context.env, (line) => context.stderr(`cc-delegate: ${line}`));
  const redactor = createRedactor({ values });
  const read = readPatchText(patch);
  return reviewPacket({
    id: shortId(record.id),
    header: headerOf(record, receipt).map((line) => redactor.text(line)),
    files: reviewFiles(read?.text ?? '', receipt?.files ?? [], redactor),
    notes: receipt?.notes ?? [],
    isCut: read?.isCut ?? false,
  });
}

function headerOf(record: JobRecord, receipt: Receipt | null): string[] {
  const { result, reason } = record;
  const said = receipt?.summary.trim() ?? '';
  return [
    `# Review of ${shortId(record.id)}: "${record.title}"`,
    `verdict: ${record.state}${reason === null ? '' : `: ${reasonWords(reason)}`}`,
    `tests: ${testsLine(record, receipt)}`,
    `work: ${count(result?.files ?? 0, 'file')} +${result?.insertions ?? 0} −${result?.deletions ?? 0} on base ${record.base.slice(0, 8)} · sandbox: ${sandboxWords(record)}`,
    ...(result?.flags ?? []).map((flag) => `flag: ${flag}: ${flagWords(flag)}`),
    ...(receipt?.notInPatch ?? []).slice(0, 20).map(({ path, why }) => `left out: "${path}": ${why}`),
    ...(receipt?.notes ?? []).slice(0, 20).map((note) => `note: ${note}`),
    ...(said === '' ? [] : [`claim: "${said}" (the worker's own word, no proof)`]),
  ];
}

function testsLine({ gate, preflight }: JobRecord, receipt: Receipt | null): string {
  if (gate.test === null) return 'none: nothing but this review can judge it';
  const word = (exitCode: number | null | undefined): string =>
    exitCode === undefined || exitCode === null
      ? 'not run'
      : exitCode === 0
        ? 'pass'
        : `fail (exit ${exitCode})`;
  const after = receipt?.after?.timedOut === true ? 'did not end in time' : word(receipt?.after?.exitCode);
  return `before: ${word(preflight?.exitCode)} · after: ${after} · ${gate.test}`;
}
