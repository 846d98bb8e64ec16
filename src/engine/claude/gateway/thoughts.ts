import type { ModelRef } from '../../engine.ts';
import { isObject } from './clean-body.ts';
import type { Message } from './request-body.ts';

/**
 * Which signed thoughts came from which model: every other one refuses them. The client knows one model only, and sends
 * back what it was given; after a fallback, or when a conversation goes on with another model, that is not its own.
 */
export class Thoughts {
  readonly #seen = new Map<string, Set<string>>();

  /** What this model has signed in an answer of this run. */
  note(ref: ModelRef, proofs: readonly string[]): void {
    if (proofs.length === 0) return;
    const seen = this.#seen.get(keyOf(ref)) ?? new Set();
    for (const proof of proofs) seen.add(proof);
    this.#seen.set(keyOf(ref), seen);
  }

  /** The history as this model may be shown it. A message of nothing but foreign thoughts is left out. */
  own(messages: readonly Message[], ref: ModelRef): Message[] {
    const seen = this.#seen.get(keyOf(ref));
    const isOwn = (block: unknown): boolean => {
      const proof = proofOf(block);
      return proof === null || seen?.has(proof) === true;
    };
    return messages.flatMap((message): Message[] => {
      if (message.role !== 'assistant' || !Array.isArray(message.content)) return [message];
      const content = message.content.filter(isOwn);
      if (content.length === message.content.length) return [message];
      return content.length === 0 ? [] : [{ ...message, content }];
    });
  }
}

/** What a block of thoughts is known by; null for one without a signature, and for every other block. */
export function proofOf(block: unknown): string | null {
  if (!isObject(block)) return null;
  const proof =
    block.type === 'thinking' ? block.signature : block.type === 'redacted_thinking' ? block.data : '';
  return typeof proof === 'string' && proof !== '' ? proof : null;
}

function keyOf({ baseUrl, model }: ModelRef): string {
  return `${baseUrl} ${model}`;
}
