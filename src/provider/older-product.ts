import * as z from 'zod';
import { UserError } from '../job/user-error.ts';
import { modelText } from './allowed-models.ts';
import { PROFILE_NAME, type Profile, profileSchema, VARIABLE_NAME } from './profile.ts';
import { parseReference, type Reference } from './reference.ts';

/**
 * The configuration of the older Python product, `config.json` (its own layout, as that product documents it):
 * `{profiles: {NAME: {model, api_key_env_var?, api_base?, fallback_models?[]}}, default_profile}`. Spellings of hand-made
 * files (`provider`, `base_url`, `api_key`) are taken as well.
 */
const configSchema = z.looseObject({
  profiles: z.record(z.string(), z.looseObject({})).default({}),
  default_profile: z.string().nullish(),
});

const profileFields = z.looseObject({
  model: z.string(),
  provider: z.string().nullish(),
  api_key_env_var: z.string().nullish(),
  api_base: z.string().nullish(),
  base_url: z.string().nullish(),
  fallback_models: z.array(z.string()).nullish(),
  api_key: z.string().nullish(),
});
type OlderProfile = z.infer<typeof profileFields>;

export interface ImportedProfile {
  readonly name: string;
  readonly profile: Profile;
  /** A key that stood in the profile itself. */
  readonly key: string | null;
}

/** What can be taken over, and what cannot, in words. */
export interface ImportPlan {
  readonly profiles: readonly ImportedProfile[];
  readonly defaultProfile: string | null;
  readonly notices: readonly string[];
}

/** Decides what an older `config.json` becomes; null when it is not of its form. Pure. */
export function planImport(value: unknown): ImportPlan | null {
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) return null;
  const { profiles, default_profile: byDefault, ...others } = parsed.data;
  const notices = Object.keys(others).map((key) => `${key}: not known here, left out`);
  const imported = Object.entries(profiles).flatMap(([name, fields]) => {
    const outcome = importProfile(name, fields);
    notices.push(...outcome.notices.map((notice) => `${name}: ${notice}`));
    return outcome.imported === null ? [] : [outcome.imported];
  });
  const isThere = imported.some(({ name }) => name === byDefault);
  if (byDefault && !isThere) notices.push(`${byDefault}: was the default, and is left out`);
  return { profiles: imported, defaultProfile: byDefault && isThere ? byDefault : null, notices };
}

interface Outcome {
  readonly imported: ImportedProfile | null;
  readonly notices: readonly string[];
}

function importProfile(name: string, fields: unknown): Outcome {
  const none = (why: string): Outcome => ({ imported: null, notices: [`left out: ${why}`] });
  if (!PROFILE_NAME.test(name)) return none('a name is letters, digits, _ and -, at most 64');
  const parsed = profileFields.safeParse(fields);
  if (!parsed.success) return none('it has no model');
  const older = parsed.data;
  const reference = referenceOf(older);
  if (typeof reference === 'string') return none(reference);
  const notices = unknownFields(older);
  const fallbacks = (older.fallback_models ?? []).flatMap((each) => {
    const fallback = tryReference(each, reference.provider);
    if (typeof fallback !== 'string') return [modelText(fallback)];
    notices.push(`fallback ${each} is left out: ${fallback}`);
    return [];
  });
  const keyEnv = older.api_key_env_var ?? undefined;
  if (keyEnv !== undefined && !VARIABLE_NAME.test(keyEnv)) return none('its api_key_env_var is no variable');
  const profile = profileSchema.safeParse({
    provider: reference.provider,
    model: reference.model,
    ...(urlOf(older) !== null && { baseUrl: urlOf(older) }),
    ...(keyEnv !== undefined && { keyEnv }),
    ...(fallbacks.length > 0 && { fallbacks }),
  });
  if (!profile.success) return none(profile.error.issues[0]?.message ?? 'it is not valid here');
  return { imported: { name, profile: profile.data, key: older.api_key ?? null }, notices };
}

const OWN_ENDPOINT: Readonly<Record<string, string>> = {
  openai: 'openai-compatible',
  anthropic: 'anthropic-compatible',
};

/** Which model; why not, in words, when that cannot be told. */
function referenceOf(older: OlderProfile): Reference | string {
  const { model, provider } = older;
  const own = provider ?? null;
  const found = tryReference(own !== null && !model.includes(':') ? `${own}:${model}` : model, own);
  if (urlOf(older) === null) return found;
  // At an address of the user's own, a prefix says which protocol is spoken there.
  if (typeof found !== 'string')
    return { ...found, provider: OWN_ENDPOINT[found.provider] ?? found.provider };
  const rest = /^litellm:[^/]+\/(.+)$/.exec(model)?.[1];
  return rest === undefined ? found : { provider: 'openai-compatible', model: rest, profile: null };
}

function tryReference(typed: string, own: string | null): Reference | string {
  try {
    return parseReference(typed, { own, profiles: {} });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `${error.explanation.what} (${typed})`;
  }
}

function urlOf({ api_base: base, base_url: url }: OlderProfile): string | null {
  return base ?? url ?? null;
}

function unknownFields(older: OlderProfile): string[] {
  const known = Object.keys(profileFields.shape);
  return Object.keys(older)
    .filter((key) => !known.includes(key))
    .map((key) => `${key} is not known here, left out`);
}
