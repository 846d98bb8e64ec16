import { randomBytes } from 'node:crypto';
import { criteriaOf } from '../job/criteria.ts';
import {
  afterSetback,
  blockerMessage,
  failurePrint,
  gapsMessage,
  gateMessage,
  type Setback,
} from '../job/revision.ts';
import type { RubricReceipt } from '../job/rubric.ts';
import { reserveBranch } from '../workspace/refs.ts';
import { checkpoint } from './checkpoint.ts';
import { type Graded, grade } from './grade.ts';
import type { Grading } from './grader/grade-rubric.ts';
import { judgeWork } from './grader/judge-work.ts';
import { type Hands, openHands } from './hands.ts';
import type { Worked } from './outcome.ts';
import type { Prepared } from './prepare.ts';
import { failed, type RunningJob, stopEnd } from './running-job.ts';
import { type Team, work } from './work.ts';

/**
 * Work, take in, judge; and back to the worker, in the same conversation, with what is wrong, for as long as it can
 * mend it and the limits of the job allow. What is given back is the last round's.
 */
export async function workUntilJudged(job: RunningJob, prepared: Prepared, team: Team): Promise<Graded> {
  const hands = await openHands(job, prepared, team);
  const rounds = new Rounds(job, prepared, team, hands);
  for (let told: string | null = null; ; ) {
    const graded = await rounds.one(told);
    told = await rounds.next(graded);
    if (told === null) return graded;
    job.log.event('sent_back', { reason: graded.end.reason, message: told });
    checkpoint('rounds:sent-back');
  }
}

class Rounds {
  readonly #job: RunningJob;
  readonly #prepared: Prepared;
  readonly #team: Team;
  readonly #hands: Hands;
  readonly #criteria: readonly string[];
  #setbacks: Setback[] = [];
  #gradings = 0;
  #rubric: RubricReceipt | null = null;
  /** The work the newest grading was about. */
  #gradedTree: string | null = null;

  constructor(job: RunningJob, prepared: Prepared, team: Team, hands: Hands) {
    this.#job = job;
    this.#prepared = prepared;
    this.#team = team;
    this.#hands = hands;
    this.#criteria = job.task.done === null ? [] : criteriaOf(job.task.done);
  }

