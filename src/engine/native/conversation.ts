import type { RunSpec } from '../engine.ts';
import { estimateHistory, type Message, matchResults, type ResultPart } from './messages.ts';
import { createTranscript, resumeTranscript, writeLine } from './transcript.ts';

/** The history of a run, in memory and in its transcript, with a count of its tokens. */
export class Conversation {
  readonly #file: string;
  readonly #redactor: RunSpec['conversation']['redactor'];
  #messages: Message[];
  /** What the endpoint counted for the first `length` messages. */
  #measured = { tokens: 0, length: 0 };

  private constructor({ file, redactor }: RunSpec['conversation'], messages: Message[]) {
    this.#file = file;
    this.#redactor = redactor;
    this.#messages = messages;
  }

  /** Starts the transcript anew, or goes on with it. `problems` is what was wrong with it. */
  static open(source: RunSpec['conversation']): {
    conversation: Conversation;
    problems: readonly string[];
  } {
    const found = source.resume ? resumeTranscript(source.file) : null;
    if (found) return { conversation: new Conversation(source, found.messages), problems: found.problems };
    createTranscript(source.file);
    const problems = source.resume ? ['there is no transcript to resume: the conversation starts anew'] : [];
    return { conversation: new Conversation(source, []), problems };
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Adds a message here and to the transcript. Throws what the file system says. */
  append(message: Message): void {
    writeLine(this.#file, { t: 'message', message }, this.#redactor);
    this.#messages.push(message);
  }

  /** Adds the result of a call as soon as there is one; results of one round end up as one message. */
  appendResult(part: ResultPart): void {
    this.append({ role: 'tool', content: [part] });
  }

  /** Puts the results of the last round in the order of their calls. The transcript's reader does the same. */
  closeRound(): void {
    this.#messages = matchResults(this.#messages);
  }

  /** Changes the history in memory only, e.g. for another model. */
  rewrite(change: (messages: readonly Message[]) => Message[]): void {
    this.#messages = change(this.#messages);
  }

  /** Puts a shorter history in the place of the old one, here and in the transcript. */
  compact(messages: Message[]): { before: number; after: number } {
    const sizes = { before: this.tokens(), after: estimateHistory(messages) };
    writeLine(this.#file, { t: 'compacted', ...sizes, messages }, this.#redactor);
    this.#messages = messages;
    this.#measured = { tokens: 0, length: 0 };
    return sizes;
  }

  /** The endpoint has counted the history up to now, the answer included. */
  measure(tokens: number): void {
    this.#measured = { tokens, length: this.#messages.length };
  }

  /** How our estimate of the history compares with its tokens: below 1 where four characters are more than one. */
  scale(): number {
    return Math.min(1, estimateHistory(this.#messages) / Math.max(1, this.tokens()));
  }

  /** About how many tokens the next request has: what was counted, plus an estimate of what came since. */
  tokens(): number {
    return this.#measured.tokens + estimateHistory(this.#messages.slice(this.#measured.length));
  }
}
