/**
 * Reads server-sent events (WHATWG HTML, 9.2.6) out of bytes that break anywhere: in a line, in a character, between
 * CR and LF. Gives the data of each event as text; comments and other fields are left out.
 */
export class SseReader {
  readonly #decoder = new TextDecoder();
  #line = '';
  #data: string[] = [];
  #endsInCr = false;

  /** The events that are whole with these bytes. */
  push(bytes: Uint8Array): string[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (this.#endsInCr && text.startsWith('\n')) text = text.slice(1);
    if (text !== '') this.#endsInCr = text.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    const found: string[] = [];
    for (const [at, part] of lines.entries()) {
      this.#line += part;
      if (at === lines.length - 1) break;
      const whole = this.#take(this.#line);
      this.#line = '';
      if (whole !== null) found.push(whole);
    }
    return found;
  }

  #take(line: string): string | null {
    if (line === '') {
      if (this.#data.length === 0) return null;
      const data = this.#data.join('\n');
      this.#data = [];
      return data;
    }
    if (line.startsWith('data:')) this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    return null;
  }
}