  /** One round of the worker, and what the gate and the grader make of it. */
  async one(told: string | null): Promise<Graded> {
    const worked = await work(this.#job, this.#team, this.#hands, told);
    // What the host and the grader do takes its time, and is no silence of the worker.
    const release = this.#job.watchdogs.hold();
    const judged = await this.#judge(worked).finally(release);
    // A round that came to no grading of its own keeps what the last one said.
    return this.#rubric === null ? judged : { ...judged, rubric: this.#rubric };
  }

  async #judge(worked: Worked): Promise<Graded> {
    const graded = await grade(this.#job, this.#prepared, worked);
    const { collected, after, end } = graded;
    const { limits } = this.#job.writer.record;
    const isWanted = this.#criteria.length > 0 && limits.maxGrades > 0;
    if (end.to !== 'succeeded' || collected?.kind !== 'changed' || !isWanted) return graded;
    this.#gradings += 1;
    const earlier = this.#gradedTree === collected.tree ? this.#rubric : null;
    this.#gradedTree = collected.tree;
    const wanted = { collected, after, criteria: this.#criteria, number: this.#gradings, earlier };
    const grading = await judgeWork(this.#job, this.#prepared, this.#team, wanted);
    return { ...graded, end: this.#endOf(grading) };
  }

  #endOf(grading: Grading): Graded['end'] {
    switch (grading.kind) {
      case 'verdict': {
        const { verdict } = grading;
        this.#rubric = { ...verdict, iterations: this.#gradings };
        const stopped = stopEnd(this.#job.stop);
        if (stopped !== null) return stopped;
        if (verdict.verdict === 'satisfied') return { to: 'succeeded', reason: null, detail: null };
        const missing = verdict.criteria.filter(({ pass }) => !pass).map(({ text }) => text);
        return failed('rubric_unsatisfied', `${verdict.explanation} (not met: ${missing.join('; ')})`);
      }
      case 'stopped':
        this.#job.stop.request(grading.stop);
        break;
      case 'error':
        return stopEnd(this.#job.stop) ?? failed('grader_error', grading.message);
      case 'aborted':
        break;
    }
    return stopEnd(this.#job.stop) ?? failed('grader_error', 'the grading was broken off');
  }

  /** What the worker is told for another try; null: this was the last. */
  async next(graded: Graded): Promise<string | null> {
    const { stop, writer } = this.#job;
    const { reason } = graded.end;
    if (graded.end.to !== 'failed' || reason === null || stop.reason !== null) return null;
    if (this.#rubric?.verdict === 'failed' && reason === 'rubric_unsatisfied') return null;
    this.#setbacks.push(this.#setbackOf(graded, reason));
    const { preflight, limits } = writer.record;
    const facts = {
      setbacks: this.#setbacks,
      gradings: this.#gradings,
      maxGrades: limits.maxGrades,
      preflight,
    };
    switch (afterSetback(facts)) {
      case 'end':
        return null;
      case 'revise':
        await this.#giveBranch(graded);
        return this.#message(graded);
      case 'ask':
        return this.#askPerson(graded);
    }
  }

  #setbackOf({ collected, after, setup, end }: Graded, reason: Setback['reason']): Setback {
    const tail = reason === 'rubric_unsatisfied' ? (end.detail ?? '') : ((after ?? setup)?.outputTail ?? '');
    const tree = collected?.kind === 'changed' ? collected.tree : null;
    return { reason, print: failurePrint(tail), tree };
  }

  #message({ end, after, setup }: Graded): string {
    const { record } = this.#job.writer;
    if (end.reason === 'rubric_unsatisfied' && this.#rubric !== null) {
      return gapsMessage(this.#rubric, this.#gradings, record.limits.maxGrades);
    }
    const run = after ?? setup;
    const known = (text: string): string => this.#job.ownRedactor.known(text);
    return gateMessage({
      reason: end.reason ?? 'gate_failed',
      run,
      preflight: record.preflight,
      detail: end.detail === null ? null : known(end.detail),
      tail: known(run?.outputTail ?? ''),
      nonce: randomBytes(6).toString('hex'),
    });
  }

  /** The worker gets nowhere by itself. Nobody there to answer: the failure stands. */
  async #askPerson(graded: Graded): Promise<string | null> {
    const run = graded.after ?? graded.setup;
    const { reason } = graded.end;
    const question = {
      kind: 'blocker' as const,
      message: blockerMessage(reason ?? 'gate_failed', run?.command ?? null, run?.exitCode ?? null),
      context: run?.outputTail ?? null,
      attempts: graded.claim === '' ? null : graded.claim.slice(-2000),
    };
    try {
      const answer = await this.#team.questions.put(question, this.#job.stop.signal);
      if (answer === null) return null;
      this.#setbacks = [];
      return `${this.#message(graded)}\n\nThe supervisor was asked, since nothing changes any more, and says:\n${answer}`;
    } catch (error) {
      if (this.#job.stop.reason === null) throw error;
      // Stopped while it waited: the end says by what.
      return null;
    }
  }

  /** A round that changed nothing gave the branch's name back; the next may need it. */
  async #giveBranch({ collected }: Graded): Promise<void> {
    const { record } = this.#job.writer;
    if (collected?.kind === 'unchanged') {
      const reserved = await reserveBranch(this.#prepared.repository, record.id, record.base);
      if (reserved.kind !== 'taken' && reserved.branch !== record.branch) {
        this.#job.writer.amend({ branch: reserved.branch });
      }
    }
  }
}
