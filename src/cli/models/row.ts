import type { Prices } from '../../job/cost.ts';
import type { CatalogueModel } from '../../provider/catalogue.ts';
import type { KnownModel, PriceSource } from '../../provider/prices.ts';

/** One model that could be used, or could be if there were a key. */
export interface ModelRow {
  /** `provider:model`. */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  /** US dollars per million tokens; null is unknown, 0 is free. */
  readonly prices: Prices | null;
  /** Who says what it costs; null: nobody. A subscription's calls have no price of their own. */
  readonly priceSource: PriceSource | 'user' | null;
  /** Tokens; null is unknown. */
  readonly contextWindow: number | null;
  readonly maxOutput: number | null;
  readonly isDefault: boolean;
  readonly isAllowed: boolean;
  /** Profiles that use it. */
  readonly profiles: readonly string[];
  readonly hasKey: boolean;
}

/** What a profile says of its own model. */
export interface ProfileModel {
  readonly profile: string;
  readonly provider: string;
  readonly model: string;
  readonly prices: Prices | null;
  readonly contextWindow: number | null;
}

export interface Known {
  readonly models: readonly Pick<CatalogueModel, 'provider' | 'id'>[];
  readonly profiles: readonly ProfileModel[];
  /** `provider:model`; null: there is none. */
  readonly defaultName: string | null;
  isAllowed(name: { readonly provider: string; readonly model: string }): boolean;
  hasKey(provider: string): boolean;
  /** What a job would take it to cost, and its sizes. */
  known(provider: string, model: string): KnownModel;
}

/**
 * All models, those a user is likely to want first: the default, those of profiles, those a key is there for; then by
 * price. What the user's profile says of a price holds against any list.
 */
export function modelRows(known: Known): ModelRow[] {
  const rows = new Map<string, ModelRow>();
  for (const { provider, id } of known.models) {
    rows.set(`${provider}:${id}`, row(known, { provider, model: id }));
  }
  for (const { profile, provider, model, prices, contextWindow } of known.profiles) {
    const name = `${provider}:${model}`;
    const listed = rows.get(name) ?? row(known, { provider, model });
    rows.set(name, {
      ...listed,
      ...(prices !== null && { prices, priceSource: 'user' as const }),
      contextWindow: contextWindow ?? listed.contextWindow,
      profiles: [...listed.profiles, profile],
    });
  }
  return [...rows.values()].sort(
    (a, b) => rank(a) - rank(b) || cost(a) - cost(b) || (a.name < b.name ? -1 : 1),
  );
}

function row(known: Known, of: { readonly provider: string; readonly model: string }): ModelRow {
  const name = `${of.provider}:${of.model}`;
  const { found, context, maxOutput } = known.known(of.provider, of.model);
  return {
    name,
    ...of,
    prices: found?.prices ?? null,
    priceSource: found?.source ?? null,
    contextWindow: context,
    maxOutput,
    isDefault: name === known.defaultName,
    isAllowed: known.isAllowed(of),
    profiles: [],
    hasKey: known.hasKey(of.provider),
  };
}

function rank({ isDefault, profiles, isAllowed, hasKey }: ModelRow): number {
  if (isDefault) return 0;
  if (profiles.length > 0) return 1;
  return 2 + (isAllowed ? 0 : 2) + (hasKey ? 0 : 1);
}

/** As agents use them: mostly input. Free ones are seldom to be had, so they come after those with a price. */
function cost({ prices }: ModelRow): number {
  if (prices === null) return Number.MAX_VALUE;
  const mixed = prices.input * 4 + prices.output;
  return mixed === 0 ? Number.MAX_VALUE / 2 : mixed;
}

/** Those whose name has all the words of the filter in it, whatever their case. */
export function matching(rows: readonly ModelRow[], filter: string): ModelRow[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}
