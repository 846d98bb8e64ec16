import { Socket } from 'node:net';
import * as z from 'zod';
import { MODEL_APIS, type ModelRef } from '../engine/engine.ts';
import { isJobId, type JobId } from '../job/ids.ts';
import { claimJob, Fenced } from '../store/job-writer.ts';
import { identify } from '../store/liveness.ts';
import { openStore, type Store } from '../store/open.ts';
import { runPaths, stateDirectory, workspacePaths } from '../store/paths.ts';
import { readJob } from '../store/read-job.ts';
import { sweep } from '../store/sweep.ts';
import { readTask } from '../store/task-file.ts';
import { checkpoint } from './checkpoint.ts';
import { JobLog } from './job-log.ts';
import { SECRETS_FD, type Secrets } from './launch.ts';
import { runJob } from './run-job.ts';
import { salvage } from './salvage.ts';
import { StopSwitch } from './stop.ts';
import { Watchdogs } from './watchdogs.ts';

const price = z.number().min(0);

const model = z.object({
  provider: z.string(),
  model: z.string(),
  api: z.enum(MODEL_APIS),
  baseUrl: z.string(),
  apiKey: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  prices: z
    .object({ input: price, output: price, cacheRead: price.optional(), cacheWrite: price.optional() })
    .nullable(),
  contextWindow: z.number().nullable(),
  maxOutput: z.number().nullable(),
}) satisfies z.ZodType<ModelRef>;

const secretsSchema: z.ZodType<Secrets> = z.object({
  models: z.array(model),
  passEnv: z.record(z.string(), z.string()),
});

/** `delegate-runner run|salvage REPOSITORY ID`, started by `launch.ts` and by nobody else. */
async function main(): Promise<void> {
  process.umask(0o077);
  // The terminal it came from may close; the job goes on.
  process.on('SIGHUP', () => process.stderr.write('the terminal is gone, the job goes on\n'));
  const [mode, repo, id] = process.argv.slice(2);
  if (repo === undefined || id === undefined || !isJobId(id))
    throw new Error('usage: run|salvage REPOSITORY ID');
  checkpoint('start:up');
  const secrets = secretsSchema.parse(JSON.parse(await readPipe()));
  checkpoint('start:secrets');
  if (mode === 'salvage') await salvage(repo, id, secrets);
  else await run(repo, id, secrets);
}

async function run(repo: string, id: JobId, secrets: Secrets): Promise<void> {
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
  });
  checkpoint('start:claimed');
  tidy(store);
  await runJob({
    store,
    writer,
    task: task.value,
    models: [first, ...fallbacks],
    passEnv: secrets.passEnv,
    paths,
    places: workspacePaths(stateDirectory(process.env), store.repo, id),
    stop,
    log: new JobLog(paths, onStorageError),
    watchdogs: new Watchdogs(read.record.limits, stop),
  });
}

/** Here it costs no caller any time. */
function tidy(store: Store): void {
  try {
    sweep(store, Date.now());
  } catch (error) {
    // What others left behind is no reason not to run this job.
    process.stderr.write(`the store could not be swept: ${String(error)}\n`);
  }
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
