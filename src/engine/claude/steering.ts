import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';

/** The client is done, and a message it was sent does not come back: so long it may take before its stdin closes. */
const PATIENCE_MS = 10_000;

/**
 * Speaks to the client by its stdin. A message is delivered when the client repeats it with our id: it does when it
 * takes it into the conversation, with the next tool result or as a turn of its own (2.1.332).
 */
export class Steering {
  readonly #onDelivered: (id: string) => void;
  /** Of the client's copy: what it means to us. null: nobody waits for a receipt. */
  readonly #waiting = new Map<string, string | null>();
  readonly #patienceMs: number;
  /** What came before there was a client. */
  #early: { readonly uuid: string; readonly text: string }[] = [];
  #stdin: Writable | null = null;
  #closing: NodeJS.Timeout | undefined;

  constructor(onDelivered: (id: string) => void, patienceMs = PATIENCE_MS) {
    this.#onDelivered = onDelivered;
    this.#patienceMs = patienceMs;
  }

  /** The client runs: the task goes first, then what has come since. */
  open(stdin: Writable, prompt: string): void {
    this.#stdin = stdin;
    stdin.on('error', () => {
      // It has ended; how is told by its exit.
    });
    this.#write(randomUUID(), isCommand(prompt) ? `\n${prompt}` : prompt);
    for (const { uuid, text } of this.#early) this.#write(uuid, text);
    this.#early = [];
  }

  /** Sends a message. `id` is told when it is delivered; null: it is our own. */
  send(text: string, id: string | null): void {
    const uuid = randomUUID();
    const said = isCommand(text) ? `A message:\n${text}` : text;
    this.#waiting.set(uuid, id);
    if (this.#stdin === null) this.#early.push({ uuid, text: said });
    else this.#write(uuid, said);
  }

  /** The client has repeated a message. */
  replayed(uuid: string | undefined): void {
    if (uuid === undefined) return;
    const id = this.#waiting.get(uuid);
    this.#waiting.delete(uuid);
    clearTimeout(this.#closing);
    if (id !== undefined && id !== null) this.#onDelivered(id);
  }

  /** The client has ended a turn. It goes on with what it has not taken yet; without that, it is to end. */
  turnEnded(): void {
    clearTimeout(this.#closing);
    if (this.#waiting.size === 0) this.close();
    else this.#closing = setTimeout(() => this.close(), this.#patienceMs);
  }

  close(): void {
    clearTimeout(this.#closing);
    this.#stdin?.end();
  }

  #write(uuid: string, text: string): void {
    const line = { type: 'user', uuid, message: { role: 'user', content: text } };
    if (this.#stdin?.writable) this.#stdin.write(`${JSON.stringify(line)}\n`);
  }
}

/**
 * A text that begins with `/` would be a command of the client's, and not reach the model (2.1.332). A line break in
 * front of it is enough for the task; what comes while the client works has to begin with a word.
 */
function isCommand(text: string): boolean {
  return text.trimStart().startsWith('/');
}
