import type { Engine, RunOutcome } from '../engine/engine.ts';
import { WORKER_RETRY } from '../job/limits.ts';
import type { Activity } from './activity.ts';
import { workspaceLost } from './allowance.ts';
import { checkpoint } from './checkpoint.ts';
import type { Hands } from './hands.ts';
import type { Inbox } from './inbox.ts';
import type { Money } from './money.ts';
import { type Worked, workedOf } from './outcome.ts';
import { sharedPauses } from './pauses.ts';
import type { Questions } from './questions.ts';
import type { RunningJob } from './running-job.ts';
import { messageOf } from './system-prompt.ts';

export interface Team {
  /** Of all who judge, sum up or do a part; the worker's own is in its hands. */
  readonly engine: Engine;
  /** The program of the claude engine, for a job that is worked on with it; null: the worker's engine is `engine`. */
  readonly client: string | null;
  readonly activity: Activity;
  readonly questions: Questions;
  readonly inbox: Inbox;
  readonly money: Money;
}

/**
 * Lets the worker work, until it says it is done, a limit is reached, or somebody stops it. `again`: what it is told
 * when it goes on with its own conversation; null the first time.
 */
export async function work(
  job: RunningJob,
  team: Team,
  hands: Hands,
  again: string | null = null,
): Promise<Worked> {
  const { inbox } = team;
  const { record } = job.writer;
  // After a question to the supervisor it runs already.
  if (record.state !== 'running') job.writer.move({ to: 'running', reason: null });
  checkpoint('work:running');
  job.watchdogs.watchSilence();
  const run = hands.engine.start(
    {
      system: hands.system,
      prompt: again ?? messageOf(job.task),
      models: job.models,
      conversation: {
        file: job.paths.transcript,
        resume: again !== null || job.task.goesOn !== null,
        redactor: hands.redactor,
      },
      retry: WORKER_RETRY,
      idleMs: record.limits.stallTimeout * 1000,
    },
    {
      tools: hands.tools,
      ...sharedPauses(job.log),
      mayCall: hands.mayCall,
      afterRound: hands.afterRound,
      emit: hands.emit,
    },
  );
  const abort = () => run.abort();
  job.stop.signal.addEventListener('abort', abort, { once: true });
  if (job.stop.signal.aborted) abort();
  inbox.attach(run);
  checkpoint('work:started');
  const outcome = await run.done;
  inbox.detach();
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
