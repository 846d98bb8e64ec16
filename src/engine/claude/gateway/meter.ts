import * as z from 'zod';
import { parseJson } from '../../../job/json.ts';
import { readModel, readUsage } from '../../http/read-usage.ts';
import { type Billing, billingOf, type Reported } from '../../http/usage.ts';
import { proofOf } from './thoughts.ts';

const DELTA = z.object({
  type: z.literal('content_block_delta'),
  delta: z.union([
    z.object({ type: z.literal('text_delta'), text: z.string() }),
    z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
    z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  ]),
});
const BLOCK = z.object({ content_block: z.looseObject({ type: z.string() }) });
const STOPPED = z.object({
  type: z.literal('message_delta'),
  delta: z.object({ stop_reason: z.string().nullish() }),
});
const MESSAGE = z.object({
  type: z.literal('message'),
  content: z.array(
    z.looseObject({
      type: z.string(),
      text: z.string().optional(),
      thinking: z.string().optional(),
      input: z.unknown().optional(),
    }),
  ),
  stop_reason: z.string().nullish(),
});
const TYPED = z.object({ type: z.string() });

export type OnDelta = (kind: 'text' | 'thinking' | 'arguments', delta: string) => void;

/** Reads along what an endpoint answers to one request, and knows afterwards what that costs. */
export class Meter {
  readonly #onDelta: OnDelta;
  #reported: Reported | null = null;
  #outputLength = 0;
  #signature = '';
  /** The model that answered, as the endpoint names it. */
  answered: string | null = null;
  stopReason: string | null = null;
  /** The error event in the stream, as it came. */
  error: unknown = null;
  /** Content, or the end: from here on the answer is one. */
  hasContent = false;
  /** What its thoughts are signed with: no other model takes them. */
  readonly proofs: string[] = [];
  /** A tool call has begun. */
  hasCall = false;
  /** The endpoint has said itself that this was all. */
  isWhole = false;

  constructor(onDelta: OnDelta) {
    this.#onDelta = onDelta;
  }

  /** Has enough come for the client to hear of it? */
  get maySay(): boolean {
    return this.hasContent && (!this.hasCall || this.isWhole);
  }

  /** One event of a stream. False: it tells of no progress, such as a ping. */
  event(text: string): boolean {
    const value = parseJson(text);
    const type = TYPED.safeParse(value).data?.type;
    if (type === undefined || type === 'ping') return false;
    this.#reported = readUsage(value, this.#reported);
    this.answered ??= readModel(value);
    switch (type) {
      case 'error':
        this.error = value;
        return true;
      case 'content_block_start':
        this.hasContent = true;
        this.#start(BLOCK.safeParse(value).data?.content_block);
        return true;
      case 'content_block_stop':
        this.hasContent = true;
        return true;
      case 'content_block_delta':
        this.hasContent = true;
        this.#delta(value);
        return true;
      case 'message_delta':
        this.stopReason = STOPPED.safeParse(value).data?.delta.stop_reason ?? this.stopReason;
        return true;
      case 'message_stop':
        this.hasContent = true;
        this.isWhole = true;
        return true;
      default:
        return true;
    }
  }

  /** An answer in one piece. False: it is none. */
  whole(text: string): boolean {
    const value = parseJson(text);
    const message = MESSAGE.safeParse(value).data;
    if (message === undefined) return false;
    // The same fields as in the first event of a stream.
    this.#reported = readUsage({ type: 'message_start', message: value }, this.#reported);
    this.answered = readModel(value);
    for (const block of message.content) {
      const { text: said, thinking, input } = block;
      this.#prove(proofOf(block));
      if (said !== undefined) this.#count('text', said);
      if (thinking !== undefined) this.#count('thinking', thinking);
      if (input !== undefined) this.#count('arguments', JSON.stringify(input));
    }
    this.stopReason = message.stop_reason ?? null;
    this.hasContent = true;
    this.isWhole = true;
    return true;
  }

  /** What the request is charged with; null: it came to nothing that anybody charges for. Tokens. */
  billing(estimatedInput: number): Billing | null {
    if (this.#reported === null && this.#outputLength === 0) return null;
    const output = Math.ceil(this.#outputLength / 4);
    return billingOf(this.#reported, { input: estimatedInput, output }, this.isWhole);
  }

  #start(block: z.infer<typeof BLOCK>['content_block'] | undefined): void {
    this.#signature = '';
    this.hasCall ||= block?.type === 'tool_use';
    this.#prove(proofOf(block));
  }

  #prove(proof: string | null): void {
    if (proof !== null) this.proofs.push(proof);
  }

  #delta(value: unknown): void {
    const delta = DELTA.safeParse(value).data?.delta;
    switch (delta?.type) {
      case 'text_delta':
        this.#count('text', delta.text);
        return;
      case 'thinking_delta':
        this.#count('thinking', delta.thinking);
        return;
      case 'input_json_delta':
        this.#count('arguments', delta.partial_json);
        return;
      case 'signature_delta':
        // Whole in one piece, or in several: the client keeps the last piece, others would join them.
        this.#signature += delta.signature;
        for (const proof of new Set([delta.signature, this.#signature])) this.#prove(proof);
        return;
      case undefined:
        return;
    }
  }

  #count(kind: Parameters<OnDelta>[0], text: string): void {
    this.#outputLength += text.length;
    this.#onDelta(kind, text);
  }
}
