import { UserError } from '../../job/user-error.ts';
import { type Balance, openRouterBalance } from '../../provider/balance.ts';
import { shippedCatalogue } from '../../provider/catalogue.ts';
import { defaultProfile } from '../../provider/choose-model.ts';
import { readCredentials } from '../../provider/credentials.ts';
import { endpointOf, keyQuestion } from '../../provider/endpoint.ts';
import { findKey } from '../../provider/find-key.ts';
import { NO_LEGACY, readLegacyEnvironment } from '../../provider/legacy-environment.ts';
import {
  type HeardCatalogue,
  LISTED_PROVIDER as LISTED,
  liveCatalogue,
  shippedFor,
} from '../../provider/live-catalogue.ts';
import { findLogin, loginKindOf } from '../../provider/login/saved-logins.ts';
import { type KnownModel, priceBook } from '../../provider/prices.ts';
import { modelOf, type Profile } from '../../provider/profile.ts';
import { PROVIDERS } from '../../provider/providers.ts';
import { ownProfile } from '../../provider/reference.ts';
import { resolveModel } from '../../provider/resolve-model.ts';
import type { Settings } from '../../provider/settings.ts';
import type { VerbContext } from '../verb.ts';

/** Where a provider is asked, and with what. */
interface Access {
  readonly baseUrl: string;
  readonly key: string | null;
}

export interface Sources {
  readonly catalogues: readonly HeardCatalogue[];
  /** Providers with a key, or that need none. */
  readonly usable: ReadonlySet<string>;
  /** null: no balance could be asked for. */
  readonly balance: Balance | null;
  /** What a job would take a model to cost. */
  known(provider: string, model: string): KnownModel;
  readonly defaultName: string | null;
  /** Why a job could not be started with it now. */
  readonly noDefault: string | null;
}

/** Reads lists, keys and balance. Only a provider the user has a profile or a key for is asked, unless `refresh`. */
export async function readSources(
  context: VerbContext,
  settings: Settings,
  refresh: boolean,
): Promise<Sources> {
  const accesses = new Map(PROVIDERS.map(({ id }) => [id, accessesOf(context, settings, id)]));
  const listed = accesses.get(LISTED) ?? [];
  const own = listed.find(({ key }) => key !== null) ?? listed[0];
  const isUsed = own?.key !== null || profilesOf(settings, LISTED).length > 0;
  const [catalogue, balance, others] = await Promise.all([
    own !== undefined && (isUsed || refresh)
      ? liveCatalogue({ ...own, provider: LISTED, env: context.env, refresh, now: Date.now() })
      : shippedFor(LISTED),
    own !== undefined && own.key !== null ? openRouterBalance(own.baseUrl, own.key, context.env) : null,
    shippedOthers(),
  ]);
  const usable = [...accesses].filter(
    ([id, all]) => needsNoKey(id) || all.some(({ key }) => key !== null) || isLoggedIn(context, settings, id),
  );
  const catalogues = [catalogue, ...others];
  return {
    catalogues,
    usable: new Set(usable.map(([id]) => id)),
    balance,
    known: await knownOf(catalogues),
    ...defaultOf(context, settings),
  };
}

function needsNoKey(provider: string): boolean {
  const needs = PROVIDERS.find(({ id }) => id === provider)?.needsKey;
  return needs === 'never' || needs === 'depends';
}

function isLoggedIn({ env }: VerbContext, settings: Settings, provider: string): boolean {
  const kind = loginKindOf(provider);
  if (kind === null) return false;
  // What is wrong with the file was said when the keys were read.
  const credentials = readCredentials(env, () => undefined);
  const owners = [null, ...profilesOf(settings, provider).map(([name]) => name)];
  return owners.some((profile) => findLogin(credentials, kind, profile) !== null);
}

async function knownOf(catalogues: readonly HeardCatalogue[]): Promise<Sources['known']> {
  const books = await Promise.all(
    PROVIDERS.map(async ({ id }) => {
      const heard = catalogues.find(({ provider, source }) => provider === id && source !== 'shipped');
      return [id, await priceBook(id, heard ?? null)] as const;
    }),
  );
  const of = new Map(books);
  return (provider, model) => of.get(provider)?.(model) ?? { found: null, context: null, maxOutput: null };
}

async function shippedOthers(): Promise<HeardCatalogue[]> {
  const { models } = await shippedCatalogue();
  const names = new Set(models.map(({ provider }) => provider));
  return Promise.all([...names].filter((name) => name !== LISTED).map(shippedFor));
}

function profilesOf(settings: Settings, provider: string): (readonly [string, Profile])[] {
  return Object.entries(settings.profiles).filter(([, profile]) => profile.provider === provider);
}

/** One for each profile of the provider, the default one first, and one without. */
function accessesOf(context: VerbContext, settings: Settings, provider: string): Access[] {
  const { env } = context;
  const credentials = readCredentials(env, (line) => context.stderr(`cc-delegate: ${line}`));
  const hasProfiles = Object.keys(settings.profiles).length > 0;
  const legacy = (hasProfiles ? NO_LEGACY : readLegacyEnvironment(env)).key;
  const own = profilesOf(settings, provider).sort(
    ([a], [b]) => Number(b === settings.defaultProfile) - Number(a === settings.defaultProfile),
  );
  const choices: readonly (readonly [string | null, Profile | undefined])[] = [...own, [null, undefined]];
  return choices.flatMap(([name, profile]) => {
    const reference = { provider, model: profile === undefined ? '' : modelOf(profile), profile: name };
    try {
      const endpoint = endpointOf(reference, profile);
      const { key } = findKey(keyQuestion(reference, profile, endpoint).key, credentials, env, legacy);
      return [{ baseUrl: endpoint.baseUrl, key }];
    } catch (error) {
      // A provider that only a profile can bring to life has nothing without one.
      if (!(error instanceof UserError)) throw error;
      return [];
    }
  });
}

function defaultOf(context: VerbContext, settings: Settings): Pick<Sources, 'defaultName' | 'noDefault'> {
  try {
    const { name } = resolveModel({}, settings, context.env, () => undefined);
    return { defaultName: name, noDefault: null };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const name = defaultProfile(settings);
    const profile = name === null ? undefined : ownProfile(settings.profiles, name);
    const defaultName = profile === undefined ? null : `${profile.provider}:${modelOf(profile)}`;
    return { defaultName, noDefault: error.explanation.what };
  }
}
