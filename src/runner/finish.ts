import { writeReceipt } from '../store/receipt-file.ts';
import { unheardMessages } from '../store/unheard-messages.ts';
import {
  compareFingerprints,
  type Difference,
  dangerousDifferences,
  fingerprint,
} from '../workspace/integrity.ts';
import { changedLfsFiles } from '../workspace/ready/keep-out.ts';
import type { Activity } from './activity.ts';
import { checkpoint } from './checkpoint.ts';
import type { Graded } from './grade.ts';
import { patchSecrets } from './patch-secrets.ts';
import type { Prepared } from './prepare.ts';
import { makeReceipt, resultHead, unheardNotes } from './receipt.ts';
import { type End, failed, type RunningJob } from './running-job.ts';

/** The last step: look at the user's repository once more, write the receipt, publish the end. */
export async function finish(
  job: RunningJob,
  prepared: Prepared | null,
  graded: Graded,
  activity: Activity,
): Promise<void> {
  const looked =
    prepared === null ? { end: graded.end, notes: [] } : await lookAgain(job, prepared, graded.end);
  checkpoint('finish:looked');
  const left = (await prepared?.sandbox.dispose()) ?? [];
  const notes = [
    ...looked.notes,
    ...(prepared?.neverSend.notices ?? []),
    ...left.map((process) => `still running: ${process}`),
    ...(prepared === null ? [] : lfsNotes(prepared, graded)),
    ...unheardNotes(unheardMessages(job.store, job.writer.record.id)),
  ];
  checkpoint('finish:disposed');
  const endedAt = new Date().toISOString();
  const receipt = makeReceipt({
    record: job.writer.record,
    task: job.task,
    ...graded,
    end: looked.end,
    notes,
    models: [...activity.models],
    secretLike: graded.collected?.kind === 'changed' ? await patchSecrets(job.paths.patch, job.redactor) : [],
    redactor: job.redactor,
    endedAt,
  });
  writeReceipt(job.paths.receipt, receipt);
  checkpoint('finish:receipt');
  job.log.event('ended', { state: looked.end.to, reason: looked.end.reason });
  checkpoint('finish:logged');
  job.writer.move(
    { to: looked.end.to, reason: looked.end.reason },
    { result: resultHead(receipt), question: null, openQuestions: 0, endedAt },
  );
  checkpoint('finish:published');
}

interface Looked {
  readonly end: End;
  readonly notes: readonly string[];
}

/** A changed hook, executable setting or alternates file is loud below level `full`; the rest is a note. */
async function lookAgain(job: RunningJob, prepared: Prepared, end: End): Promise<Looked> {
  const after = await fingerprint(prepared.repository).catch((error: Error) => error);
  if (after instanceof Error)
    return { end, notes: [`the repository could not be read again: ${after.message}`] };
  const differences = compareFingerprints(prepared.before, after, [job.writer.record.branch]);
  const notes = differences.map((difference) => `changed while the job ran: ${inWords(difference)}`);
  const dangerous = dangerousDifferences(differences);
  if (dangerous.length === 0 || prepared.sandbox.level === 'full') return { end, notes };
  return { end: failed('integrity', dangerous.map(inWords).join(', ')), notes };
}

function lfsNotes({ ready }: Prepared, { collected }: Graded): string[] {
  if (collected?.kind !== 'changed') return [];
  const paths = collected.files.map(({ path }) => path);
  return changedLfsFiles(ready, paths).map(
    (path) => `${path} is in Git LFS at the base; the patch has it whole`,
  );
}

function inWords({ kind, name }: Difference): string {
  return `${kind} ${name}`;
}
