import { type CostBasis, type Prices, priceUsage, type Spend } from '../../job/cost.ts';
import { isSameModel } from '../../provider/price-names.ts';
import type { ModelRef } from '../engine.ts';
import type { Billing } from './usage.ts';

/** What a request cost, and with which prices that was worked out; null where it was not: reported, or unknown. */
interface Charge {
  readonly spend: Spend;
  readonly prices: Prices | null;
}

/**
 * The charge in money: what the endpoint reported; else the prices of the model that answered; else null and never 0.
 * `answered`: as the endpoint names it.
 */
export async function spendOf({ usage, cost }: Billing, model: ModelRef, answered: string): Promise<Charge> {
  if (model.priceBasis === 'subscription') {
    return { spend: { usage, usd: 0, basis: 'subscription' }, prices: model.prices };
  }
  if (cost !== null) return { spend: { usage, usd: cost, basis: 'reported' }, prices: null };
  const { prices, basis } = await pricesOfAnswer(model, answered);
  if (prices === null) return { spend: { usage, usd: null, basis: 'unknown' }, prices };
  return { spend: { usage, usd: priceUsage(usage, prices), basis }, prices };
}

/**
 * What the user has set is for all that comes of this model's name: a router's or a proxy's is often not the one of what
 * works behind it. What a list says is for the model it names, so another one that answers is looked up there too.
 */
async function pricesOfAnswer(
  model: ModelRef,
  answered: string,
): Promise<{ readonly prices: Prices | null; readonly basis: CostBasis }> {
  const { provider, prices, priceBasis = 'user' } = model;
  const isUsers = prices !== null && priceBasis === 'user';
  const isAsked = answered === model.model || isSameModel(provider, model.model, answered);
  if (isUsers || isAsked) return { prices, basis: priceBasis };
  const { pricesFor } = await import('../../provider/prices.ts');
  const found = await pricesFor({ provider, model: answered, env: null });
  return { prices: found?.prices ?? null, basis: 'table' };
}
