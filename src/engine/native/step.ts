import type { ModelMessage, TextStreamPart, ToolSet } from 'ai';
import * as z from 'zod';
import type { Role, ToolDefinition } from '../engine.ts';
import { classify, failureFacts, type RequestError } from '../http/errors.ts';
import { watchRequest } from '../http/idle.ts';
import { readModel, readUsage } from '../http/read-usage.ts';
import { type Billing, billingOf, estimateTokens, type Reported } from '../http/usage.ts';
import { type AssistantPart, assistantParts, type Message, mergeUsers } from './messages.ts';
import type { OpenedModel } from './models.ts';

/** What the model is asked. */
export interface Question {
  readonly role: Role;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Tokens; the model's own limit where absent. */
  readonly maxOutput?: number | undefined;
}

/** A tool call as the model made it; `input` is text when it is no JSON. */
export interface RawCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly malformed: boolean;
}

/** The four real ends of an answer; everything else is a stream that broke. */
const FINISHES = ['stop', 'tool-calls', 'length', 'content-filter'] as const;
export type Finish = (typeof FINISHES)[number];

export interface Answer {
  readonly parts: readonly AssistantPart[];
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly finish: Finish;
}

/** `answered`: the model that did, as the endpoint names it; null where it names none. */
export type StepResult = { readonly answered: string | null } & (
  | { readonly kind: 'answer'; readonly answer: Answer; readonly billing: Billing }
  | { readonly kind: 'aborted'; readonly billing: Billing | null }
  | { readonly kind: 'failed'; readonly error: RequestError; readonly billing: Billing | null }
);

export interface StepOptions {
  readonly signal: AbortSignal;
  readonly idleMs: number;
  readonly nowMs: number;
  onDelta(kind: 'text' | 'thinking' | 'arguments', delta: string): void;
}

/** Makes exactly one request and reads its stream to the end. Never throws for what the endpoint or the network does. */
export async function runStep(
  opened: OpenedModel,
  question: Question,
  options: StepOptions,
): Promise<StepResult> {
  const watch = watchRequest(options.signal, options.idleMs);
  const seen = newSeen();
  try {
    const result = startStream(opened, question, watch.signal);
    for await (const part of result.fullStream) {
      if (part.type !== 'raw') watch.beat();
      look(part, seen, options.onDelta);
      if (seen.error !== null) break;
    }
    const finish = FINISHES.find((name) => name === seen.finish);
    if (seen.error === null && finish !== undefined) {
      const { messages } = await result.response;
      const parts = messages.flatMap((message) =>
        message.role === 'assistant' && typeof message.content !== 'string'
          ? assistantParts(message.content)
          : [],
      );
      const answer = { parts, text: seen.text, calls: seen.calls, finish };
      const { answered } = seen;
      return { kind: 'answer', answer, billing: bill(seen, question, true), answered };
    }
  } catch (error) {
    seen.error ??= { error };
  } finally {
    watch.end();
  }
  const billing = seen.reported !== null || seen.outputLength > 0 ? bill(seen, question, false) : null;
  const { answered } = seen;
  if (options.signal.aborted) return { kind: 'aborted', billing, answered };
  return { kind: 'failed', error: explain(seen, watch.idle(), options), billing, answered };
}

function startStream(opened: OpenedModel, question: Question, signal: AbortSignal) {
  const { sdk, model, maxOutput, options, cacheMark } = opened;
  const tools: ToolSet = {};
  for (const { name, description, input } of question.tools) {
    // Only the form of the arguments goes to the model; they are checked by us, and run by us.
    tools[name] = sdk.tool({ description, inputSchema: sdk.jsonSchema(toolSchema(input)) });
  }
  const limit = Math.min(
    question.maxOutput ?? Number.POSITIVE_INFINITY,
    maxOutput ?? Number.POSITIVE_INFINITY,
  );
  // On the system message and the last one.
  const cached = cacheMark === undefined ? {} : { providerOptions: cacheMark };
  return sdk.streamText({
    model,
    system: { role: 'system', content: question.system, ...cached },
    messages: markLast(mergeUsers(question.messages), cached),
    ...(options !== undefined && { providerOptions: options }),
    ...(question.tools.length > 0 && { tools }),
    ...(Number.isFinite(limit) && { maxOutputTokens: limit }),
    maxRetries: 0,
    includeRawChunks: true,
    abortSignal: signal,
    headers: { 'x-cc-delegate-role': question.role },
    // The error comes through the stream as well; without this the library prints it.
    onError: () => undefined,
  });
}

function markLast(messages: readonly Message[], mark: object): ModelMessage[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, ...mark } : message,
  );
}

/** A zod schema as the JSON schema the model is shown. */
export function toolSchema(input: z.ZodType): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema;
}

interface Seen {
  text: string;
  outputLength: number;
  calls: RawCall[];
  finish: string | null;
  reported: Reported | null;
  answered: string | null;
  error: { readonly error: unknown } | null;
}

function newSeen(): Seen {
  return { text: '', outputLength: 0, calls: [], finish: null, reported: null, answered: null, error: null };
}

function look(part: TextStreamPart<ToolSet>, seen: Seen, onDelta: StepOptions['onDelta']): void {
  switch (part.type) {
    case 'text-delta':
      seen.text += part.text;
      seen.outputLength += part.text.length;
      onDelta('text', part.text);
      return;
    case 'reasoning-delta':
      seen.outputLength += part.text.length;
      onDelta('thinking', part.text);
      return;
    case 'tool-input-delta':
      seen.outputLength += part.delta.length;
      onDelta('arguments', part.delta);
      return;
    case 'tool-call': {
      const malformed = part.invalid === true && typeof part.input === 'string';
      seen.calls.push({ id: part.toolCallId, name: part.toolName, input: part.input, malformed });
      return;
    }
    case 'raw':
      seen.reported = readUsage(part.rawValue, seen.reported);
      seen.answered ??= readModel(part.rawValue);
      return;
    case 'finish':
      seen.finish = part.finishReason;
      return;
    case 'error':
      seen.error ??= { error: part.error };
      return;
    default:
      return;
  }
}

function bill(seen: Seen, question: Question, complete: boolean): Billing {
  const asked = JSON.stringify([question.system, question.messages]);
  const estimate = { input: estimateTokens(asked), output: Math.ceil(seen.outputLength / 4) };
  return billingOf(seen.reported, estimate, complete);
}

function explain(seen: Seen, idle: boolean, { idleMs, nowMs }: StepOptions): RequestError {
  if (idle) {
    return classify({ status: null, headers: {}, text: `no answer for ${idleMs / 1000} s` }, nowMs);
  }
  if (seen.error !== null) return classify(failureFacts(seen.error.error), nowMs);
  const text = `the answer ended without a finish (${seen.finish ?? 'none'})`;
  return classify({ status: null, headers: {}, text }, nowMs);
}
