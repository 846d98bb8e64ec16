import { nativeEngine } from '../engine/native/engine.ts';
import { NO_PROOF } from '../job/receipt.ts';
import { UserError } from '../job/user-error.ts';
import { Fenced } from '../store/job-writer.ts';
import { openInbox, openOutbox } from '../store/mailbox.ts';
import { userDirectory } from '../store/paths.ts';
import { readQueueTerms } from '../store/queue-file.ts';
import { foldersStillThere } from '../workspace/folders-beside.ts';
import { Account } from './account.ts';
import { Activity } from './activity.ts';
import { runAsk } from './ask/run-ask.ts';
import { capsReader } from './caps.ts';
import { checkpoint } from './checkpoint.ts';
import { locateClient } from './claude/open.ts';
import { removeSocketFolder } from './claude/socket-folder.ts';
import { faultEnd } from './fault.ts';
import { finish } from './finish.ts';
import { type Graded, grade } from './grade.ts';
import { Inbox } from './inbox.ts';
import { Money } from './money.ts';
import { type Prepared, prepare } from './prepare.ts';
import { Questions } from './questions.ts';
import { type Admission, admit } from './queue.ts';
import { workUntilJudged } from './rounds.ts';
import { type End, failed, type RunningJob, stopEnd } from './running-job.ts';
import type { Team } from './work.ts';

/**
 * One job from queued to its end: wait for its turn, prepare, work, take in and judge, publish. Whatever goes wrong
 * on the way becomes an end with a reason; only a disk that takes no record, or another writer, gets through.
 */
export async function runJob(job: RunningJob): Promise<void> {
  const account = new Account({
    userDir: userDirectory(process.env),
    record: () => job.writer.record,
    log: job.log,
  });
  const activity = new Activity(job.writer, job.log, job.watchdogs, account);
  const questions = new Questions({
    writer: job.writer,
    outbox: openOutbox(job.store, job.writer.record.id),
    log: job.log,
    askTimeoutSeconds: job.writer.record.limits.askTimeout,
    hold: () => job.watchdogs.hold(),
  });
  const money = new Money({
    job,
    account,
    questions,
    caps: capsReader(process.env, (error) => job.log.complain(error)),
    steps: () => activity.steps,
  });
  const inbox = new Inbox(job, questions);
  inbox.open(openInbox(job.store, job.writer.record.id));
  checkpoint('run:inbox');
  try {
    await inTurn(job, { engine: nativeEngine, client: null, activity, questions, inbox, money });
  } finally {
    job.watchdogs.close();
    await inbox.close();
    removeSocketFolder(job.writer.record.id);
    job.log.close();
    checkpoint('run:closed');
  }
}

/** The job holds its slot until it has ended, while it asks as well. */
async function inTurn(job: RunningJob, team: Team): Promise<void> {
  const admission = await admitted(job);
  if (admission.kind === 'end') return finish(job, null, ungraded(admission.end), team.activity);
  try {
    job.writer.move(
      { to: 'preparing', reason: null },
      { startedAt: new Date().toISOString(), progress: { ...job.writer.record.progress, note: '' } },
    );
    checkpoint('run:preparing');
    job.watchdogs.watchWall();
    await passThrough(job, team);
  } finally {
    admission.leave();
  }
}

async function admitted(job: RunningJob): Promise<Admission> {
  try {
    return await admit(job, readQueueTerms(job.paths));
  } catch (error) {
    if (error instanceof Fenced) throw error;
    job.log.complain(error);
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'end', end: failed('launch_failed', message) };
  }
}

async function passThrough(given: RunningJob, own: Team): Promise<void> {
  const job = withFolders(given);
  let client: string | null;
  try {
    client = needsClient(job) ? await locateClient(job) : null;
  } catch (error) {
    if (error instanceof Fenced) throw error;
    if (!(error instanceof UserError)) job.log.complain(error);
    const message = error instanceof Error ? error.message : String(error);
    return finish(job, null, ungraded(failed('launch_failed', message)), own.activity);
  }
  const team = { ...own, client };
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

/** It may have waited for its turn: what it may read beside its workspace is looked at once more. */
function withFolders(job: RunningJob): RunningJob {
  const { there, notices } = foldersStillThere(job.task.addDirs);
  if (notices.length > 0) job.log.event('folders', { notices });
  return { ...job, task: { ...job.task, addDirs: there } };
}

/** A single question needs none: it is one request, whatever the engine. */
function needsClient({ writer, task }: RunningJob): boolean {
  return writer.record.engine === 'claude' && task.ask?.tools !== false;
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
