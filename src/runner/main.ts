import { Socket } from 'node:net';
import { isJobId, type JobId } from '../job/ids.ts';
import { knownSecrets, ownSecrets, variableSecrets } from '../job/redaction/known.ts';
import { createRedactor, type Redactor } from '../job/redaction/redactor.ts';
import { announce } from '../notify/announce.ts';
import { sweepLines } from '../notify/line/bake.ts';
import { claimJob, Fenced } from '../store/job-writer.ts';
import { identify } from '../store/liveness.ts';
import { openStore, type Store } from '../store/open.ts';
import { runPaths, stateDirectory, userDirectory, workspacePaths } from '../store/paths.ts';
import { readJob } from '../store/read-job.ts';
import { sweep } from '../store/sweep.ts';
import { readTask } from '../store/task-file.ts';
import { checkpoint } from './checkpoint.ts';
import { cleaner, cleanRecord } from './clean.ts';
import { hideLogins } from './hide-logins.ts';
import { complain, JobLog } from './job-log.ts';
import { allModels, SECRETS_FD, type Secrets } from './launch.ts';
import { runJob } from './run-job.ts';
import { salvage } from './salvage.ts';
import { readSecrets } from './secrets.ts';
import { StopSwitch } from './stop.ts';
import { Watchdogs } from './watchdogs.ts';

/** `delegate-runner run|salvage REPOSITORY ID`, started by `launch.ts` and by nobody else. */
async function main(): Promise<void> {
  process.umask(0o077);
  // The terminal it came from may close; the job goes on.
  process.on('SIGHUP', () => process.stderr.write('the terminal is gone, the job goes on\n'));
  const [mode, repo, id] = process.argv.slice(2);
  if (repo === undefined || id === undefined || !isJobId(id))
    throw new Error('usage: run|salvage REPOSITORY ID');
  checkpoint('start:up');
  const secrets = readSecrets(await readPipe());
  const redactor = hideLogins(redactorOf(secrets));
  dieCleanly(redactor);
  checkpoint('start:secrets');
  if (mode === 'salvage') await salvage(repo, id, secrets, redactor);
  else await run(repo, id, secrets, redactor);
}

async function run(repo: string, id: JobId, secrets: Secrets, redactor: Redactor): Promise<void> {
  const store = openStore(repo, { create: false });
  const read = readJob(store, id);
  if (read.kind !== 'ok') throw new Error(`the record of ${id} cannot be used: ${read.kind}`);
  const paths = runPaths(store, id);
  const task = readTask(paths.task);
  if (task.kind !== 'ok') throw new Error(`the task of ${id} cannot be used: ${task.kind}`);
  const [first, ...fallbacks] = secrets.models;
  if (!first) throw new Error('no model was handed over');
  checkpoint('start:read');
  const stop = new StopSwitch();
  const onStorageError = (error: unknown): void =>
    stop.request({
      kind: 'failed',
      reason: 'storage',
      detail: error instanceof Error ? error.message : String(error),
    });
  const writer = claimJob(store, read.record, identify(), {
    onFenced: () => stop.request({ kind: 'cancelled' }),
    clean: (patch) => cleanRecord(patch, cleaner(redactor)),
    saved: (record) => announce(userDirectory(process.env), record),
  });
  checkpoint('start:claimed');
  const log = new JobLog(paths, redactor, onStorageError);
  tidy(store, log);
  await runJob({
    store,
    writer,
    task: task.value,
    models: [first, ...fallbacks],
    graderModels: secrets.grader,
    roleModels: secrets.roles,
    small: secrets.small,
    passEnv: secrets.passEnv,
    paths,
    places: workspacePaths(stateDirectory(process.env), store.repo, id),
    stop,
    log,
    redactor,
    ownRedactor: hideLogins(createRedactor({ values: ownSecrets({ models: allModels(secrets) }) })),
    watchdogs: new Watchdogs(read.record.limits, stop),
  });
}

/** Here it costs no caller any time. */
function tidy(store: Store, log: JobLog): void {
  try {
    sweep(store, Date.now());
    sweepLines(store.repo);
  } catch (error) {
    // What others left behind is no reason not to run this job.
    log.complain(`the store could not be swept: ${String(error)}`);
  }
}

/** Proxies are inherited, and may have a password in their URL. */
function redactorOf(secrets: Secrets): Redactor {
  const proxies = Object.entries(process.env).filter(([name]) => /_proxy$/i.test(name));
  const inherited = Object.fromEntries(proxies.map(([name, value]) => [name, value ?? '']));
  return createRedactor({
    values: [...knownSecrets({ ...secrets, models: allModels(secrets) }), ...variableSecrets(inherited)],
  });
}

/** What nobody catches is a bug; node would print it as it is. */
function dieCleanly(redactor: Redactor): void {
  process.on('uncaughtException', (error) => {
    complain(error, cleaner(redactor));
    process.exit(1);
  });
}

async function readPipe(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of new Socket({ fd: SECRETS_FD, readable: true })) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

try {
  await main();
} catch (error) {
  // Somebody else writes the job now: they have the last word, and we have none.
  if (!(error instanceof Fenced)) throw error;
  process.stderr.write(`${error.message}\n`);
}
