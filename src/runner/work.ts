import { existsSync } from 'node:fs';
import type { Engine, RunOutcome } from '../engine/engine.ts';
import type { Stop } from '../job/limits.ts';
import { filesInside } from '../workspace/files-helper/client.ts';
import type { Activity } from './activity.ts';
import { checkpoint } from './checkpoint.ts';
import { keepWork } from './grade.ts';
import { type Guard, openGuard } from './guard/open.ts';
import type { Inbox } from './inbox.ts';
import type { Money } from './money.ts';
import { type Worked, workedOf } from './outcome.ts';
import { sharedPauses } from './pauses.ts';
import { type Prepared, startFolder } from './prepare.ts';
import type { Questions } from './questions.ts';
import type { RunningJob } from './running-job.ts';
import { filesProgram } from './runtime.ts';
import { messageOf, systemPrompt } from './system-prompt.ts';
import { bashTool } from './tools/bash.ts';
import { fileTools } from './tools/file-tools.ts';
import { supervisorTools } from './tools/supervisor.ts';
import { withoutSecrets } from './tools/without-secrets.ts';

export interface Team {
  readonly engine: Engine;
  readonly activity: Activity;
  readonly questions: Questions;
  readonly inbox: Inbox;
  readonly money: Money;
}

/** Lets the worker work, until it says it is done, a limit is reached, or somebody stops it. */
export async function work(job: RunningJob, prepared: Prepared, team: Team): Promise<Worked> {
  const { activity, engine, inbox, money } = team;
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
      prompt: messageOf(job.task),
      models: job.models,
      conversation: {
        file: job.paths.transcript,
        resume: job.task.goesOn !== null,
        redactor: job.redactor,
      },
      retry: { attempts: 4, capMs: 60_000 },
      idleMs: record.limits.stallTimeout * 1000,
    },
    {
      tools: tools(job, prepared, team, guard),
      ...sharedPauses(job.log),
      mayCall: (call) => workspaceLost(job) ?? money.mayCall(call, () => keepWork(job, prepared)),
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
  return workedOf(job, outcome);
}

/** Where there is no workspace any more nothing can be done in it, and every further call would be for nothing. */
function workspaceLost({ places }: RunningJob): Stop | null {
  if (existsSync(places.work)) return null;
  return { kind: 'failed', reason: 'workspace_lost', detail: `there is no folder at ${places.work}` };
}

function tools(job: RunningJob, prepared: Prepared, { activity, questions }: Team, guard: Guard) {
  const { limits } = job.writer.record;
  const files = filesInside({
    sandbox: prepared.sandbox,
    workspace: job.places.work,
    program: filesProgram(),
    neverSend: prepared.neverSend,
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
  const { denyTools } = job.task;
  return all
    .filter((tool) => !denyTools.includes(tool.name))
    .map((tool) => withoutSecrets(tool, job.ownRedactor));
}
