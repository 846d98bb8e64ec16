import { statSync } from 'node:fs';
import { type SessionFiles, wholeLinesFrom } from './session-file.ts';

const POLL_MS = 300;
/** One post, unless a single line is longer. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** The gateway takes no more at once: such a line is left out. */
const LONGEST_LINE = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

export type PostSession = (bytes: Uint8Array, offset: number) => Promise<boolean>;

/**
 * Follows the client's session file as it grows and posts its whole lines. A session that the client begins anew is
 * followed too: its first piece has the offset 0.
 */
export class SessionTail {
  readonly #files: SessionFiles;
  readonly #post: PostSession;
  readonly #known: ReadonlySet<string>;
  #file: string | null;
  #offset: number;
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
    const newest = this.#newest();
    if (newest !== null && newest !== this.#file) {
      this.#file = newest;
      this.#offset = 0;
    }
    if (this.#file === null) return;
    const bytes = wholeLinesFrom(this.#file, this.#offset);
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, endOfPiece(bytes, at));
      if (piece.length <= LONGEST_LINE && !(await this.#post(piece, this.#offset))) return;
      this.#offset += piece.length;
      at += piece.length;
    }
  }

  #newest(): string | null {
    const fresh = this.#files.all().filter((file) => !this.#known.has(file));
    return fresh.sort((a, b) => statSync(a).birthtimeMs - statSync(b).birthtimeMs).at(-1) ?? null;
  }
}

/** Where a piece of whole lines ends that begins there. */
function endOfPiece(bytes: Buffer, from: number): number {
  const most = from + PIECE_BYTES;
  if (most >= bytes.length) return bytes.length;
  const last = bytes.lastIndexOf(NEWLINE, most - 1);
  return (last < from ? bytes.indexOf(NEWLINE, most) : last) + 1;
}
