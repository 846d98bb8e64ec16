import type { RunOutcome } from '../../engine/engine.ts';
import { WORKER_RETRY } from '../../job/limits.ts';
import type { AskTask } from '../../job/task.ts';
import { checkpoint } from '../checkpoint.ts';
import { faultEnd } from '../fault.ts';
import { type Worked, workedOf } from '../outcome.ts';
import { sharedPauses } from '../pauses.ts';
import { type End, failed, type RunningJob, stopEnd } from '../running-job.ts';
import { askPrompt, messageOf } from '../system-prompt.ts';
import type { Team } from '../work.ts';
import { conclude } from './conclude.ts';
import { misfit } from './fit-schema.ts';
import { type Lookout, openLookout } from './lookout.ts';

/** What an ask came to; the answer is kept whatever the end. */
export interface Spoken {
  readonly end: End;
  readonly answer: string;
}

/** One ask from its preparation to its end: a snapshot to look at, unless it has no tools; an answer; no judge. */
export async function runAsk(job: RunningJob, ask: AskTask, team: Team): Promise<void> {
  let lookout: Lookout | null = null;
  let spoken: Spoken;
  try {
    lookout = ask.tools ? await openLookout(job, team) : null;
    const stopped = stopEnd(job.stop);
    spoken = stopped ? { end: stopped, answer: '' } : await speak(job, ask, lookout, team);
  } catch (error) {
    job.log.event('fault', { message: String(error) });
    job.log.complain(error);
    spoken = { end: stopEnd(job.stop) ?? faultEnd(job, error), answer: '' };
  }
  await conclude(job, lookout, spoken, team.activity);
}

async function speak(job: RunningJob, ask: AskTask, lookout: Lookout | null, team: Team): Promise<Spoken> {
  job.writer.move({ to: 'running', reason: null });
  checkpoint('ask:running');
  job.watchdogs.watchSilence();
  const first = await oneRun(job, ask, lookout, team, messageOf(job.task), job.task.goesOn !== null);
  if (!first.ok || ask.schema === null) return spokenOf(first);
  const wrong = misfit(ask.schema, first.claim);
  if (wrong === null) return spokenOf(first);
  job.log.event('misfit', { why: wrong });
  const again = `Your answer does not fit the JSON schema: ${wrong}. Answer again, with the JSON value alone.`;
  const second = await oneRun(job, ask, lookout, team, again, true);
  if (!second.ok) return { ...spokenOf(second), answer: first.claim };
  const stillWrong = misfit(ask.schema, second.claim);
  if (stillWrong === null) return spokenOf(second);
  const end = failed('rubric_unsatisfied', `the answer does not fit the JSON schema: ${stillWrong}`);
  return { end, answer: second.claim };
}

function spokenOf(worked: Worked): Spoken {
  if (!worked.ok) return { end: worked.end, answer: '' };
  return { end: { to: 'succeeded', reason: null, detail: null }, answer: worked.claim };
}

async function oneRun(
  job: RunningJob,
  ask: AskTask,
  lookout: Lookout | null,
  { engine, activity, inbox, money }: Team,
  prompt: string,
  resume: boolean,
): Promise<Worked> {
  const { limits } = job.writer.record;
  const run = (lookout?.engine ?? engine).start(
    {
      system: `${askPrompt(job.task, ask)}${lookout?.instructions ?? ''}`,
      prompt,
      models: job.models,
      conversation: { file: job.paths.transcript, resume, redactor: lookout?.redactor ?? job.redactor },
      retry: WORKER_RETRY,
      idleMs: limits.stallTimeout * 1000,
    },
    {
      tools: lookout?.tools ?? [],
      ...sharedPauses(job.log),
      mayCall: (call) => money.mayCall(call, null),
      emit: activity.onEvent,
    },
  );
  const abort = () => run.abort();
  job.stop.signal.addEventListener('abort', abort, { once: true });
  if (job.stop.signal.aborted) abort();
  inbox.attach(run);
  const outcome: RunOutcome = await run.done;
  job.stop.signal.removeEventListener('abort', abort);
  job.log.event('worker_ended', { ...outcome });
  checkpoint('ask:spoken');
  return workedOf(job, outcome);
}
