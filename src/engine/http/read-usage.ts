import * as z from 'zod';
import { disjointUsage, totalTokens, type Usage } from '../../job/cost.ts';
import type { Reported } from './usage.ts';

const COUNT = z.number().nonnegative().nullish().catch(null);
/** An object that may be missing, or be something else: then nothing is known. */
const details = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).nullish().catch(null);

/** The `usage` of a chat completion, with the fields in which OpenAI, OpenRouter, DeepSeek and Moonshot differ. */
const CHAT = z.object({
  usage: z.object({
    prompt_tokens: COUNT,
    completion_tokens: COUNT,
    total_tokens: COUNT,
    prompt_tokens_details: details({ cached_tokens: COUNT, cache_write_tokens: COUNT }),
    completion_tokens_details: details({ reasoning_tokens: COUNT }),
    prompt_cache_hit_tokens: COUNT,
    cached_tokens: COUNT,
    cost: COUNT,
  }),
});

/** OpenAI Responses: the last event, whatever the end. */
const RESPONSES = z.object({
  type: z.enum(['response.completed', 'response.incomplete', 'response.failed']),
  response: z.object({
    usage: z.object({
      input_tokens: COUNT,
      input_tokens_details: details({ cached_tokens: COUNT, cache_write_tokens: COUNT }),
      output_tokens: COUNT,
    }),
  }),
});

const ANTHROPIC_USAGE = z.object({
  input_tokens: COUNT,
  output_tokens: COUNT,
  cache_read_input_tokens: COUNT,
  cache_creation_input_tokens: COUNT,
  cache_creation: details({ ephemeral_5m_input_tokens: COUNT, ephemeral_1h_input_tokens: COUNT }),
  /** US dollars, where a router reports them. */
  cost: COUNT,
});
const ANTHROPIC = z.union([
  z.object({ type: z.literal('message_start'), message: z.object({ usage: ANTHROPIC_USAGE }) }),
  z.object({ type: z.literal('message_delta'), usage: ANTHROPIC_USAGE }),
]);

const GOOGLE = z.object({
  usageMetadata: z.object({
    promptTokenCount: COUNT,
    cachedContentTokenCount: COUNT,
    toolUsePromptTokenCount: COUNT,
    candidatesTokenCount: COUNT,
    thoughtsTokenCount: COUNT,
  }),
});

const BEDROCK = z.object({
  metadata: z.object({
    usage: z.object({
      inputTokens: COUNT,
      outputTokens: COUNT,
      cacheReadInputTokens: COUNT,
      cacheWriteInputTokens: COUNT,
    }),
  }),
});

/**
 * Reads the usage out of one raw chunk of a stream, whatever its protocol, on top of what earlier chunks said: a later
 * number takes an earlier one's place, so that usage in every chunk is counted once.
 */
export function readUsage(chunk: unknown, before: Reported | null): Reported | null {
  if (!hasOne(chunk, ['usage', 'usageMetadata', 'metadata', 'message', 'response'])) return before;
  // OpenAI's chat last: chunks of the others would pass for its own, without any count.
  for (const read of READERS) {
    const found = read(chunk, before);
    if (found !== null) return totalTokens(found.usage) === 0 && found.cost === null ? before : found;
  }
  return before;
}

type Reader = (chunk: unknown, before: Reported | null) => Reported | null;

const READERS: readonly Reader[] = [fromAnthropic, fromResponses, fromGoogle, fromBedrock, fromChat];

/** Its `input_tokens` leave the cache out already. Some compatible endpoints count only at the end. */
function fromAnthropic(chunk: unknown, before: Reported | null): Reported | null {
  const { data } = ANTHROPIC.safeParse(chunk);
  if (data === undefined) return null;
  const usage = data.type === 'message_start' ? data.message.usage : data.usage;
  const written = usage.cache_creation;
  const byAge = (written?.ephemeral_5m_input_tokens ?? 0) + (written?.ephemeral_1h_input_tokens ?? 0);
  const counted = {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens || byAge,
  };
  return { usage: onTop(counted, before), cost: usage.cost ?? before?.cost ?? null };
}

