import type { Profile } from '../../provider/profile.ts';
import { findProvider } from '../../provider/providers.ts';
import { number, usage } from '../parse.ts';

/** The options of `config profile set`, for the parser. */
export const PROFILE_OPTIONS = {
  provider: { type: 'string' },
  model: { type: 'string' },
  'small-model': { type: 'string' },
  'grader-model': { type: 'string' },
  'base-url': { type: 'string' },
  api: { type: 'string' },
  'key-env': { type: 'string' },
  header: { type: 'string', multiple: true },
  fallback: { type: 'string', multiple: true },
  region: { type: 'string' },
  project: { type: 'string' },
  location: { type: 'string' },
  'api-version': { type: 'string' },
  'price-input': { type: 'string' },
  'price-output': { type: 'string' },
  'price-cache-read': { type: 'string' },
  'price-cache-write': { type: 'string' },
  engine: { type: 'string' },
  'permission-mode': { type: 'string' },
  'context-window': { type: 'string' },
  'max-output': { type: 'string' },
  'data-collection': { type: 'string' },
  zdr: { type: 'boolean' },
} as const;

/** What was given; an option that was not is absent. */
export type ProfileValues = {
  readonly [K in keyof typeof PROFILE_OPTIONS]?: K extends 'header' | 'fallback'
    ? string[]
    : K extends 'zdr'
      ? boolean
      : string;
};

/** The profile as it will stand in the file, and what is said about it. Not yet checked against the schema. */
export interface ProfilePlan {
  readonly profile: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
}

const RENAMED: Readonly<Record<string, Exclude<keyof ProfileValues, 'zdr'>>> = {
  smallModel: 'small-model',
  graderModel: 'grader-model',
  baseUrl: 'base-url',
  api: 'api',
  keyEnv: 'key-env',
  fallbacks: 'fallback',
  region: 'region',
  project: 'project',
  location: 'location',
  apiVersion: 'api-version',
  engine: 'engine',
  permissionMode: 'permission-mode',
};

/**
 * Decides what a profile becomes: what was given replaces what was there. Another provider makes it a new profile,
 * since URL, key variable and prices were the old one's; another model drops the prices and sizes of the old one.
 * Throws UserError (exit 2) for a number or header that is none.
 */
export function planProfile(values: ProfileValues, before: Profile | undefined): ProfilePlan {
  const { provider, model } = named(values, before);
  const kept = before !== undefined && before.provider === provider ? before : undefined;
  const given = definedOnly({
    ...Object.fromEntries(Object.entries(RENAMED).map(([field, option]) => [field, values[option]])),
    headers: headers(values.header),
    contextWindow: number('context-window', values['context-window'], { least: 1, whole: true }),
    maxOutput: number('max-output', values['max-output'], { least: 1, whole: true }),
  });
  const otherModel = kept !== undefined && model !== undefined && kept.model !== model;
  const { prices, contextWindow, maxOutput, ...rest } = kept ?? {};
  const aboutModel = otherModel ? {} : definedOnly({ prices, contextWindow, maxOutput });
  const newPrices = pricesOf(values);
  const profile = {
    ...rest,
    ...aboutModel,
    provider,
    ...definedOnly({ model: model ?? kept?.model }),
    ...given,
    ...definedOnly({ dataPolicy: dataPolicy(values, kept) }),
    ...(newPrices === undefined ? {} : { prices: { ...aboutModel.prices, ...newPrices } }),
  };
  const dropped = otherModel && prices !== undefined && newPrices === undefined;
  return {
    profile,
    notices: dropped ? [`the prices of ${kept.model} were dropped: they are not ${model}'s`] : [],
  };
}

/** `--model minimax:MiniMax-M3` alone names the provider too. */
function named(
  values: ProfileValues,
  before: Profile | undefined,
): { readonly provider: string; readonly model: string | undefined } {
  const { provider, model } = values;
  const colon = model?.indexOf(':') ?? -1;
  const prefix = model?.slice(0, Math.max(0, colon)) ?? '';
  const isPrefixed = findProvider(prefix) !== undefined && (provider === undefined || provider === prefix);
  const bare = isPrefixed ? model?.slice(colon + 1) : model;
  const wanted = provider ?? (isPrefixed ? prefix : before?.provider);
  if (wanted === undefined) {
    throw usage('a new profile needs a provider', '', 'e.g. --provider openrouter --model VENDOR/MODEL');
  }
  return { provider: wanted, model: bare };
}

function pricesOf(values: ProfileValues): Record<string, number> | undefined {
  const each = (option: 'price-input' | 'price-output' | 'price-cache-read' | 'price-cache-write') =>
    number(option, values[option], { least: 0, whole: false });
  const prices = definedOnly({
    input: each('price-input'),
    output: each('price-output'),
    cacheRead: each('price-cache-read'),
    cacheWrite: each('price-cache-write'),
  });
  return Object.keys(prices).length === 0 ? undefined : prices;
}

/** What is not said of a policy stays. */
function dataPolicy(
  { 'data-collection': collection, zdr }: ProfileValues,
  before: Profile | undefined,
): Record<string, unknown> | undefined {
  const given = definedOnly({ collection, zdr });
  return Object.keys(given).length === 0 ? before?.dataPolicy : { ...before?.dataPolicy, ...given };
}

function headers(given: readonly string[] | undefined): Record<string, string> | undefined {
  if (given === undefined) return undefined;
  const pairs = given.map((header) => {
    const at = header.indexOf('=');
    // The value may be a secret, so it is not repeated.
    if (at <= 0) throw usage('--header takes NAME=VALUE', '', 'e.g. --header X-Title=mine');
    return [header.slice(0, at), header.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

function definedOnly<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
