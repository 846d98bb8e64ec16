import type { JobId } from '../job/ids.ts';
import { openOutbox } from '../store/mailbox.ts';
import type { OpenQuestion } from '../store/messages.ts';
import type { Store } from '../store/open.ts';

/** The questions a job waits with, whole, the oldest first. */
export function openQuestions(store: Store, id: JobId): OpenQuestion[] {
  return openOutbox(store, id)
    .pending()
    .map(({ question }) => question);
}
