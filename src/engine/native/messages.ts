import * as z from 'zod';
import { estimateTokens } from '../http/usage.ts';

/** What a provider wants to see again with a part, e.g. the signature of a thought. */
const EXTRA = { providerOptions: z.record(z.string(), z.record(z.string(), z.json())).exactOptional() };

const TEXT_PART = z.object({ type: z.literal('text'), text: z.string(), ...EXTRA });
const REASONING_PART = z.object({ type: z.literal('reasoning'), text: z.string(), ...EXTRA });
const CALL_PART = z.object({
  type: z.literal('tool-call'),
  toolCallId: z.string(),
  toolName: z.string(),
  /** Always an object: endpoints refuse a history with anything else in it. */
  input: z.record(z.string(), z.json()),
  ...EXTRA,
});
const RESULT_PART = z.object({
  type: z.literal('tool-result'),
  toolCallId: z.string(),
  toolName: z.string(),
  output: z.object({ type: z.enum(['text', 'error-text']), value: z.string() }),
});

const ASSISTANT_PART = z.union([TEXT_PART, REASONING_PART, CALL_PART]);

/** A message of the history, as it is sent to the model and as it stands in the transcript. */
export const MESSAGE = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({ role: z.literal('assistant'), content: z.array(ASSISTANT_PART) }),
  z.object({ role: z.literal('tool'), content: z.array(RESULT_PART) }),
]);

export type Message = z.infer<typeof MESSAGE>;
export type AssistantPart = z.infer<typeof ASSISTANT_PART>;
export type ResultPart = z.infer<typeof RESULT_PART>;

/** The result of a call as a part of the history. */
export function resultPart(call: { id: string; name: string }, ok: boolean, value: string): ResultPart {
  const output = { type: ok ? ('text' as const) : ('error-text' as const), value };
  return { type: 'tool-result', toolCallId: call.id, toolName: historyName(call.name), output };
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** A tool name every endpoint accepts in a history; a model may have asked for anything. */
export function historyName(name: string): string {
  return NAME.test(name) ? name : 'invalid_tool_name';
}

/** The parts of an assistant message that can be sent again; other kinds (files, sources) are left out. */
export function assistantParts(content: readonly unknown[]): AssistantPart[] {
  return content.map(withoutUndefined).flatMap((part) => {
    const call = UNCHECKED_CALL.safeParse(part);
    if (call.success) {
      const { input, toolName, ...rest } = call.data;
      const checked = CALL_PART.shape.input.safeParse(input);
      return [{ ...rest, toolName: historyName(toolName), input: checked.success ? checked.data : {} }];
    }
    const known = ASSISTANT_PART.safeParse(part);
    return known.success ? [known.data] : [];
  });
}

/** The library sets optional fields to undefined, where the transcript has none. */
function withoutUndefined(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));
}

const UNCHECKED_CALL = CALL_PART.extend({ input: z.unknown() });

/** Neighbouring user messages as one: not every endpoint takes two in a row. */
export function mergeUsers(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      merged[merged.length - 1] = { role: 'user', content: `${last.content}\n\n${message.content}` };
    } else {
      merged.push(message);
    }
  }
  return merged;
}

/** The history for another model: thoughts that carry a provider's own signature mean nothing there. */
export function withoutSignedThoughts(messages: readonly Message[]): Message[] {
  return messages.flatMap((message): Message[] => {
    if (message.role !== 'assistant') return [message];
    const content = message.content.filter(
      (part) => part.type !== 'reasoning' || part.providerOptions === undefined,
    );
    return content.length > 0 ? [{ role: 'assistant', content }] : [];
  });
}

/**
 * Gives every tool call exactly one result message after it: an answer that is missing (the run was cut)
 * is filled in, one without a call is dropped. Endpoints refuse a history in which they do not match.
 */
export function matchResults(messages: readonly Message[]): Message[] {
  const matched: Message[] = [];
  for (const [position, message] of messages.entries()) {
    if (message.role === 'tool') continue;
    matched.push(message);
    if (message.role !== 'assistant') continue;
    const calls = message.content.filter((part) => part.type === 'tool-call');
    if (calls.length === 0) continue;
    const results = resultsAfter(messages, position);
    const content = calls.map(
      ({ toolCallId, toolName }) =>
        results.find((result) => result.toolCallId === toolCallId) ??
        resultPart({ id: toolCallId, name: toolName }, false, INTERRUPTED),
    );
    matched.push({ role: 'tool', content });
  }
  return matched;
}

function resultsAfter(messages: readonly Message[], position: number): ResultPart[] {
  const results: ResultPart[] = [];
  for (const message of messages.slice(position + 1)) {
    if (message.role !== 'tool') break;
    results.push(...message.content);
  }
  return results;
}

const INTERRUPTED =
  'This call was interrupted before its result was known. It may have had an effect: look before you repeat it.';

/** A rough count of the tokens of a history. */
export function estimateHistory(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(JSON.stringify(message.content)), 0);
}
