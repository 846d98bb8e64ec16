/** Tokens of one or many calls. Disjoint: `input` excludes what was read from or written to a cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** US dollars per million tokens. A price that is not known is absent; a free one is 0. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  /** Other prices for requests with a longer prompt, the lowest bound first; the whole request has them. */
  readonly tiers?: readonly PriceTier[] | undefined;
}

/** Prices of a request whose prompt, cached tokens included, is longer than `above` tokens. */
export interface PriceTier extends Omit<Prices, 'tiers'> {
  readonly above: number;
}

/** Where an amount of money comes from; `unknown` goes with null, never with 0. */
export const COST_BASES = ['reported', 'table', 'user', 'subscription', 'partial', 'unknown'] as const;
export type CostBasis = (typeof COST_BASES)[number];

/** What has been spent. `usd` is null when no part of it has a price; `partial` when only some has. */
export interface Spend {
  readonly usage: Usage;
  readonly usd: number | null;
  readonly basis: CostBasis;
}

export const NO_SPEND: Spend = { usage: NO_USAGE, usd: 0, basis: 'reported' };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

export function totalTokens(usage: Usage): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

/**
 * Most providers count cached tokens inside the prompt. This takes them out, and never goes below 0
 * when a provider reports more cached than prompt tokens.
 */
export function disjointUsage(inclusive: {
  prompt: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}): Usage {
  const { prompt, output, cacheRead, cacheWrite } = inclusive;
  return { input: Math.max(0, prompt - cacheRead - cacheWrite), output, cacheRead, cacheWrite };
}

/**
 * US dollars for the tokens of one request; a cache without a price of its own costs what input costs. Not for a sum of
 * requests where prices have tiers: each request's own length says which prices it has.
 */
export function priceUsage(usage: Usage, prices: Prices): number {
  const million = 1_000_000;
  const at = pricesAt(prices, usage.input + usage.cacheRead + usage.cacheWrite);
  const cacheRead = at.cacheRead ?? at.input;
  const cacheWrite = at.cacheWrite ?? at.input;
  const micro =
    usage.input * at.input +
    usage.output * at.output +
    usage.cacheRead * cacheRead +
    usage.cacheWrite * cacheWrite;
  return micro / million;
}

/** The prices of a request with a prompt of so many tokens, cached ones included. */
function pricesAt(prices: Prices, prompt: number): Omit<Prices, 'tiers'> {
  return prices.tiers?.findLast(({ above }) => prompt > above) ?? prices;
}

/** Adds one call to what was spent. An unpriced call makes a known sum partial, never smaller. */
export function addSpend(sum: Spend, call: Spend): Spend {
  const usage = addUsage(sum.usage, call.usage);
  const first = totalTokens(sum.usage) === 0;
  if (call.usd === null) {
    if (totalTokens(call.usage) === 0) return { ...sum, usage };
    return first ? { usage, usd: null, basis: 'unknown' } : { usage, usd: sum.usd, basis: mixed(sum) };
  }
  if (sum.usd === null) return { usage, usd: call.usd, basis: 'partial' };
  const basis = first || sum.basis === call.basis ? call.basis : mixedKnown(sum.basis, call.basis);
  return { usage, usd: sum.usd + call.usd, basis };
}

function mixed(sum: Spend): CostBasis {
  return sum.usd === null ? 'unknown' : 'partial';
}

/** Two known sources: the weaker word stands for the sum. */
function mixedKnown(a: CostBasis, b: CostBasis): CostBasis {
  const weakness: readonly CostBasis[] = ['reported', 'subscription', 'user', 'table', 'partial', 'unknown'];
  return weakness.indexOf(a) > weakness.indexOf(b) ? a : b;
}
