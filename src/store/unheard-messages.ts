import type { JobId } from '../job/ids.ts';
import { unheard } from '../job/unheard.ts';
import { readEvents } from './events.ts';
import { openInbox } from './mailbox.ts';
import type { Store } from './open.ts';
import { runPaths } from './paths.ts';

/** What was said to the worker of a job and never reached its model, in order: by its events and its mailbox. */
export function unheardMessages(store: Store, id: JobId): string[] {
  const waiting = openInbox(store, id)
    .pending()
    .filter((message) => message.type === 'steer');
  return unheard(readEvents(runPaths(store, id).events).events, waiting);
}
