import type { EngineRun } from '../engine/engine.ts';
import type { Mailbox } from '../store/mailbox.ts';
import { watchMailbox } from '../store/mailbox-watch.ts';
import type { InMessage } from '../store/messages.ts';
import { checkpoint } from './checkpoint.ts';
import type { Questions } from './questions.ts';
import type { RunningJob } from './running-job.ts';

type Steer = Extract<InMessage, { type: 'steer' }>;

/** What reaches a running job from outside: answers, steering, cancellation. */
export class Inbox {
  readonly #job: RunningJob;
  readonly #questions: Questions;
  readonly #early: Steer[] = [];
  readonly #seen = new Set<string>();
  #run: EngineRun | null = null;
  #watch: { close(): Promise<void> } | null = null;

  constructor(job: RunningJob, questions: Questions) {
    this.#job = job;
    this.#questions = questions;
  }

  /** Takes messages from now on, those that wait already included. */
  open(mailbox: Mailbox<InMessage>): void {
    this.#watch = watchMailbox(mailbox, (message) => this.#take(message), {
      onError: (error) => this.#job.log.event('inbox_error', { message: String(error) }),
    });
  }

  /** From now on steering goes to this run; what came earlier goes first, in order. */
  attach(run: EngineRun): void {
    this.#run = run;
    for (const message of this.#early.splice(0)) run.steer({ id: message.id, text: message.text });
  }

  /** The run has ended: steering waits for the next one, if there is one. */
  detach(): void {
    this.#run = null;
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }

  /** At least once, so by id: a message that was acted on is not acted on again. */
  #take(message: InMessage): void {
    if (this.#seen.has(message.id)) return;
    this.#seen.add(message.id);
    checkpoint(`inbox:${message.type}:taken`);
    this.#act(message);
    checkpoint(`inbox:${message.type}:acted`);
  }

  #act(message: InMessage): void {
    switch (message.type) {
      case 'cancel':
        this.#job.log.event('cancel', { id: message.id });
        this.#job.stop.request({ kind: 'cancelled' });
        return;
      case 'answer': {
        const taken = this.#questions.answer(message.question, message.text);
        this.#job.log.event(taken ? 'answer' : 'answer_ignored', {
          id: message.id,
          question: message.question,
        });
        return;
      }
      case 'steer':
        this.#job.log.event('steer', { id: message.id, text: message.text });
        if (this.#run) this.#run.steer({ id: message.id, text: message.text });
        else this.#early.push(message);
        return;
    }
  }
}
