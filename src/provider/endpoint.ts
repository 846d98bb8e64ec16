import type * as z from 'zod';
import type { Prices } from '../job/cost.ts';
import { EXIT, UserError } from '../job/user-error.ts';
import type { CloudAccess, Login } from './access.ts';
import { modelText } from './allowed-models.ts';
import { hostOf, isLoopback, requestBase } from './base-url.ts';
import { dataPolicyBody } from './data-policy.ts';
import type { EngineName } from './engine-name.ts';
import type { KeyQuestion } from './find-key.ts';
import { KEY_HEADERS } from './key-header.ts';
import { modelOf, type Profile } from './profile.ts';
import { findProvider, PROVIDERS, type Provider, type ProviderApi, unknownProvider } from './providers.ts';
import type { Reference } from './reference.ts';

/** Where a model is and how it is spoken to: the engine's `ModelRef` without the key. */
export interface Endpoint {
  readonly provider: string;
  readonly model: string;
  readonly api: ProviderApi;
  /** Without a slash at the end. For `anthropic` it ends in the version, as the others do. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly prices: Prices | null;
  /** Where the prices come from; absent: the user. */
  readonly priceBasis?: 'user' | 'table' | 'subscription' | undefined;
  /** Fields laid over the body of every request. */
  readonly body?: Readonly<Record<string, z.core.util.JSONType>> | undefined;
  readonly login?: Login | undefined;
  readonly cloud?: CloudAccess | undefined;
  /** Tokens. */
  readonly contextWindow: number | null;
  readonly maxOutput: number | null;
}

/**
 * The endpoint of a model. What a profile says of prices and sizes is about its own model only. A cloud's has no URL
 * and no access yet where the profile brings none: `readyCloud` knows them. Throws UserError (exit 2) for a provider
 * that has no URL of its own when no profile brings one, exit 6 for the claude engine where nobody speaks its protocol.
 */
export function endpointOf(
  reference: Reference,
  profile: Profile | undefined,
  engine: EngineName = 'native',
): Endpoint {
  const provider = providerOf(reference);
  if (engine === 'claude' && !speaksAnthropic(reference, profile)) throw noAnthropic(reference);
  const api = engine === 'claude' ? 'anthropic' : (profile?.api ?? apiOf(provider, reference.model));
  const own = provider.endpoints.find((endpoint) => endpoint.api === api)?.baseUrl;
  const baseUrl = profile?.baseUrl ?? (provider.cloud === undefined ? own : '');
  if (api === undefined || baseUrl === undefined || baseUrl === null) throw needsProfile(reference);
  const about = profile !== undefined && modelOf(profile) === reference.model ? profile : undefined;
  return {
    provider: reference.provider,
    model: reference.model,
    api,
    baseUrl: requestBase(baseUrl, api),
    headers: profile?.headers ?? {},
    ...(provider.login !== undefined && {
      login: { kind: provider.login, owner: reference.profile ?? provider.id },
    }),
    prices: pricesOf(about),
    body: dataPolicyBody(profile?.dataPolicy),
    contextWindow: about?.contextWindow ?? null,
    maxOutput: about?.maxOutput ?? null,
  };
}

/**
 * Has this model an endpoint the claude engine can use? A URL of the user's own is of one protocol; the work does not go
 * elsewhere because another one is wanted.
 */
export function speaksAnthropic(reference: Reference, profile: Profile | undefined): boolean {
  const provider = providerOf(reference);
  if (profile?.baseUrl !== undefined)
    return (profile.api ?? apiOf(provider, reference.model)) === 'anthropic';
  // A login's protocol goes by the model.
  if (provider.login !== undefined) return apiOf(provider, reference.model) === 'anthropic';
  return hasAnthropic(provider);
}

function hasAnthropic({ endpoints }: Provider): boolean {
  return endpoints.some(({ api, baseUrl }) => api === 'anthropic' && baseUrl !== null);
}

function noAnthropic(reference: Reference): UserError {
  const others = PROVIDERS.filter(hasAnthropic).map(({ id }) => id);
  return new UserError({
    code: 'no_anthropic_endpoint',
    what: 'the claude engine needs an endpoint that speaks the Anthropic protocol, and this model has none',
    value: modelText(reference),
    // Said of a job that goes on from another one as well, which cannot change its engine.
    remedy: `start it anew with --engine native, or take a provider that has one: ${others.join(', ')}`,
    exit: EXIT.environment,
  });
}

/** The protocol of a model where no profile says: the provider's first, but for some names. */
function apiOf({ endpoints, apiOf: named }: Provider, model: string): ProviderApi | undefined {
  return named?.find(({ prefix }) => model.startsWith(prefix))?.api ?? endpoints[0]?.api;
}

/** The user's own prices; null where they have set none. */
export function pricesOf(profile: Pick<Profile, 'prices'> | undefined): Prices | null {
  const prices = profile?.prices;
  if (prices?.input === undefined || prices.output === undefined) return null;
  const { input, output, cacheRead, cacheWrite } = prices;
  return { input, output, cacheRead, cacheWrite };
}

/** What to look a key up by, and whether the endpoint can do without. */
export function keyQuestion(
  reference: Reference,
  profile: Profile | undefined,
  endpoint: Endpoint,
): { readonly key: KeyQuestion; readonly required: boolean } {
  const provider = providerOf(reference);
  return {
    key: {
      provider,
      profile: reference.profile,
      keyEnv: profile?.keyEnv ?? null,
      host: hostOf(endpoint.baseUrl),
    },
    required: needsKey(provider, profile, endpoint),
  };
}

/** An endpoint of the user's own needs a key when a variable is named for it, or when it is out on the net. */
function needsKey(provider: Provider, profile: Profile | undefined, endpoint: Endpoint): boolean {
  const headers = Object.keys(endpoint.headers).map((name) => name.toLowerCase());
  if (KEY_HEADERS.some((name) => headers.includes(name))) return false;
  if (profile?.keyEnv !== undefined) return true;
  if (provider.needsKey !== 'depends') return provider.needsKey === 'always';
  return endpoint.baseUrl.startsWith('https:') && !isLoopback(endpoint.baseUrl);
}

/** Exit 6: which key is missing, where it may stand, where to get one. */
export function noKey(reference: Reference, profile: Profile | undefined): UserError {
  const provider = providerOf(reference);
  const owner = reference.profile ?? provider.id;
  const variable = profile?.keyEnv ?? provider.keyEnv;
  const where = provider.keyUrl === null ? '' : ` (get one at ${provider.keyUrl})`;
  const orVariable = variable === null ? '' : `, or set ${variable}`;
  return new UserError({
    code: 'no_key',
    what: `there is no key for ${provider.id}`,
    value: modelText(reference),
    remedy: `type in a terminal: cc-delegate config key set ${owner}${orVariable}${where}`,
    exit: EXIT.environment,
  });
}

function providerOf(reference: Reference): Provider {
  const provider = findProvider(reference.provider);
  if (provider === undefined) throw unknownProvider(reference.provider);
  return provider;
}

function needsProfile(reference: Reference): UserError {
  return new UserError({
    code: 'no_endpoint',
    what: `${reference.provider} has no URL of its own, and no profile brings one`,
    value: modelText(reference),
    remedy: `make one: cc-delegate config profile set NAME --provider ${reference.provider} --base-url URL --model ${reference.model}`,
    exit: EXIT.usage,
  });
}
