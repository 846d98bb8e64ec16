import type { IncomingMessage, ServerResponse } from 'node:http';

const MIB = 1024 * 1024;
/** The client sends its whole conversation with each request, pictures too; the protocol's own endpoint takes no more. */
const MOST_OF_REQUEST = 32 * MIB;
/** A piece of a session ends with a line, and a line holds what a tool has read. */
const MOST_OF_SESSION = 32 * MIB;
/** A command, a question. */
const MOST_OF_REST = 4 * MIB;
/** Of all that is under way at once: whoever has the token may send as many as it likes. */
const MOST_AT_ONCE = 64 * MIB;

export type Taken = { readonly bytes: Buffer } | { readonly refused: 'too long' | 'too much at once' };

/** Takes the bodies of requests in, and never holds more of them than the runner has room for. */
export class Intake {
  readonly #mostAtOnce: number;
  #held = 0;

  constructor(mostAtOnce = MOST_AT_ONCE) {
    this.#mostAtOnce = mostAtOnce;
  }

  /** The body of a request for this path; counts as held until its response is closed. */
  async read(request: IncomingMessage, response: ServerResponse, pathname: string): Promise<Taken> {
    const most = mostFor(pathname);
    const parts: Buffer[] = [];
    let length = 0;
    response.once('close', () => {
      this.#held -= length;
      length = 0;
    });
    for await (const part of request) {
      const bytes = Buffer.from(part);
      if (length + bytes.length > most) return { refused: 'too long' };
      if (this.#held + bytes.length > this.#mostAtOnce) return { refused: 'too much at once' };
      length += bytes.length;
      this.#held += bytes.length;
      parts.push(bytes);
    }
    return { bytes: Buffer.concat(parts) };
  }
}

function mostFor(pathname: string): number {
  if (pathname.startsWith('/v1/')) return MOST_OF_REQUEST;
  return pathname === '/session' ? MOST_OF_SESSION : MOST_OF_REST;
}
