const NEWLINE = 0x0a;
/** A tool result of the client may be long; what is longer than this is no line of it. */
export const LONGEST_LINE = 64 * 1024 * 1024;

/** Cuts a stream of bytes into lines, wherever its chunks end. A line that is too long is left out, and told. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  readonly #longest: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  #skipping = false;

  constructor(onLine: (line: string) => void, onTooLong: () => void, longest = LONGEST_LINE) {
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
    this.#longest = longest;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(NEWLINE, from);
      this.#keep(chunk.subarray(from, at < 0 ? chunk.length : at));
      if (at < 0) return;
      this.end();
      from = at + 1;
    }
  }

  /** The stream is over, or a line: what there is of it counts. */
  end(): void {
    const line = this.#skipping ? '' : Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
    if (line.trim() !== '') this.#onLine(line);
  }

  #keep(part: Uint8Array): void {
    if (this.#skipping || part.length === 0) return;
    this.#length += part.length;
    if (this.#length > this.#longest) {
      this.#parts = [];
      this.#skipping = true;
      this.#onTooLong();
      return;
    }
    this.#parts.push(part);
  }
}
