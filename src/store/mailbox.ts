import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import type { JobId } from '../job/ids.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import { writeAtomic } from './atomic-file.ts';
import { ensureStoreFolder, namesIn } from './folders.ts';
import { INBOX, type InMessage, MESSAGE_ID, OUTBOX, type OutMessage } from './messages.ts';
import { commPaths, type StorePaths } from './paths.ts';
import { readSmallFile } from './small-file.ts';
import { errorCode, storageError } from './storage-error.ts';

const MESSAGE_MAX_BYTES = 64 * 1024;
const QUEUE_MAX = 1000;

interface Envelope {
  readonly id: string;
}

/** What the runner reads: steering, answers, the wish to cancel. */
export function openInbox(store: StorePaths, id: JobId): Mailbox<InMessage> {
  return new Mailbox(commPaths(store, id).in, INBOX);
}

/** What the runner asks. An open question is a message in `new/`. */
export function openOutbox(store: StorePaths, id: JobId): Mailbox<OutMessage> {
  return new Mailbox(commPaths(store, id).out, OUTBOX);
}

export function openMailbox<M extends Envelope>(folder: string, schema: z.ZodType<M>): Mailbox<M> {
  return new Mailbox(folder, schema);
}

/**
 * A Maildir (https://cr.yp.to/proto/maildir.html): each message is a file that is made in `tmp/`, appears in
 * `new/` by rename and goes to `cur/` when it is done. There are no locks. A message may come twice, never
 * not at all and never in part; who reads acts by its id. What cannot be read goes to `bad/`.
 */
export class Mailbox<M extends Envelope> {
  readonly folder: string;
  readonly #schema: z.ZodType<M>;
  readonly #stuck = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, schema: z.ZodType<M>) {
    this.folder = folder;
    this.#schema = schema;
  }

  get newFolder(): string {
    return join(this.folder, 'new');
  }

  /** Makes the folders; reading does not need them. Throws UserError `storage`. */
  ensure(): void {
    for (const name of ['tmp', 'new', 'cur', 'bad']) ensureStoreFolder(join(this.folder, name));
  }

  /**
   * Sends a message; when this returns it will not be lost. To send the same id again does no harm.
   * Throws UserError `message_too_big`, `mailbox_full` or `storage`.
   */
  send(message: M): void {
    if (!MESSAGE_ID.test(message.id)) throw new Error(`no message id: ${message.id}`);
    const text = `${JSON.stringify(message)}\n`;
    const bytes = Buffer.byteLength(text);
    if (bytes > MESSAGE_MAX_BYTES) throw tooBig(bytes);
    this.ensure();
    if (namesIn(this.newFolder).length >= QUEUE_MAX) throw full(this.newFolder);
    const temporaryIn = join(this.folder, 'tmp');
    writeAtomic(join(this.newFolder, `${message.id}.json`), text, { durable: true, temporaryIn });
  }

  /** The messages in `new/`, in the order they were sent. Changes nothing. */
  pending(): M[] {
    return this.#names()
      .map((name) => this.#read(name))
      .filter((message) => message !== null && message !== 'gone');
  }

  /**
   * Gives each waiting message to `handler`, one after another, and files it when the handler is done.
   * When it throws, the message stays for the next time and the error comes out of here. Calls that
   * overlap wait for each other. Resolves with the number of messages that were handled.
   */
  take(handler: (message: M) => void | Promise<void>): Promise<number> {
    const turn = this.#turn.then(() => this.#takeAll(handler));
    // The next turn comes whether this one worked or not; its error goes to its own caller.
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Files a message by its id. `false` when it is not waiting (any more). Throws UserError `storage`. */
  close(id: string): boolean {
    if (!MESSAGE_ID.test(id)) throw new Error(`no message id: ${id}`);
    return this.#file(`${id}.json`, 'cur', `${id}.json`);
  }

  async #takeAll(handler: (message: M) => void | Promise<void>): Promise<number> {
    let handled = 0;
    for (const name of this.#names()) {
      const message = this.#read(name);
      if (message === 'gone') continue;
      if (message === null) {
        this.#setAside(name);
        continue;
      }
      await handler(message);
      this.#file(name, 'cur', name);
      handled += 1;
    }
    return handled;
  }

  #names(): string[] {
    return namesIn(this.newFolder)
      .filter((name) => !this.#stuck.has(name))
      .sort();
  }

  #read(name: string): M | 'gone' | null {
    const file = readSmallFile(join(this.newFolder, name), MESSAGE_MAX_BYTES);
    if (file.kind === 'absent') return 'gone';
    if (file.kind === 'unreadable') return null;
    try {
      const message = this.#schema.parse(JSON.parse(file.text));
      return name === `${message.id}.json` ? message : null;
    } catch {
      // Not JSON, or not a message of ours: to the reader that is the same.
      return null;
    }
  }

  #setAside(name: string): void {
    // A new name: another bad message of the same name must not be in the way.
    const target = `${Date.now()}.${process.pid}.${name.slice(0, 100)}`;
    try {
      this.#file(name, 'bad', target);
    } catch {
      // It cannot be moved: remember it, so that it does not come up again and again.
      this.#stuck.add(name);
    }
  }

  #file(name: string, folder: 'cur' | 'bad', target: string): boolean {
    this.ensure();
    return move(join(this.newFolder, name), join(this.folder, folder, target));
  }
}

/** `false` when there is nothing to move: another reader was faster. */
function move(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw storageError('write', to, error);
  }
}

function tooBig(bytes: number): UserError {
  return new UserError({
    code: 'message_too_big',
    what: 'the message is too long',
    value: `${bytes} bytes of at most ${MESSAGE_MAX_BYTES}`,
    remedy: 'shorten it, or put the long part in a file the worker can read',
    exit: EXIT.usage,
  });
}

function full(folder: string): UserError {
  return new UserError({
    code: 'mailbox_full',
    what: `${QUEUE_MAX} messages wait already`,
    value: folder,
    remedy: 'the runner does not read them: see `cc-delegate status`, or cancel the job',
    exit: EXIT.environment,
  });
}
