import * as z from 'zod';
import type { Prices } from '../job/cost.ts';
import { pricesSchema } from '../store/prices-schema.ts';

/** A model that can use tools, as a list of models tells of it. */
export interface CatalogueModel {
  readonly provider: string;
  /** As the provider wants it in a request. */
  readonly id: string;
  /** Tokens; null: unknown. */
  readonly context: number | null;
  readonly maxOutput: number | null;
  /** null: unknown, or not the same for all requests. A free model has 0. */
  readonly prices: Prices | null;
}

const tokens = z.number().int().positive().nullable();

const modelSchema = z.object({
  provider: z.string(),
  id: z.string(),
  context: tokens,
  maxOutput: tokens,
  prices: pricesSchema.nullable(),
});

/** A list of models in a file: the one that is shipped, and what was last heard of a provider. */
export const storedCatalogueSchema = z.object({
  schema: z.literal(1),
  /** When it was taken, ISO 8601 UTC. */
  at: z.iso.datetime(),
  models: z.array(modelSchema),
});

export type StoredModel = z.infer<typeof modelSchema>;
export type StoredCatalogue = z.infer<typeof storedCatalogueSchema>;

/** The list that is shipped. It works without a network, and is as old as the release. */
export function shippedCatalogue(): Promise<StoredCatalogue> {
  shipped ??= readShipped();
  return shipped;
}

/** Read once in a process: some look up many models in it. */
let shipped: Promise<StoredCatalogue> | undefined;

async function readShipped(): Promise<StoredCatalogue> {
  const { default: snapshot } = await import('./catalogue-snapshot.json', { with: { type: 'json' } });
  return storedCatalogueSchema.parse(snapshot);
}

const price = z.string().or(z.number()).optional().nullable();

/**
 * `GET <base>/models` of OpenRouter (https://openrouter.ai/docs/models, November 2026): prices are texts, US dollars a
 * token, -1 where they depend on the request; `supported_parameters` has `tools` for a model that can use them.
 */
const wireSchema = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1).max(200),
      context_length: z.number().nullish(),
      supported_parameters: z.array(z.string()).nullish(),
      top_provider: z.object({ max_completion_tokens: z.number().nullish() }).nullish(),
      pricing: z
        .object({ prompt: price, completion: price, input_cache_read: price, input_cache_write: price })
        .nullish(),
    }),
  ),
});

/** The models in such an answer that can use tools; null when it is of another form. */
export function fromWire(provider: string, answer: unknown): StoredModel[] | null {
  const parsed = wireSchema.safeParse(answer);
  if (!parsed.success) return null;
  return parsed.data.data
    .filter(({ supported_parameters }) => supported_parameters?.includes('tools') ?? false)
    .map(({ id, context_length, top_provider, pricing }) => ({
      provider,
      id,
      context: positive(context_length),
      maxOutput: positive(top_provider?.max_completion_tokens),
      prices: pricesOf(pricing ?? {}),
    }));
}

type WirePricing = NonNullable<z.infer<typeof wireSchema>['data'][number]['pricing']>;

function pricesOf(pricing: Partial<WirePricing>): StoredModel['prices'] {
  const input = perMillion(pricing.prompt);
  const output = perMillion(pricing.completion);
  if (input === undefined || output === undefined) return null;
  const cacheRead = perMillion(pricing.input_cache_read);
  const cacheWrite = perMillion(pricing.input_cache_write);
  return {
    input,
    output,
    // A cache that costs nothing is a price nobody has set.
    ...(cacheRead !== undefined && cacheRead > 0 && { cacheRead }),
    ...(cacheWrite !== undefined && cacheWrite > 0 && { cacheWrite }),
  };
}

/** Rounded to a millionth of a dollar, so that 0.00000015 a token is 0.15. undefined: unknown. */
function perMillion(text: string | number | null | undefined): number | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? Math.round(value * 1e12) / 1e6 : undefined;
}

function positive(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && Number.isInteger(value) && value > 0 ? value : null;
}
