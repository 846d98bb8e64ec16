import { inOrder, turnUnderWay } from '../job/conversation.ts';
import { type ConversationId, isConversationId, shortId } from '../job/ids.ts';
import type { JobRecord } from '../job/record.ts';
import type { Task } from '../job/task.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { openStore, type Store } from '../store/open.ts';
import { runPaths, userDirectory } from '../store/paths.ts';
import { listJobs } from '../store/read-job.ts';
import { knownRepositories } from '../store/repositories.ts';
import { readTask } from '../store/task-file.ts';
import { findJob } from './find-job.ts';
import { storeAround } from './store-around.ts';
import { upToDate } from './up-to-date.ts';
import type { VerbContext } from './verb.ts';

/** A conversation with all of its turns that are still there, oldest first. */
export interface Conversation {
  readonly store: Store;
  readonly id: ConversationId;
  readonly turns: readonly JobRecord[];
  readonly first: JobRecord;
  readonly newest: JobRecord;
  /** The turn that was named; the newest where the conversation was. */
  readonly named: JobRecord;
}

/** The conversation that is named by its id, or by a job of it. Throws UserError (exit 3) when there is none. */
export async function findConversation(context: VerbContext, typed: string): Promise<Conversation> {
  if (!isConversationId(typed)) {
    const { store, record } = await findJob(context, typed);
    return (await conversationIn(context, store, record.conversationId, record)) ?? alone(store, record);
  }
  const here = await storeAround(context);
  const others = knownRepositories(userDirectory(context.env)).filter(({ path }) => path !== here?.repo);
  const stores = [
    ...(here === null ? [] : [here]),
    ...others.map(({ path }) => openStore(path, { create: false })),
  ];
  for (const store of stores) {
    const found = await conversationIn(context, store, typed, null);
    if (found !== null) return found;
  }
  throw new UserError({
    code: 'no_such_conversation',
    what: 'no such conversation',
    value: typed,
    remedy: 'see: cc-delegate list --all',
    exit: EXIT.noSuchJob,
  });
}

async function conversationIn(
  context: VerbContext,
  store: Store,
  id: ConversationId,
  named: JobRecord | null,
): Promise<Conversation | null> {
  const records = listJobs(store).flatMap((job) =>
    job.kind === 'ok' && job.record.conversationId === id ? [job.record] : [],
  );
  const turns = inOrder(await Promise.all(records.map((record) => upToDate(context, store, record))));
  const [first] = turns;
  const newest = turns.at(-1);
  if (first === undefined || newest === undefined) return null;
  return { store, id, turns, first, newest, named: named ?? newest };
}

function alone(store: Store, record: JobRecord): Conversation {
  const { conversationId: id } = record;
  return { store, id, turns: [record], first: record, newest: record, named: record };
}

/** Throws UserError (exit 4) while a turn runs, or what it left is being taken in. */
export function refuseUnderWay({ turns, newest }: Conversation): void {
  const active = turnUnderWay(turns);
  if (active !== undefined) {
    throw new UserError({
      code: 'turn_under_way',
      what: `a turn of this conversation is under way (${active.state})`,
      value: active.id,
      remedy: `tell it more: cc-delegate steer ${shortId(active.id)} "…"; or wait for it: cc-delegate wait ${shortId(active.id)}`,
      exit: EXIT.wrongState,
    });
  }
  if (newest.result?.salvaged !== 'pending') return;
  throw new UserError({
    code: 'being_salvaged',
    what: 'the work of its last turn is just being salvaged',
    value: newest.id,
    remedy: 'try again in a moment',
    exit: EXIT.wrongState,
  });
}

/** What a turn was asked for. Throws UserError (exit 6) when that can no longer be read. */
export function taskOf(store: Store, record: JobRecord): Task {
  const { task: path } = runPaths(store, record.id);
  const read = readTask(path);
  if (read.kind === 'ok') return read.value;
  throw new UserError({
    code: 'unreadable',
    what: 'what this job was asked for cannot be read any more',
    value: path,
    remedy: 'start anew: cc-delegate start "…"',
    exit: EXIT.environment,
  });
}
