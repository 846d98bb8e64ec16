import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { type SessionFiles, wholeLinesFrom } from './session-file.ts';

const POLL_MS = 300;
/** One post, unless a single line is longer. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** The gateway takes no more at once: such a line is left out. */
const LONGEST_LINE = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/** `foreign`: the session is not the one of this run. */
export type Posted = 'taken' | 'foreign' | 'failed';
export type PostSession = (bytes: Uint8Array, offset: number, session: string) => Promise<Posted>;

/** The file of a session may be there before its name is known to the gateway; one of another client's never is. */
const MOST_ASKED = 20;
const NOTHING = new Uint8Array();

/**
 * Follows the client's session file as it grows and posts its whole lines. A session that the client begins anew is
 * followed too, from offset 0, once the gateway knows it as the run's; that of a client the worker starts is not.
 */
export class SessionTail {
  readonly #files: SessionFiles;
  readonly #post: PostSession;
  readonly #known: ReadonlySet<string>;
  #file: string | null;
  #offset: number;
  /** Fresh files, and how often it was asked in vain whether they are this run's. */
  readonly #asked = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #under: Promise<void> = Promise.resolve();

  constructor(
    files: SessionFiles,
    post: PostSession,
    start: { readonly session: string; readonly offset: number },
  ) {
    this.#files = files;
    this.#post = post;
    this.#file = files.find(start.session);
    this.#offset = start.offset;
    // What lies there from earlier is no new session.
    this.#known = new Set(files.all());
  }

  start(): void {
    this.#timer = setTimeout(() => {
      void this.#look().finally(() => this.start());
    }, POLL_MS);
  }

  /** The client has ended: what is still there goes out. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#under;
    await this.#look();
  }

  #look(): Promise<void> {
    this.#under = this.#send().catch((error: unknown) => {
      process.stderr.write(`cc-delegate: the session cannot be followed: ${String(error)}\n`);
    });
    return this.#under;
  }

  async #send(): Promise<void> {
    const next = await this.#next();
    if (next !== null) {
      this.#file = next;
      this.#offset = 0;
    }
    if (this.#file === null) return;
    const bytes = wholeLinesFrom(this.#file, this.#offset);
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, endOfPiece(bytes, at));
      const isTaken = piece.length > LONGEST_LINE || (await this.#posted(piece, this.#file)) === 'taken';
      if (!isTaken) return;
      this.#offset += piece.length;
      at += piece.length;
    }
  }

  #posted(piece: Uint8Array, file: string, offset = this.#offset): Promise<Posted> {
    return this.#post(piece, offset, basename(file, '.jsonl'));
  }

  /** The newest file that is this run's session; null: none but the one that is followed already. */
  async #next(): Promise<string | null> {
    for (const file of this.#fresh()) {
      if (file === this.#file) return null;
      const asked = this.#asked.get(file) ?? 0;
      if (asked >= MOST_ASKED) continue;
      const answer = await this.#posted(NOTHING, file, 0);
      if (answer === 'taken') return file;
      if (answer === 'foreign') this.#asked.set(file, asked + 1);
    }
    return null;
  }

  /** The newest first. */
  #fresh(): string[] {
    const fresh = this.#files.all().filter((file) => !this.#known.has(file));
    return fresh.sort((a, b) => statSync(b).birthtimeMs - statSync(a).birthtimeMs);
  }
}

/** Where a piece of whole lines ends that begins there. */
function endOfPiece(bytes: Buffer, from: number): number {
  const most = from + PIECE_BYTES;
  if (most >= bytes.length) return bytes.length;
  const last = bytes.lastIndexOf(NEWLINE, most - 1);
  return (last < from ? bytes.indexOf(NEWLINE, most) : last) + 1;
}
