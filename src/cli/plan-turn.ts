import { existsSync } from 'node:fs';
import { startOfNextTurn } from '../job/conversation.ts';
import { count } from '../job/format.ts';
import { shortId } from '../job/ids.ts';
import type { Limits } from '../job/limits.ts';
import type { JobRecord } from '../job/record.ts';
import type { GoesOn, Task } from '../job/task.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import type { Store } from '../store/open.ts';
import { runPaths } from '../store/paths.ts';
import { unheardMessages } from '../store/unheard-messages.ts';
import { findRepository, type Repository, resolveBase } from '../workspace/repository.ts';
import { type Conversation, taskOf } from './find-conversation.ts';
import { inheritTerms } from './inherit-terms.ts';
import type { JobPlan, Place } from './job-plan.ts';
import { replayNotice } from './replay-notice.ts';
import type { VerbContext } from './verb.ts';
import { refuseForeignPatterns, refuseHands, refuseWiderRules } from './worker-options.ts';

/** What the next turn has otherwise than the one before. */
export interface TurnWish {
  readonly how: GoesOn['how'];
  /** null: there is no new request. */
  readonly prompt: string | null;
  readonly title: string;
  readonly limits: Limits;
  /** Instead of those before, and narrower; []: as before. */
  readonly allowTools: readonly string[];
  /** Added to those that are denied already. */
  readonly denyTools: readonly string[];
  /** The person lets it spend its budget whatever the caps of day and repository say. */
  readonly passCaps?: boolean;
}

export interface TurnPlan {
  readonly job: JobPlan;
  readonly notices: readonly string[];
}

/**
 * The next turn of a conversation, as a job that goes on from the newest one: the same terms, its transcript, and,
 * for a task, the files it left, on the base of the first. Throws UserError; changes nothing.
 */
export async function planTurn(
  context: VerbContext,
  conversation: Conversation,
  wish: TurnWish,
): Promise<TurnPlan> {
  const { store, newest } = conversation;
  const task = taskOf(store, newest);
  const transcript = transcriptOf(store, newest);
  const repository = await repositoryOf(newest, task);
  const projectRoot = repository?.checkout ?? null;
  const terms = await inheritTerms(context, newest, task, {
    verb: wish.how,
    limits: wish.limits,
    projectRoot,
  });
  const start = task.ask === null ? startOfNextTurn(newest, task) : null;
  if (repository !== null && start !== null) await resolveBase(repository, start);
  const { settings, notices, kept, ...rest } = terms;
  const { allowTools, denyTools } = wish;
  const { permissionMode } = kept;
  refuseForeignPatterns(newest.engine, { allowTools, denyTools });
  refuseWiderRules(allowTools, { allowTools: task.allowTools, permissionMode, engine: newest.engine });
  if (task.ask !== null) refuseHands(allowTools);
  // Who asks for something new says all that still holds.
  const missed = wish.how === 'resume' ? missedBy(store, newest, task) : [];
  return {
    job: {
      ...rest,
      title: wish.title,
      task: {
        ...task,
        prompt: wish.prompt ?? task.prompt,
        notSeen: { changed: 0, untracked: 0 },
        ...kept,
        allowTools: allowTools.length === 0 ? task.allowTools : allowTools,
        denyTools: [...new Set([...task.denyTools, ...denyTools])],
        passCaps: wish.passCaps ?? false,
        unheard: missed,
        goesOn: { job: newest.id, how: wish.how, start },
        ask: task.ask && { ...task.ask, schema: wish.how === 'resume' ? task.ask.schema : null },
      },
      place: await placeOfNext(store, newest, task, repository),
      turn: {
        conversationId: conversation.id,
        number: newest.turn + 1,
        parent: newest.id,
        newest: newest.id,
        transcript,
      },
      boundary: newest.boundary,
      concurrency: settings.concurrency,
      after: null,
      test: newest.gate.test,
      setup: newest.gate.setup,
    },
    notices: [...notices, replayNotice(transcript), ...missedNotice(missed)],
  };
}

/** Two requests in, it has surely read what it was told when it began. */
const SURELY_READ = 2;

function missedBy(store: Store, { id, progress }: JobRecord, task: Task): string[] {
  const before = progress.step < SURELY_READ ? task.unheard : [];
  return [...before, ...unheardMessages(store, id)];
}

function missedNotice(missed: readonly string[]): string[] {
  if (missed.length === 0) return [];
  return [`${count(missed.length, 'message')} that the worker had not read yet: told to it now`];
}

/** A task's turns are one growing patch on one base; an ask looks at the checkout as it is now. */
async function placeOfNext(
  store: Store,
  record: JobRecord,
  task: Task,
  repository: Repository | null,
): Promise<Place> {
  const base =
    repository === null ? '' : await resolveBase(repository, task.ask === null ? record.base : undefined);
  return placeLike(store, record, repository, base);
}

/** The place of an earlier job, with another base. */
export function placeLike(
  store: Store,
  record: JobRecord,
  repository: Repository | null,
  base: string,
): Place {
  const { checkout, cwd, subdirectory } = record;
  return { home: store.repo, repository, checkout, cwd, subdirectory, base };
}

/** The repository a job of this kind needs; null when it needs none. */
export function repositoryOf(record: JobRecord, task: Task): Promise<Repository | null> {
  return task.ask?.tools === false ? Promise.resolve(null) : findRepository(record.checkout);
}

/** The conversation so far. Throws UserError (exit 4) for a job that ended before it began to talk. */
export function transcriptOf(store: Store, record: JobRecord): string {
  const { transcript } = runPaths(store, record.id);
  if (existsSync(transcript)) return transcript;
  throw new UserError({
    code: 'nothing_said',
    what: 'this job ended before its model was asked anything: there is nothing to go on from',
    value: record.id,
    remedy: `try it once more: cc-delegate retry ${shortId(record.id)}`,
    exit: EXIT.wrongState,
  });
}
