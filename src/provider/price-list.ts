import { isDeepStrictEqual } from 'node:util';
import type { Prices } from '../job/cost.ts';
import { baseName, plainName } from './price-names.ts';

/** A model as a list names it. */
export interface ListedPrice {
  readonly id: string;
  /** null: the list has the model, and no price. */
  readonly prices: Prices | null;
  /** Tokens. */
  readonly context: number | null;
  readonly maxOutput: number | null;
}

/** A list of one provider's models, to look names up in. */
export interface PriceList {
  /** The model of just this name; null when there is none. */
  exact(model: string): ListedPrice | null;
  /** The model this name is a dated build of, or whose only build it is. */
  build(model: string): ListedPrice | null;
}

/** Indexes a list. Of two entries with one name the first holds. */
export function priceList(provider: string, models: readonly ListedPrice[]): PriceList {
  const exact = new Map<string, ListedPrice>();
  const builds = new Map<string, ListedPrice[]>();
  for (const model of models) {
    const name = model.id.toLowerCase();
    if (!exact.has(name)) exact.set(name, model);
    const base = baseName(provider, model.id);
    builds.set(base, [...(builds.get(base) ?? []), model]);
  }
  return {
    exact: (model) => exact.get(model.trim().toLowerCase()) ?? exact.get(plainName(provider, model)) ?? null,
    build: (model) => {
      const base = baseName(provider, model);
      const undated = exact.get(base);
      if (undated !== undefined) return undated;
      const [first, ...others] = builds.get(base) ?? [];
      // Builds with different prices: nobody knows which one is meant.
      const agree = others.every(({ prices }) => isDeepStrictEqual(prices, first?.prices));
      return first !== undefined && agree ? first : null;
    },
  };
}
