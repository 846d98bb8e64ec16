import type { FoundPrices } from '../../provider/prices.ts';
import type { ReadyModel } from '../../provider/resolve-model.ts';

/** A price per million tokens: cents at least, and below a dollar three digits that count. */
export function perMillion(usd: number): string {
  const exact = String(Number(usd.toPrecision(3)));
  return usd >= 1 || exact.length < 4 ? usd.toFixed(2) : exact;
}

interface Priced {
  readonly endpoint: Pick<ReadyModel['endpoint'], 'provider' | 'prices'>;
  readonly priced?: ReadyModel['priced'];
}

/** `$0.30 in / $1.20 out per M, more above 200k (openrouter's list of 2026-11-29)`. */
export function priceWords({ endpoint, priced }: Priced): string {
  const { prices, provider } = endpoint;
  if (prices === null) return 'unknown';
  const source = priced === undefined ? 'as you have set it' : sourceWords(provider, priced);
  if (priced?.source === 'subscription') return source;
  if (prices.input === 0 && prices.output === 0) return `free, ${source}`;
  const [tier] = prices.tiers ?? [];
  const more = tier === undefined ? '' : `, more above ${Math.round(tier.above / 1000)}k`;
  return `$${perMillion(prices.input)} in / $${perMillion(prices.output)} out per M${more} (${source})`;
}

function sourceWords(provider: string, { source, at }: Pick<FoundPrices, 'source' | 'at'>): string {
  const day = at === undefined ? '' : ` of ${at.slice(0, 10)}`;
  switch (source) {
    case 'live':
      return `${provider}'s list${day}`;
    case 'genai-prices':
      return 'genai-prices';
    case 'snapshot':
      return `shipped list${day}`;
    case 'subscription':
      return `part of your ${provider} plan`;
    case 'free':
      return `nobody charges at ${provider}`;
  }
}
