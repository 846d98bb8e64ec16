import { trimLine } from '../job/format.ts';
import type { QuestionHead, QuestionKind } from '../job/record.ts';
import type { JobWriter } from '../store/job-writer.ts';
import type { Mailbox } from '../store/mailbox.ts';
import { newEnvelope, type OutMessage } from '../store/messages.ts';
import { checkpoint } from './checkpoint.ts';
import type { Clean } from './clean.ts';
import type { JobLog } from './job-log.ts';

export interface Ask {
  readonly kind: QuestionKind;
  readonly message: string;
  readonly context: string | null;
  readonly attempts: string | null;
}

interface Open {
  readonly head: QuestionHead;
  readonly answer: (text: string) => void;
}

export interface QuestionsOptions {
  readonly writer: JobWriter;
  readonly outbox: Mailbox<OutMessage>;
  readonly log: JobLog;
  readonly askTimeoutSeconds: number;
  /** Silence does not count while a question waits; returns the release. */
  readonly hold: () => () => void;
}

function cleanAsk({ kind, message, context, attempts }: Ask, clean: Clean): Ask {
  const orNull = (text: string | null): string | null => (text === null ? null : clean(text));
  return { kind, message: clean(message), context: orNull(context), attempts: orNull(attempts) };
}

/** The open questions of one job. The oldest stands in the record; several stay distinct by their ids. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #open = new Map<string, Open>();
  #asked = 0;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /**
   * Puts a question to the supervisor and waits for the answer, or for the ask time-out: then the worker
   * is told to decide by itself, and the job runs on either way. Rejects only when `signal` is aborted.
   */
  async ask(asked: Ask, signal: AbortSignal): Promise<string> {
    const { askTimeoutSeconds } = this.#options;
    return (
      (await this.askOrNull(asked, signal)) ??
      `Nobody answered within ${askTimeoutSeconds} s. Take the careful choice yourself, say which, and go on.`
    );
  }

  /** The same, for one who has to know that nobody answered: then it is null. */
  async askOrNull(asked: Ask, signal: AbortSignal): Promise<string | null> {
    signal.throwIfAborted();
    const { log, outbox, askTimeoutSeconds, hold } = this.#options;
    const ask = cleanAsk(asked, log.clean);
    this.#asked += 1;
    const id = `q${this.#asked}`;
    const askedAt = new Date();
    const expiresAt = new Date(askedAt.getTime() + askTimeoutSeconds * 1000).toISOString();
    const head: QuestionHead = {
      id,
      kind: ask.kind,
      message: trimLine(ask.message, 240),
      askedAt: askedAt.toISOString(),
      expiresAt,
    };
    const envelope = newEnvelope();
    checkpoint(`question:${this.#asked}:begins`);
    outbox.send({ type: 'question', ...envelope, question: { ...head, ...ask, options: [] } });
    checkpoint(`question:${this.#asked}:posted`);
    const release = hold();
    const answered = this.#wait(head, signal);
    this.#publish();
    log.event('question', { id, kind: ask.kind, message: ask.message });
    checkpoint(`question:${this.#asked}:asked`);
    try {
      const answer = await answered;
      checkpoint(`question:${this.#asked}:heard`);
      log.event(answer === null ? 'question_expired' : 'answer_delivered', { id });
      return answer;
    } finally {
      release();
      this.#open.delete(id);
      outbox.close(envelope.id);
      if (!signal.aborted) this.#publish();
      checkpoint(`question:${this.#asked}:answered`);
    }
  }

  /** Answers the named question, or the oldest open one. False: no such question is open. */
  answer(id: string | null, text: string): boolean {
    const open = id === null ? [...this.#open.values()][0] : this.#open.get(id);
    open?.answer(text);
    return open !== undefined;
  }

  #wait(head: QuestionHead, signal: AbortSignal): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => resolve(null)), this.#options.askTimeoutSeconds * 1000);
      const aborted = () => settle(() => reject(signal.reason));
      const settle = (end: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        end();
      };
      signal.addEventListener('abort', aborted);
      this.#open.set(head.id, { head, answer: (text) => settle(() => resolve(text)) });
    });
  }

  /** State first: the record says `needs_input` exactly as long as a question is open. */
  #publish(): void {
    const { writer } = this.#options;
    const oldest = [...this.#open.values()][0]?.head ?? null;
    const patch = { question: oldest, openQuestions: this.#open.size };
    const to = oldest === null ? 'running' : 'needs_input';
    if (writer.record.state === to) writer.amend(patch);
    else writer.move({ to, reason: null }, patch);
  }
}
