import type { ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import type { Prices } from '../job/cost.ts';
import type { ListedPrice } from './price-list.ts';

/** Our names of providers, and those of the package @pydantic/genai-prices. */
const PACKAGE_NAMES: Readonly<Record<string, string>> = {
  openrouter: 'openrouter',
  anthropic: 'anthropic',
  openai: 'openai',
  deepseek: 'deepseek',
  minimax: 'minimax',
  moonshot: 'moonshotai',
  zai: 'zai',
  google: 'google',
  vertex: 'google',
  xai: 'x-ai',
  groq: 'groq',
  mistral: 'mistral',
  bedrock: 'aws',
  azure: 'azure',
};

/** A file of prices is big, and most commands need none: it is read where one is asked for. */
type Package = typeof import('@pydantic/genai-prices');

/**
 * What the package says of a provider's models. Only names that it spells out are taken: its patterns (`starts with
 * gpt-4o-audio`) would also price models that did not exist when they were written. `now`: milliseconds since 1970.
 */
export async function packagePrices(provider: string, now: number): Promise<ListedPrice[]> {
  const providerId = PACKAGE_NAMES[provider];
  if (providerId === undefined) return [];
  const { findProvider }: Package = await import('@pydantic/genai-prices');
  const listed = findProvider({ providerId })?.models ?? [];
  return listed.flatMap((model) => {
    const prices = pricesNow(model, now);
    const facts = { prices, context: model.context_window ?? null, maxOutput: null };
    return namesOf(model).map((id) => ({ id, ...facts }));
  });
}

function namesOf({ id, match }: ModelInfo): string[] {
  return [...new Set([id, ...spelledOut(match)])];
}

function spelledOut(match: ModelInfo['match']): string[] {
  if ('or' in match) return match.or.flatMap(spelledOut);
  return 'equals' in match ? [match.equals] : [];
}

/**
 * The prices of today. Where they change with the hour, the dearest: a job may run into that hour, and its budget must
 * hold. null: no price of text, or one that another amount comes on top of.
 */
function pricesNow({ id, prices }: ModelInfo, now: number): Prices | null {
  if (!Array.isArray(prices)) return toPrices(id, prices);
  const possible: ModelPrice[] = [];
  for (const { constraint, prices: each } of [...prices].reverse()) {
    if (constraint?.type === 'start_date' && now < Date.parse(constraint.start_date)) continue;
    possible.push(each);
    if (constraint?.type !== 'time_of_date') break;
  }
  const known = possible.map((each) => toPrices(id, each)).filter((each) => each !== null);
  return known.toSorted((a, b) => b.input + b.output - a.input - a.output)[0] ?? null;
}

const KEYS = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok'] as const;

function toPrices(id: string, listed: ModelPrice): Prices | null {
  const hasExtra = listed.output_reasoning_mtok !== undefined || listed.requests_kcount !== undefined;
  const base = pricesAbove(listed, -1);
  if (base === null || hasExtra) return null;
  // Nobody gives a model away without saying so: a list has 0 where it knows nothing.
  if (base.input === 0 && base.output === 0 && !id.endsWith(':free')) return null;
  const bounds = KEYS.flatMap((key) => tiersOf(listed[key]).map(({ start }) => start));
  const tiers = [...new Set(bounds)]
    .sort((a, b) => a - b)
    .flatMap((above) => {
      const prices = pricesAbove(listed, above);
      return prices === null ? [] : [{ above, ...prices }];
    });
  return tiers.length === 0 ? base : { ...base, tiers };
}

/** Of a request that is longer than this; -1: of any. */
function pricesAbove(listed: ModelPrice, above: number): Omit<Prices, 'tiers'> | null {
  const [input, output, cacheRead, cacheWrite] = KEYS.map((key) => priceAbove(listed[key], above));
  if (input === undefined || output === undefined) return null;
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

function priceAbove(price: ModelPrice[string], above: number): number | undefined {
  if (typeof price !== 'object') return price;
  return tiersOf(price).findLast(({ start }) => start <= above)?.price ?? price.base;
}

function tiersOf(price: ModelPrice[string]): readonly { readonly start: number; readonly price: number }[] {
  return typeof price === 'object' ? [...price.tiers].sort((a, b) => a.start - b.start) : [];
}
