import { writeAtomic } from '../../store/atomic-file.ts';
import { stateDirectory } from '../../store/paths.ts';
import { writeReceipt } from '../../store/receipt-file.ts';
import { removeWorkspace } from '../../workspace/remove.ts';
import type { Activity } from '../activity.ts';
import { checkpoint } from '../checkpoint.ts';
import { cleaner } from '../clean.ts';
import { makeReceipt, resultHead } from '../receipt.ts';
import type { RunningJob } from '../running-job.ts';
import type { Lookout } from './lookout.ts';
import type { Spoken } from './run-ask.ts';

/** The last step of an ask: the answer to its file, the receipt, the snapshot away, the end published. */
export async function conclude(
  job: RunningJob,
  lookout: Lookout | null,
  { end, answer }: Spoken,
  activity: Activity,
): Promise<void> {
  if (answer !== '') writeAtomic(job.paths.answer, cleaner(job.redactor)(answer), { durable: true });
  checkpoint('ask:answer');
  await lookout?.sandbox.dispose();
  await tidy(job);
  const endedAt = new Date().toISOString();
  const receipt = makeReceipt({
    record: job.writer.record,
    task: job.task,
    end,
    collected: null,
    setup: null,
    after: null,
    notes: lookout?.notes ?? [],
    claim: answer,
    models: [...activity.models],
    secretLike: [],
    redactor: job.redactor,
    endedAt,
  });
  writeReceipt(job.paths.receipt, receipt);
  checkpoint('ask:receipt');
  job.log.event('ended', { state: end.to, reason: end.reason });
  job.writer.move(
    { to: end.to, reason: end.reason },
    { result: resultHead(receipt), question: null, openQuestions: 0, endedAt },
  );
  checkpoint('ask:published');
}

/** A snapshot is nobody's work: the next turn looks at the checkout as it is then. */
async function tidy(job: RunningJob): Promise<void> {
  const { id } = job.writer.record;
  try {
    const removal = await removeWorkspace({
      stateDirectory: stateDirectory(process.env),
      id,
      workspace: job.places.work,
    });
    if (removal.kind === 'refused') job.log.complain(`the snapshot was left: ${removal.why}`);
  } catch (error) {
    // A folder that stays costs space, not the answer; cleanup takes it.
    job.log.complain(`the snapshot was left: ${String(error)}`);
  }
}
