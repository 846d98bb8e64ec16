import type { JobId } from '../job/ids.ts';
import { openInbox } from '../store/mailbox.ts';
import { type InMessage, newEnvelope } from '../store/messages.ts';
import type { Store } from '../store/open.ts';

type Draft<M> = M extends unknown ? Omit<M, 'id' | 'at'> : never;

/** Puts a message into a job's inbox and returns its id. Only the runner changes the job. */
export function post(store: Store, id: JobId, draft: Draft<InMessage>): string {
  const message: InMessage = { ...draft, ...newEnvelope() };
  openInbox(store, id).send(message);
  return message.id;
}
