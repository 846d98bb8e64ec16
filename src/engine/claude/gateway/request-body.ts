import * as z from 'zod';
import { parseJson } from '../../../job/json.ts';
import type { ModelRef } from '../../engine.ts';
import { cleanContent, isObject } from './clean-body.ts';

/** A Messages request as the client makes it: what we look at, and everything else as it came. */
export const REQUEST_BODY = z.looseObject({
  model: z.string(),
  max_tokens: z.number().optional(),
  stream: z.boolean().optional(),
  system: z.unknown().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});
export type RequestBody = z.infer<typeof REQUEST_BODY>;
export type Message = RequestBody['messages'][number];

/** A request of the client's; null for what is none. */
export function readRequest(text: string): RequestBody | null {
  return REQUEST_BODY.safeParse(parseJson(text)).data ?? null;
}

/** Does this model come from the people who made the protocol, with all that is new in it? */
export function isProtocolsOwn({ provider, baseUrl }: Pick<ModelRef, 'provider' | 'baseUrl'>): boolean {
  return provider === 'anthropic' || /^https:\/\/([a-z0-9-]+\.)*anthropic\.com(\/|:|$)/i.test(baseUrl);
}

/** Fields of the client's that endpoints which only speak the protocol refuse (seen with 2.1.332). */
const NEW_FIELDS: readonly string[] = ['context_management', 'output_config', 'metadata'];

/**
 * The body as this endpoint is sent it: its model's name, no more output than it has, and, but for the protocol's own
 * endpoint, nothing that others refuse. `clean` takes secrets out of every text of messages and system prompt.
 */
export function bodyFor(
  body: RequestBody,
  ref: ModelRef,
  clean: (text: string) => string,
): Record<string, unknown> {
  const { max_tokens: most, messages, system, thinking, ...rest } = body;
  const capped = most === undefined || ref.maxOutput === null ? most : Math.min(most, ref.maxOutput);
  const own = isProtocolsOwn(ref);
  const fields = Object.entries(rest).filter(([name]) => own || !NEW_FIELDS.includes(name));
  const thoughts = thinkingFor(thinking, own, capped);
  const known = own ? messages : withoutSystemRole(messages);
  return {
    ...Object.fromEntries(fields),
    model: ref.model,
    ...(capped !== undefined && { max_tokens: capped }),
    ...(thoughts !== undefined && { thinking: thoughts }),
    ...(system !== undefined && { system: cleanContent(system, clean) }),
    messages: known.map((message) => ({ ...message, content: cleanContent(message.content, clean) })),
  };
}

/** The protocol knows no smaller budget. */
const LEAST_THINKING = 1024;

/** `adaptive` is new; a budget has to be smaller than what may come out at all. */
function thinkingFor(thinking: unknown, own: boolean, most: number | undefined): unknown {
  if (!isObject(thinking)) return thinking;
  if (thinking.type === 'adaptive' && !own) return undefined;
  const { budget_tokens: budget } = thinking;
  if (typeof budget !== 'number' || most === undefined || budget < most) return thinking;
  return most > LEAST_THINKING ? { ...thinking, budget_tokens: most - 1 } : undefined;
}

/**
 * The protocol knows two roles; for models it does not know the client uses a third, for reminders. They go to the end
 * of a message of the user's, since results of calls have to come first: of the one before, else of the next.
 */
function withoutSystemRole(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  let waiting: unknown[] = [];
  for (const message of messages) {
    const before = kept.at(-1);
    if (message.role === 'system') {
      if (before?.role === 'user') kept[kept.length - 1] = withMore(before, blocks(message.content));
      else waiting.push(...blocks(message.content));
    } else if (message.role === 'user' && waiting.length > 0) {
      kept.push(withMore(message, waiting));
      waiting = [];
    } else kept.push(message);
  }
  return waiting.length === 0 ? kept : [...kept, { role: 'user', content: waiting }];
}

function withMore(message: Message, more: readonly unknown[]): Message {
  return { ...message, content: [...blocks(message.content), ...more] };
}

function blocks(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [{ type: 'text', text: String(content) }];
}
