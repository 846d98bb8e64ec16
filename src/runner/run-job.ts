import { nativeEngine } from '../engine/native/engine.ts';
import { NO_PROOF } from '../job/receipt.ts';
import { openInbox, openOutbox } from '../store/mailbox.ts';
import { Activity } from './activity.ts';
import { runAsk } from './ask/run-ask.ts';
import { checkpoint } from './checkpoint.ts';
import { faultEnd } from './fault.ts';
import { finish } from './finish.ts';
import { type Graded, grade } from './grade.ts';
import { Inbox } from './inbox.ts';
import { type Prepared, prepare } from './prepare.ts';
import { Questions } from './questions.ts';
import { workUntilJudged } from './rounds.ts';
import { type End, type RunningJob, stopEnd } from './running-job.ts';
import type { Team } from './work.ts';

/**
 * One job from queued to its end: prepare, work, take in and judge, publish. Whatever goes wrong on the
 * way becomes an end with a reason; only a disk that takes no record, or another writer, gets through.
 */
export async function runJob(job: RunningJob): Promise<void> {
  job.writer.move({ to: 'preparing', reason: null }, { startedAt: new Date().toISOString() });
  checkpoint('run:preparing');
  const activity = new Activity(job.writer, job.log, job.watchdogs);
  const questions = new Questions({
    writer: job.writer,
    outbox: openOutbox(job.store, job.writer.record.id),
    log: job.log,
    askTimeoutSeconds: job.writer.record.limits.askTimeout,
    hold: () => job.watchdogs.hold(),
  });
  const inbox = new Inbox(job, questions);
  inbox.open(openInbox(job.store, job.writer.record.id));
  checkpoint('run:inbox');
  try {
    await passThrough(job, { engine: nativeEngine, activity, questions, inbox });
  } finally {
    job.watchdogs.close();
    await inbox.close();
    job.log.close();
    checkpoint('run:closed');
  }
}

async function passThrough(job: RunningJob, team: Team): Promise<void> {
  if (job.task.ask !== null) return runAsk(job, job.task.ask, team);
  let prepared: Prepared | null = null;
  let graded: Graded;
  try {
    const preparation = await prepare(job);
    prepared = preparation.prepared;
    graded = preparation.ok
      ? await workUntilJudged(job, preparation.prepared, team)
      : ungraded(preparation.end);
  } catch (error) {
    graded = await afterFault(job, prepared, error);
  }
  await finish(job, prepared, graded, team.activity);
}

function ungraded(end: End): Graded {
  return { end, claim: '', collected: null, setup: null, after: null, proof: NO_PROOF };
}

/** Something broke that is nobody's verdict on the work: the work is still taken in, if it can be. */
async function afterFault(job: RunningJob, prepared: Prepared | null, error: unknown): Promise<Graded> {
  const end = stopEnd(job.stop) ?? faultEnd(job, error);
  job.log.event('fault', { message: String(error) });
  job.log.complain(error);
  if (prepared === null) return ungraded(end);
  const worked = { ok: false, end } as const;
  return grade(job, prepared, worked).catch((second: unknown) => {
    job.log.complain(`the work could not be taken in: ${String(second)}`);
    return ungraded(end);
  });
}
