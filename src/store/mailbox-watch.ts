import { watch } from 'chokidar';
import type { Mailbox } from './mailbox.ts';

export interface WatchOptions {
  /** How often to look even without a hint, in milliseconds; hints get lost on some file systems. */
  readonly pollMs?: number;
  /** Gets what the handler or the storage threw. The message stays and is tried again at the next look. */
  readonly onError: (error: unknown) => void;
}

/**
 * Takes messages as they come, those that wait already included, until `close` is called. `close` resolves
 * when no handler runs any more. Apart from mailbox.ts, so that who only sends does not load a watcher.
 */
export function watchMailbox<M extends { readonly id: string }>(
  mailbox: Mailbox<M>,
  handler: (message: M) => void | Promise<void>,
  options: WatchOptions,
): { close(): Promise<void> } {
  let closed = false;
  let taking: Promise<unknown> = Promise.resolve();
  const look = (): void => {
    if (closed) return;
    taking = mailbox
      .take(async (message) => {
        if (!closed) await handler(message);
        else throw new WatchClosed();
      })
      .catch((error: unknown) => {
        if (!(error instanceof WatchClosed)) options.onError(error);
      });
  };
  mailbox.ensure();
  const watcher = watch(mailbox.newFolder, { depth: 0, ignoreInitial: true });
  watcher.on('add', look);
  // Once more when the watch stands, for what came while it was set up.
  watcher.on('ready', look);
  // No watch (too many, or the folder went away): the poll below goes on.
  watcher.on('error', look);
  const poll = setInterval(look, options.pollMs ?? 30_000);
  look();
  return {
    async close() {
      closed = true;
      clearInterval(poll);
      await watcher.close();
      await taking;
    },
  };
}

/** Leaves a message where it is when the watch is closed before its turn. */
class WatchClosed extends Error {}
