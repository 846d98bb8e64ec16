import * as z from 'zod';
import type { ModelRef } from '../../engine.ts';

/** A Messages request as the client makes it: what we look at, and everything else as it came. */
export const REQUEST_BODY = z.looseObject({
  model: z.string(),
  max_tokens: z.number().optional(),
  stream: z.boolean().optional(),
  system: z.unknown().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});
export type RequestBody = z.infer<typeof REQUEST_BODY>;
type Message = RequestBody['messages'][number];

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
  const { max_tokens: most, messages, system } = body;
  const capped = most === undefined || ref.maxOutput === null ? most : Math.min(most, ref.maxOutput);
  const own = isProtocolsOwn(ref);
  const fields = Object.entries(body).filter(([name, value]) => own || !isNew(name, value));
  return {
    ...Object.fromEntries(fields),
    model: ref.model,
    ...(capped !== undefined && { max_tokens: capped }),
    ...(system !== undefined && { system: cleaned(system, clean) }),
    messages: cleaned(own ? messages : withoutSystemRole(messages), clean),
  };
}

function isNew(name: string, value: unknown): boolean {
  if (NEW_FIELDS.includes(name)) return true;
  return (
    name === 'thinking' &&
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'adaptive'
  );
}

/** The protocol knows two roles; for models it does not know the client uses a third, for reminders. */
function withoutSystemRole(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  for (const message of messages) {
    const before = kept.at(-1);
    if (message.role !== 'system') kept.push(message);
    else if (before?.role === 'user') {
      kept[kept.length - 1] = { ...before, content: [...blocks(before.content), ...blocks(message.content)] };
    } else kept.push({ ...message, role: 'user', content: blocks(message.content) });
  }
  return kept;
}

function blocks(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [{ type: 'text', text: String(content) }];
}

/** What is signed or encoded has to stay as it is. */
const UNTOUCHED: readonly string[] = ['signature', 'data', 'id', 'tool_use_id', 'type'];

function cleaned(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((each) => cleaned(each, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      UNTOUCHED.includes(name) ? each : cleaned(each, clean),
    ]),
  );
}
