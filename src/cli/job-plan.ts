import type { ConversationId, JobId } from '../job/ids.ts';
import type { Limits } from '../job/limits.ts';
import type { Concurrency } from '../job/queue.ts';
import type { Boundary, Network } from '../job/record.ts';
import type { Task } from '../job/task.ts';
import type { ModelResolution } from '../provider/resolve-model.ts';
import type { Repository } from '../workspace/repository.ts';
import type { BestLevel } from '../workspace/sandbox/levels.ts';
import type { StartPlan } from './plan-start.ts';

/** All that a job is created from, whichever verb it comes from. */
export interface JobPlan {
  /** For tables; cut to a line. */
  readonly title: string;
  /** An `ask` in it makes the job an ask. */
  readonly task: Task;
  readonly place: Place;
  /** null: a conversation begins. */
  readonly turn: Turn | null;
  readonly model: ModelResolution;
  readonly sandbox: BestLevel;
  readonly boundary: Boundary;
  readonly network: Network;
  readonly limits: Limits;
  readonly concurrency: Concurrency;
  /** The job whose end this one waits for, and whose result it starts from. */
  readonly after: JobId | null;
  readonly test: string | null;
  readonly setup: string | null;
  readonly passEnv: Readonly<Record<string, string>>;
}

/** Where a job lives, and what it starts from. */
export interface Place {
  /** The folder whose `.cc-delegate` holds the job. */
  readonly home: string;
  /** null: there is none, or it is not needed. */
  readonly repository: Repository | null;
  readonly checkout: string;
  readonly cwd: string;
  readonly subdirectory: string;
  /** A commit; '' without one. */
  readonly base: string;
}

/** Which turn of which conversation a job is. */
export interface Turn {
  readonly conversationId: ConversationId;
  readonly number: number;
  /** The turn it goes on from. */
  readonly parent: JobId;
  /** The newest turn there is: whose successor is taken by one caller only. */
  readonly newest: JobId;
  /** The transcript that is copied for it, absolute. */
  readonly transcript: string;
}

/** A start as a plan of a job. */
export function jobOfStart(cwd: string, plan: StartPlan): JobPlan {
  const { request, repository, notSeen } = plan;
  return {
    title: request.title ?? firstLine(request.prompt),
    task: {
      prompt: request.prompt,
      done: request.done ?? null,
      appendSystemPrompt: request.appendSystemPrompt ?? null,
      forceStart: request.forceStart,
      passEnv: Object.keys(plan.passEnv),
      notSeen: { changed: notSeen.changed.length, untracked: notSeen.untracked.length },
      includeDirty: request.includeDirty,
      committed: plan.committed,
      ...plan.worker,
      scope: plan.scope,
      passCaps: false,
      proof: {
        protect: [...new Set([...plan.settings.protect, ...request.protect])],
        allowTestEdits: request.allowTestEdits,
        mustFailFirst: request.mustFailFirst,
      },
      unheard: [],
      goesOn: null,
      ask: null,
    },
    place: {
      home: plan.home,
      repository,
      checkout: repository.checkout,
      cwd,
      subdirectory: repository.subdirectory,
      base: plan.base,
    },
    turn: null,
    boundary: plan.settings.sandbox.boundary,
    concurrency: plan.settings.concurrency,
    after: plan.after,
    ...pick(plan),
  };
}

/** The parts of a plan that are taken over as they are. */
function pick({ model, sandbox, network, limits, test, setup, passEnv }: StartPlan) {
  return { model, sandbox, network, limits, test, setup, passEnv };
}

/** What a request is called in tables. */
export function firstLine(prompt: string): string {
  return prompt.trim().split('\n')[0] ?? '';
}
