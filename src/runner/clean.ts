import { stripControls } from '../job/format.ts';
import type { CommandReceipt, Proof, Receipt } from '../job/receipt.ts';
import type { JobRecord, Preflight } from '../job/record.ts';
import type { Redactor } from '../job/redaction/redactor.ts';
import type { RubricReceipt } from '../job/rubric.ts';

/** Changes a text on its way into a file of ours. */
export type Clean = (text: string) => string;

/** Without control characters, then without secrets: a character nobody sees must not hide one. */
export function cleaner(redactor: Pick<Redactor, 'text'>): Clean {
  return (text) => redactor.text(stripControls(text));
}

type TextOf = Partial<Pick<JobRecord, 'title' | 'preflight' | 'progress' | 'question' | 'result'>>;

/** The fields of a record that hold what a worker, a test or an endpoint said; names and paths stay as they are. */
export function cleanRecord<Patch extends TextOf>(patch: Patch, clean: Clean): Patch {
  const { title, preflight, progress, question, result } = patch;
  return {
    ...patch,
    ...(title !== undefined && { title: clean(title) }),
    ...(preflight && { preflight: cleanPreflight(preflight, clean) }),
    ...(progress && { progress: { ...progress, note: clean(progress.note) } }),
    ...(question && { question: { ...question, message: clean(question.message) } }),
    ...(result && {
      result: {
        ...result,
        summaryLine: clean(result.summaryLine),
        error: result.error === null ? null : clean(result.error),
        tests: result.tests && { ...result.tests, command: clean(result.tests.command) },
      },
    }),
  };
}

/** The same of a receipt. A path keeps its control characters, or it would be another file's. */
export function cleanReceipt(receipt: Receipt, redactor: Redactor): Receipt {
  const clean = cleaner(redactor);
  const pathOf = <Named extends { readonly path: string }>(named: Named): Named => ({
    ...named,
    path: redactor.text(named.path),
  });
  const command = (run: CommandReceipt): CommandReceipt => ({
    ...run,
    command: clean(run.command),
    outputTail: clean(run.outputTail),
  });
  return {
    ...receipt,
    error: receipt.error === null ? null : clean(receipt.error),
    files: receipt.files.map(pathOf),
    notInPatch: receipt.notInPatch.map((left) => ({ ...pathOf(left), why: clean(left.why) })),
    setup: receipt.setup && command(receipt.setup),
    before: receipt.before && cleanPreflight(receipt.before, clean),
    after: receipt.after && command(receipt.after),
    ...cleanProof(receipt, { clean, pathOf, command }),
    rubric: receipt.rubric && cleanRubric(receipt.rubric, clean),
    notes: receipt.notes.map(clean),
    summary: clean(receipt.summary),
  };
}

function cleanRubric(rubric: RubricReceipt, clean: Clean): RubricReceipt {
  return {
    ...rubric,
    explanation: clean(rubric.explanation),
    criteria: rubric.criteria.map(({ text, pass, evidence }) => ({
      text: clean(text),
      pass,
      evidence: clean(evidence),
    })),
  };
}

function cleanProof(
  { kept, flaky, testChanges, protectedPaths, redFirst }: Proof,
  how: {
    readonly clean: Clean;
    readonly pathOf: <Named extends { readonly path: string }>(named: Named) => Named;
    readonly command: (run: CommandReceipt) => CommandReceipt;
  },
): Proof {
  return {
    kept: kept && how.command(kept),
    flaky: flaky.map((run) => ({ ...run, first: how.command(run.first) })),
    testChanges: testChanges.map((change) => ({ ...how.pathOf(change), detail: how.clean(change.detail) })),
    protectedPaths: protectedPaths.map(how.pathOf),
    redFirst: redFirst && { ...redFirst, run: redFirst.run && how.command(redFirst.run) },
  };
}

const TAIL_CHARACTERS = 800;

function cleanPreflight(seen: Preflight, clean: Clean): Preflight {
  // A mark may be longer than what it hides, and a record stays small.
  const outputTail = [...clean(seen.outputTail)].slice(-TAIL_CHARACTERS).join('');
  return { ...seen, outputTail, note: clean(seen.note) };
}
