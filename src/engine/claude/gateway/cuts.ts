import { createHash } from 'node:crypto';
import type { RequestBody } from './request-body.ts';

interface Cut {
  readonly step: number;
  /** Answers of one model that broke off, in a row. */
  readonly count: number;
}

/**
 * Answers that broke off on their way to the client. It asks for those again itself, with the same messages (2.1.332):
 * that is how such a request is told from one that is new. Others may be made meanwhile.
 */
export class Cuts {
  readonly #cuts = new Map<string, Cut>();

  /** What is known of this request; null: it is a new one. */
  of(body: RequestBody): Cut | null {
    return this.#cuts.size === 0 ? null : (this.#cuts.get(keyOf(body)) ?? null);
  }

  /** One more; how many there are now. */
  add(body: RequestBody, step: number): number {
    const key = keyOf(body);
    const count = (this.#cuts.get(key)?.count ?? 0) + 1;
    this.#cuts.set(key, { step, count });
    return count;
  }

  /** Another model answers from now on: what the one before did is not its fault. */
  startAnew(body: RequestBody): void {
    const cut = this.#cuts.get(keyOf(body));
    if (cut !== undefined) this.#cuts.set(keyOf(body), { ...cut, count: 0 });
  }

  /** It was answered. */
  forget(body: RequestBody): void {
    if (this.#cuts.size > 0) this.#cuts.delete(keyOf(body));
  }
}

function keyOf({ messages }: RequestBody): string {
  return createHash('sha256').update(JSON.stringify(messages)).digest('hex');
}