/** `output_tokens` have the reasoning in them, `input_tokens` the cache. */
function fromResponses(chunk: unknown): Reported | null {
  const usage = RESPONSES.safeParse(chunk).data?.response.usage;
  if (usage === undefined) return null;
  const counted = disjointUsage({
    prompt: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cacheRead: usage.input_tokens_details?.cached_tokens ?? 0,
    cacheWrite: usage.input_tokens_details?.cache_write_tokens ?? 0,
  });
  return { usage: counted, cost: null };
}

/** Prompt and cache overlap; thoughts stand beside the answer, and are paid as it is. Every chunk counts from the start. */
function fromGoogle(chunk: unknown, before: Reported | null): Reported | null {
  const usage = GOOGLE.safeParse(chunk).data?.usageMetadata;
  if (usage === undefined) return null;
  const counted = disjointUsage({
    prompt: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
    cacheRead: usage.cachedContentTokenCount ?? 0,
    cacheWrite: 0,
  });
  return { usage: onTop(counted, usage.promptTokenCount ? null : before), cost: null };
}

function fromBedrock(chunk: unknown, before: Reported | null): Reported | null {
  const usage = BEDROCK.safeParse(chunk).data?.metadata.usage;
  if (usage === undefined) return null;
  const counted = {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cacheReadInputTokens,
    cacheWrite: usage.cacheWriteInputTokens,
  };
  return { usage: onTop(counted, before), cost: null };
}

function fromChat(chunk: unknown, before: Reported | null): Reported | null {
  const usage = CHAT.safeParse(chunk).data?.usage;
  if (usage === undefined) return null;
  const inPrompt = usage.prompt_tokens_details;
  const counted = disjointUsage({
    prompt: usage.prompt_tokens ?? 0,
    output: chatOutput(usage),
    cacheRead: inPrompt?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? 0,
    cacheWrite: inPrompt?.cache_write_tokens ?? 0,
  });
  return { usage: counted, cost: usage.cost ?? before?.cost ?? null };
}

/** The reasoning is part of `completion_tokens`, but for xAI, where the total shows that it stands beside them. */
function chatOutput(usage: z.infer<typeof CHAT>['usage']): number {
  const completion = usage.completion_tokens ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  const isBeside = usage.total_tokens === (usage.prompt_tokens ?? 0) + completion + reasoning;
  return isBeside ? completion + reasoning : completion;
}

/** What a chunk leaves out, or counts as nothing, stays as it was. */
function onTop(
  counted: { readonly [K in keyof Usage]: number | null | undefined },
  before: Reported | null,
): Usage {
  const earlier = before?.usage;
  return {
    input: counted.input || earlier?.input || 0,
    output: counted.output || earlier?.output || 0,
    cacheRead: counted.cacheRead || earlier?.cacheRead || 0,
    cacheWrite: counted.cacheWrite || earlier?.cacheWrite || 0,
  };
}

const NAME = z.string().min(1).max(200);
/** The places in which the protocols name the model that answers. */
const ANSWERING = z.union([
  z.object({ model: NAME }).transform(({ model }) => model),
  z.object({ message: z.object({ model: NAME }) }).transform(({ message }) => message.model),
  z.object({ response: z.object({ model: NAME }) }).transform(({ response }) => response.model),
  z.object({ modelVersion: NAME }).transform(({ modelVersion }) => modelVersion),
]);

/** The model that answers, as one raw chunk names it; null for a chunk that names none. */
export function readModel(chunk: unknown): string | null {
  if (!hasOne(chunk, ['model', 'message', 'response', 'modelVersion'])) return null;
  return ANSWERING.safeParse(chunk).data ?? null;
}

/** There are thousands of chunks without: they are not parsed. */
function hasOne(chunk: unknown, names: readonly string[]): boolean {
  return typeof chunk === 'object' && chunk !== null && names.some((name) => name in chunk);
}
