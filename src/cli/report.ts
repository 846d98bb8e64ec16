import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { stripControls } from '../job/format.ts';
import { mapStrings } from '../job/redaction/map-strings.ts';
import { createRedactor, type Redactor } from '../job/redaction/redactor.ts';
import { reviewFiles } from '../job/review-files.ts';
import { EXIT } from '../job/user-error.ts';
import { VERSION } from '../job/version.ts';
import { settingsSecrets } from '../provider/known-secrets.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import { readEvents } from '../store/events.ts';
import { ensureStoreFolder } from '../store/folders.ts';
import { runPaths } from '../store/paths.ts';
import { stateHistory } from '../store/read-job.ts';
import { readReceipt } from '../store/receipt-file.ts';
import { realPathOrNull } from '../workspace/real-path.ts';
import { type FoundRecord, findNamedJob } from './find-job.ts';
import { callerIsModel } from './model-caller.ts';
import { atMost, parseVerb } from './parse.ts';
import { readAnswer } from './read-answer.ts';
import { readPatchText } from './read-patch.ts';
import type { ReportFacts } from './render/report/facts.ts';
import { renderReport } from './render/report/page.ts';
import { reportPlace } from './report-place.ts';
import type { Verb, VerbContext } from './verb.ts';

export const verb: Verb = {
  help: `cc-delegate report [ID] [--out FILE.html]

One web page about a job: verdict, receipt, what the tests printed, the files
with their diffs, cost, what happened, and how to check it. It needs nothing
else, holds no script and no secret we know. Prints its path.

  --out FILE   where to; otherwise .cc-delegate/runs/<id>/report.html`,

  async run(context) {
    const { values, positionals } = parseVerb(context.args, { out: { type: 'string' } });
    atMost(positionals, 1);
    const found = await findNamedJob(context, positionals[0], 'any');
    const { folder } = runPaths(found.store, found.record.id);
    const place =
      values.out === undefined ? join(folder, 'report.html') : placeOf(context, found, values.out);
    const page = renderReport(await factsOf(context, found));
    if (values.out === undefined) ensureStoreFolder(folder);
    writeAtomic(place, page, { durable: false });
    const json = { id: found.record.id, path: place, bytes: Buffer.byteLength(page) };
    return { json, text: place, exit: EXIT.done };
  },
};

function placeOf(context: VerbContext, { record }: FoundRecord, out: string): string {
  return reportPlace({
    out,
    cwd: context.cwd,
    isBound: context.consent === null && callerIsModel(context.env),
    // A checkout may have been removed since: then nothing can be below it.
    allowed: [record.repo, record.checkout].flatMap((folder) => realPathOrNull(folder) ?? []),
  });
}

/** Reads everything of the job, and takes secrets out before anything is laid out. */
async function factsOf(context: VerbContext, found: FoundRecord): Promise<ReportFacts> {
  const { store, record } = found;
  const paths = runPaths(store, record.id);
  const values = settingsSecrets(context.env, (line) => context.stderr(`cc-delegate: ${line}`));
  const redactor = createRedactor({ values });
  const clean = cleanerOf(redactor);
  const read = readReceipt(paths.receipt);
  const receipt = read.kind === 'ok' ? read.value : null;
  const { events, truncated } = readEvents(paths.events);
  const patch = readPatchText(paths.patch);
  return {
    record: clean(record),
    receipt: receipt && clean(receipt),
    states: stateHistory(store, record.id),
    events: clean(events),
    eventsCut: truncated,
    patch: patch && {
      path: paths.patch,
      sha256: await sha256(paths.patch),
      isCut: patch.isCut,
      files: reviewFiles(patch.text, receipt?.files ?? [], redactor),
    },
    answer: record.kind === 'ask' ? clean(readAnswer(store, record, true).text) : '',
    madeAt: new Date().toISOString(),
    version: VERSION,
  };
}

function cleanerOf(redactor: Redactor): <T>(value: T) => T {
  // The same shape with other texts, which no type can say.
  return <T>(value: T) => mapStrings(value, (text) => redactor.text(stripControls(text))) as T;
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
