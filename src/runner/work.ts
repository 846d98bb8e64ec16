import { existsSync } from 'node:fs';
import type { Engine, ErrorKind, RunOutcome } from '../engine/engine.ts';
import { limitReached, type Stop } from '../job/limits.ts';
import type { FailedReason } from '../job/states.ts';
import { filesInside } from '../workspace/files-helper/client.ts';
import type { Activity } from './activity.ts';
import { checkpoint } from './checkpoint.ts';
import { type Guard, openGuard } from './guard/open.ts';
import type { Inbox } from './inbox.ts';
import { type Prepared, startFolder } from './prepare.ts';
import type { Questions } from './questions.ts';
import { type End, failed, type RunningJob, stopEnd } from './running-job.ts';
import { filesProgram } from './runtime.ts';
import { firstMessage, systemPrompt } from './system-prompt.ts';
import { bashTool } from './tools/bash.ts';
import { fileTools } from './tools/file-tools.ts';
import { supervisorTools } from './tools/supervisor.ts';
import { withoutSecrets } from './tools/without-secrets.ts';

/** What the worker left when it stopped: its last message, or why it could not go on. */
export type Worked =
  | { readonly ok: true; readonly claim: string }
  | { readonly ok: false; readonly end: End };

export interface Team {
  readonly engine: Engine;
  readonly activity: Activity;
  readonly questions: Questions;
  readonly inbox: Inbox;
}

/** Lets the worker work, until it says it is done, a limit is reached, or somebody stops it. */
export async function work(job: RunningJob, prepared: Prepared, team: Team): Promise<Worked> {
  const { activity, engine, inbox } = team;
  const { record } = job.writer;
  job.writer.move({ to: 'running', reason: null });
  checkpoint('work:running');
  job.watchdogs.watchSilence();
  const guard = await openGuard({
    places: job.places,
    checkout: record.checkout,
    level: prepared.sandbox.level,
    path: job.passEnv.PATH ?? process.env.PATH,
    refused: ({ family, sentence }) => job.log.event('refused', { tool: 'bash', family, sentence }),
  });
  const run = engine.start(
    {
      system: systemPrompt(job.task, {
        subdirectory: record.subdirectory,
        test: record.gate.test,
        commandTimeout: record.limits.commandTimeout,
      }),
      prompt: firstMessage(job.task),
      models: job.models,
      conversation: { file: job.paths.transcript, resume: false, redactor: job.redactor },
      retry: { attempts: 4, capMs: 60_000 },
      idleMs: record.limits.stallTimeout * 1000,
    },
    {
      tools: tools(job, prepared, team, guard),
      mayCall: () =>
        job.stop.reason ?? workspaceLost(job) ?? limitReached(record.limits, activity.spend, activity.steps),
      emit: activity.onEvent,
    },
  );
  const abort = () => run.abort();
  job.stop.signal.addEventListener('abort', abort, { once: true });
  if (job.stop.signal.aborted) abort();
  inbox.attach(run);
  checkpoint('work:started');
  const outcome = await run.done;
  job.stop.signal.removeEventListener('abort', abort);
  checkpoint('work:ended');
  job.log.event('worker_ended', { ...outcome });
  checkpoint('work:logged');
  return judgeOutcome(job, outcome);
}

function judgeOutcome(job: RunningJob, outcome: RunOutcome): Worked {
  const lost = workspaceLost(job);
  if (lost) job.stop.request(lost);
  const stopped = stopEnd(job.stop);
  if (stopped) return { ok: false, end: stopped };
  switch (outcome.status) {
    case 'done':
      return { ok: true, claim: outcome.finalText };
    case 'stopped':
      job.stop.request(outcome.stop);
      return { ok: false, end: stopEnd(job.stop) ?? failed('engine_error', 'stopped without a reason') };
    case 'aborted':
      return { ok: false, end: failed('engine_error', 'the engine was aborted') };
    case 'failed':
      return { ok: false, end: failed(REASON_OF[outcome.kind], outcome.message) };
  }
}

/** Where there is no workspace any more nothing can be done in it, and every further call would be for nothing. */
function workspaceLost({ places }: RunningJob): Stop | null {
  if (existsSync(places.work)) return null;
  return { kind: 'failed', reason: 'workspace_lost', detail: `there is no folder at ${places.work}` };
}

const REASON_OF: Record<ErrorKind, FailedReason> = {
  auth: 'auth',
  quota: 'quota',
  rate_limit: 'rate_limited',
  overflow: 'context_overflow',
  transient: 'engine_error',
  bad_request: 'engine_error',
  empty: 'empty_responses',
  loop: 'loop',
  engine: 'engine_error',
};

function tools(job: RunningJob, prepared: Prepared, { activity, questions }: Team, guard: Guard) {
  const { limits } = job.writer.record;
  const files = filesInside({
    sandbox: prepared.sandbox,
    workspace: job.places.work,
    program: filesProgram(),
    timeoutMs: limits.commandTimeout * 1000,
  });
  const all = [
    bashTool({
      sandbox: prepared.sandbox,
      cwd: startFolder(job),
      timeoutSeconds: limits.commandTimeout,
      longestSeconds: limits.timeout,
      log: job.log.output,
      guard,
    }),
    ...fileTools(files, activity.touched),
    ...supervisorTools(questions, activity.note),
  ];
  return all.map((tool) => withoutSecrets(tool, job.ownRedactor));
}
