import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatDuration } from '../../job/format.ts';
import type { CommandReceipt } from '../../job/receipt.ts';
import type { GivenVerdict } from '../../job/rubric.ts';
import type { Collected } from '../../workspace/collect.ts';
import { GRADER } from '../activity.ts';
import { allowance } from '../allowance.ts';
import { checkpoint } from '../checkpoint.ts';
import { sharedPauses } from '../pauses.ts';
import type { Prepared } from '../prepare.ts';
import type { RunningJob } from '../running-job.ts';
import type { Team } from '../work.ts';
import { openGraderCheckout } from './checkout.ts';
import { type Grading, gradeRubric } from './grade-rubric.ts';
import { type Brief, DIFF_CHARACTERS } from './prompt.ts';
import { requestOf } from './request-of.ts';

/** What is judged: the work as it was collected, and how the tests did on it. */
export interface Work {
  readonly collected: Extract<Collected, { kind: 'changed' }>;
  readonly after: CommandReceipt | null;
  readonly criteria: readonly string[];
  /** Which grading of this job it is, from 1. */
  readonly number: number;
  /** What an earlier grading said of exactly this work; null: it has changed since. */
  readonly earlier: GivenVerdict | null;
}

/** One grading of a job's work, in a checkout of its own. */
export async function judgeWork(
  job: RunningJob,
  prepared: Prepared,
  team: Team,
  work: Work,
): Promise<Grading> {
  const checkout = await openGraderCheckout(job, prepared, work.collected);
  checkpoint('grader:checkout');
  try {
    const grading = await gradeRubric({
      engine: team.engine,
      models: job.graderModels.length > 0 ? job.graderModels : job.models,
      brief: await briefOf(job, work),
      tools: checkout.tools,
      exists: checkout.exists,
      mayCall: allowance(job, prepared, team),
      pauses: sharedPauses(job.log),
      emit: team.activity.onEvent,
      transcript: (attempt) => join(job.paths.folder, 'agents', `grader-${work.number}-${attempt}.ndjson`),
      redactor: job.redactor,
      signal: job.stop.signal,
    });
    job.log.event('grading', { number: work.number, ...grading });
    checkpoint('grader:judged');
    return grading;
  } finally {
    team.activity.ended(GRADER);
    await checkout.close();
  }
}

async function briefOf(job: RunningJob, { collected, after, criteria, earlier }: Work): Promise<Brief> {
  const patch = await readFile(job.paths.patch);
  // Keys and credentials of endpoints have no business in a request to any provider.
  const known = (text: string): string => job.ownRedactor.known(text);
  return {
    spec: requestOf(job.store, job.task),
    criteria,
    earlier,
    files: collected.files.map(
      ({ path, status, insertions, deletions }) => `${status} ${path} +${insertions} -${deletions}`,
    ),
    diff: known(withoutBinary(patch.subarray(0, 4 * DIFF_CHARACTERS).toString('utf8'))),
    tests: after && { command: after.command, ending: endingOf(after), tail: known(after.outputTail) },
  };
}

function endingOf({ exitCode, timedOut, durationSeconds }: CommandReceipt): string {
  if (timedOut) return 'did not end within its limit';
  return `ended with exit code ${exitCode ?? 'none'} after ${formatDuration(durationSeconds)}`;
}

/** The literals of a binary file say nothing to a reader. */
function withoutBinary(patch: string): string {
  return patch.replace(
    /^GIT binary patch\n(?:(?:literal|delta) \d+\n(?:[A-Za-z].*\n)*\n?)+/gm,
    '[a binary file]\n',
  );
}
