import type { Prices } from '../job/cost.ts';
import type { PathEnvironment } from '../store/paths.ts';
import { shippedCatalogue } from './catalogue.ts';
import { heardPrices } from './live-catalogue.ts';
import { type ListedPrice, type PriceList, priceList } from './price-list.ts';
import { isFreeRoute } from './price-names.ts';
import { packagePrices } from './price-package.ts';
import { findProvider } from './providers.ts';

/**
 * Who says so. `live`: the provider's own list. `genai-prices`: the package of that name. `snapshot`: the list that is
 * shipped. `subscription`: no call has a price of its own. `free`: nobody charges.
 */
export type PriceSource = 'live' | 'genai-prices' | 'snapshot' | 'subscription' | 'free';

export interface FoundPrices {
  readonly prices: Prices;
  readonly source: PriceSource;
  /** When the list was taken, ISO 8601 UTC; absent where it bears no date. */
  readonly at?: string | undefined;
}

/** What lists say of a model. */
export interface KnownModel {
  /** null: nobody knows; never 0. */
  readonly found: FoundPrices | null;
  /** Tokens; null: unknown. */
  readonly context: number | null;
  readonly maxOutput: number | null;
}

interface PriceQuery {
  readonly provider: string;
  readonly model: string;
  /** Where a list that was heard is kept; null: none is read. */
  readonly env: PathEnvironment | null;
  /** Another endpoint than the provider's own: what was heard elsewhere is not its list. */
  readonly baseUrl?: string | undefined;
}

/** Models of one provider as they were heard of it, and when. */
interface HeardPrices {
  readonly at: string;
  readonly models: readonly ListedPrice[];
}

const NOTHING: Prices = { input: 0, output: 0 };
const UNKNOWN: KnownModel = { found: null, context: null, maxOutput: null };

/**
 * What a model costs where the user does not say: the provider's own list, as it was last heard; then the package; then
 * the shipped list. null: unknown. Reads files only, and asks nobody.
 */
export async function pricesFor(query: PriceQuery): Promise<FoundPrices | null> {
  return (await knownModel(query)).found;
}

/** The same, with the model's sizes. */
export async function knownModel(query: PriceQuery): Promise<KnownModel> {
  const heard = query.env === null ? null : heardPrices(query.provider, query.env, query.baseUrl);
  const book = await priceBook(query.provider, heard);
  return book(query.model);
}

/** All that is known of one provider's models, to look many up. `heard`: its own list; null: none. */
export async function priceBook(
  provider: string,
  heard: HeardPrices | null,
): Promise<(model: string) => KnownModel> {
  const lists = await listsOf(provider, heard);
  const billing = findProvider(provider)?.billing;
  return (model) => {
    const listed = lookUp(lists, model);
    const { context, maxOutput } = listed;
    if (billing === 'free' || billing === 'subscription') {
      return { found: { prices: NOTHING, source: billing }, context, maxOutput };
    }
    if (isFreeRoute(provider, model))
      return { found: { prices: NOTHING, source: 'free' }, context, maxOutput };
    return listed;
  };
}

interface SourcedList {
  readonly source: PriceSource;
  readonly at?: string | undefined;
  readonly list: PriceList;
}

async function listsOf(provider: string, heard: HeardPrices | null): Promise<SourcedList[]> {
  // Of the user's own endpoints, and of what runs on this machine, no list knows.
  const needsKey = findProvider(provider)?.needsKey;
  if (needsKey === 'never' || needsKey === 'depends') return [];
  const before = bundled.get(provider) ?? indexBundled(provider);
  bundled.set(provider, before);
  const { at, lists } = await before;
  // One that is older than this program knows less than what came with it.
  if (heard === null || heard.at < at) return lists;
  return [{ source: 'live', at: heard.at, list: priceList(provider, heard.models) }, ...lists];
}

/** The lists that come with the program, indexed once for each provider: some look up many models in them. */
const bundled = new Map<string, ReturnType<typeof indexBundled>>();

async function indexBundled(provider: string): Promise<{ at: string; lists: SourcedList[] }> {
  const [listed, { at, models }] = await Promise.all([
    packagePrices(provider, Date.now()),
    shippedCatalogue(),
  ]);
  const shipped = models.filter((model) => model.provider === provider);
  const lists: SourcedList[] = [
    { source: 'genai-prices', list: priceList(provider, listed) },
    { source: 'snapshot', at, list: priceList(provider, shipped) },
  ];
  return { at, lists };
}

/** A model's own entry in any list comes before that of the model it is a build of in a better one. */
function lookUp(lists: readonly SourcedList[], model: string): KnownModel {
  const exact = lists.map(({ list, ...from }) => ({ ...from, listed: list.exact(model) }));
  const builds = lists.map(({ list, ...from }) => ({ ...from, listed: list.build(model) }));
  const entries = [...exact, ...builds].flatMap(({ listed, ...from }) =>
    listed === null ? [] : [{ ...from, ...listed }],
  );
  const [first] = entries;
  // The provider itself has no one price for it.
  const isOpen = first?.source === 'live' && first.prices === null;
  const priced = isOpen ? undefined : entries.find(({ prices }) => prices !== null);
  const found = priced?.prices ? { prices: priced.prices, source: priced.source, at: priced.at } : null;
  if (entries.length === 0) return UNKNOWN;
  return {
    found,
    context: entries.find(({ context }) => context !== null)?.context ?? null,
    maxOutput: entries.find(({ maxOutput }) => maxOutput !== null)?.maxOutput ?? null,
  };
}
