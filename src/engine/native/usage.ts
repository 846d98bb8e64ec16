import * as z from 'zod';
import { disjointUsage, priceUsage, type Spend, totalTokens, type Usage } from '../../job/cost.ts';
import type { ModelRef } from '../engine.ts';

/** What the endpoint itself said about a request. `cost` in US dollars, null where it names none. */
export interface Reported {
  readonly usage: Usage;
  readonly cost: number | null;
}

const COUNT = z.number().nonnegative().nullish().catch(null);

/** The `usage` of a chat completion, with the fields in which OpenAI, OpenRouter, DeepSeek and Moonshot differ. */
const OPENAI_CHUNK = z.object({
  usage: z.object({
    prompt_tokens: COUNT,
    completion_tokens: COUNT,
    prompt_tokens_details: z
      .object({ cached_tokens: COUNT, cache_write_tokens: COUNT })
      .nullish()
      .catch(null),
    prompt_cache_hit_tokens: COUNT,
    cached_tokens: COUNT,
    cost: COUNT,
  }),
});

const ANTHROPIC_USAGE = z.object({
  input_tokens: COUNT,
  output_tokens: COUNT,
  cache_read_input_tokens: COUNT,
  cache_creation_input_tokens: COUNT,
});
const ANTHROPIC_CHUNK = z.union([
  z.object({ type: z.literal('message_start'), message: z.object({ usage: ANTHROPIC_USAGE }) }),
  z.object({ type: z.literal('message_delta'), usage: ANTHROPIC_USAGE }),
]);

/**
 * Reads the usage out of one raw chunk of a stream, on top of what earlier chunks said: a later number takes
 * an earlier one's place, so that usage in every chunk is counted once.
 */
export function readUsage(chunk: unknown, before: Reported | null): Reported | null {
  // Anthropic's first: its last chunk would also pass for OpenAI's, without any count.
  const anthropic = ANTHROPIC_CHUNK.safeParse(chunk);
  if (anthropic.success) {
    const { data } = anthropic;
    return fromAnthropic(data.type === 'message_start' ? data.message.usage : data.usage, before);
  }
  const openAi = OPENAI_CHUNK.safeParse(chunk);
  return openAi.success ? fromOpenAi(openAi.data.usage, before) : before;
}

function fromOpenAi(usage: z.infer<typeof OPENAI_CHUNK>['usage'], before: Reported | null): Reported | null {
  const details = usage.prompt_tokens_details;
  const counted = disjointUsage({
    prompt: usage.prompt_tokens ?? 0,
    output: usage.completion_tokens ?? 0,
    cacheRead: details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? 0,
    cacheWrite: details?.cache_write_tokens ?? 0,
  });
  const cost = usage.cost ?? before?.cost ?? null;
  return totalTokens(counted) === 0 && cost === null ? before : { usage: counted, cost };
}

/** Anthropic's `input_tokens` leave the cache out already. Some compatible endpoints count only at the end. */
function fromAnthropic(usage: z.infer<typeof ANTHROPIC_USAGE>, before: Reported | null): Reported | null {
  const counted: Usage = {
    input: usage.input_tokens || before?.usage.input || 0,
    output: usage.output_tokens || before?.usage.output || 0,
    cacheRead: usage.cache_read_input_tokens || before?.usage.cacheRead || 0,
    cacheWrite: usage.cache_creation_input_tokens || before?.usage.cacheWrite || 0,
  };
  return totalTokens(counted) === 0 ? before : { usage: counted, cost: null };
}

/** What one request is charged with. `estimated`: the tokens are counted from the text, not reported. */
export interface Billing {
  readonly usage: Usage;
  readonly cost: number | null;
  readonly estimated: boolean;
}

/**
 * The charge of a request. Without a report the estimates stand in; a request that broke off is charged
 * with at least the output that was received, since its last count never came.
 */
export function billingOf(
  reported: Reported | null,
  estimate: { readonly input: number; readonly output: number },
  complete: boolean,
): Billing {
  if (reported === null) {
    return { usage: { ...estimate, cacheRead: 0, cacheWrite: 0 }, cost: null, estimated: true };
  }
  const { usage, cost } = reported;
  if (complete || usage.output >= estimate.output) return { usage, cost, estimated: false };
  return { usage: { ...usage, output: estimate.output }, cost, estimated: true };
}

/** The charge in money: what the endpoint reported, else the model's prices, else null and never 0. */
export function spendOf(billing: Billing, model: ModelRef): Spend {
  const { usage, cost } = billing;
  if (cost !== null) return { usage, usd: cost, basis: 'reported' };
  if (model.prices === null) return { usage, usd: null, basis: 'unknown' };
  return { usage, usd: priceUsage(usage, model.prices), basis: model.priceBasis ?? 'user' };
}
