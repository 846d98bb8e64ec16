import type { PermissionMode } from '../job/permission-mode.ts';
import type { UserError } from '../job/user-error.ts';
import type { PathEnvironment } from '../store/paths.ts';
import { expandShortName, modelText, requireAllowed } from './allowed-models.ts';
import { requestBase } from './base-url.ts';
import { chooseModel, type ModelChoice, type ModelRequest, type ModelSettings } from './choose-model.ts';
import { notReady, readyCloud } from './cloud.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import { type Endpoint, endpointOf, keyQuestion, noKey, speaksAnthropic } from './endpoint.ts';
import type { EngineName } from './engine-name.ts';
import { findKey, type KeySource } from './find-key.ts';
import { type LegacyEnvironment, NO_LEGACY, readLegacyEnvironment } from './legacy-environment.ts';
import { readyLogin } from './login/ready-login.ts';
import { findLogin } from './login/saved-logins.ts';
import type { FoundPrices } from './prices.ts';
import { modelOf } from './profile.ts';
import { PROVIDERS } from './providers.ts';
import { ownProfile, parseReference, type Reference } from './reference.ts';
import type { Warn } from './user-file.ts';

/** A model that can be called now. A cloud's `endpoint` holds what signs for it: neither is ever written down. */
export interface ReadyModel {
  readonly endpoint: Endpoint;
  /** null: the endpoint needs none. */
  readonly key: string | null;
  readonly keySource: KeySource;
  /** Which list its prices are from; absent: the user set them, or nobody knows them. */
  readonly priced?: Pick<FoundPrices, 'source' | 'at'> | undefined;
}

/** Which models a job works with, and why. */
export interface ModelResolution {
  /** `provider:model`. */
  readonly name: string;
  /** `flag`, `profile:<n>`, `profile:<n> (default)`, `environment (legacy)`, `provider:<id> (default)`. */
  readonly modelSource: string;
  /** The profile whose settings are used; null without one. */
  readonly profile: string | null;
  readonly primary: ReadyModel;
  /** In order, each with its own endpoint and key. */
  readonly fallbacks: readonly ReadyModel[];
  /** null: the primary does it. */
  readonly grader: ReadyModel | null;
  /** The grader's own, in order; those of the grader's profile, or of this one for its `graderModel`. */
  readonly graderFallbacks: readonly ReadyModel[];
  /** Of sub-agents that have a model of their own, by role. */
  readonly roles: Readonly<Record<string, ReadyModel>>;
  readonly small: ReadyModel | null;
  readonly engine: EngineName;
  readonly permissionMode: PermissionMode | null;
  /** What the user should be told: a name that was completed, a fallback that was left out. */
  readonly notices: readonly string[];
}

interface Known {
  readonly settings: ModelSettings;
  readonly credentials: Credentials;
  readonly env: PathEnvironment;
  readonly legacy: LegacyEnvironment;
  readonly engine: EngineName;
}

/**
 * From flags, settings and environment to models with their keys. Reads `credentials.json` afresh. Throws
 * UserError: exit 2 for a name that means nothing, exit 5 for a model that is not allowed, exit 6 for no model
 * and no key, always with the command to type.
 */
export function resolveModel(
  request: ModelRequest,
  settings: ModelSettings,
  env: PathEnvironment,
  warn: Warn,
): ModelResolution {
  const hasProfiles = Object.keys(settings.profiles).length > 0;
  const own: Known = {
    engine: 'native',
    settings,
    credentials: readCredentials(env, warn),
    env,
    legacy: hasProfiles ? NO_LEGACY : readLegacyEnvironment(env),
  };
  const taken = completed(request, settings);
  const choice = chooseModel(taken, settings, own.legacy.model, () => keyedDefaults(own));
  const profile = choice.profile === null ? undefined : ownProfile(settings.profiles, choice.profile);
  const engine = request.engine ?? profile?.engine ?? 'native';
  const known: Known = { ...own, engine };
  const isProfilesOwn = profile !== undefined && modelOf(profile) === choice.model;
  const fallbacks = isProfilesOwn ? readyFallbacks(known, choice, profile.fallbacks ?? []) : [];
  const graderProfile = settings.graderProfile ?? undefined;
  const smallName = request.smallModel ?? profile?.smallModel;
  const small =
    smallName === undefined ? undefined : readyOr(known, parseSide(known, choice, smallName), 'small model');
  const graderName = graderProfile ?? profile?.graderModel;
  const roles = Object.entries(profile?.roleModels ?? {}).flatMap(([role, typed]) =>
    typed === undefined ? [] : [[role, readyRole(known, parseSide(known, choice, typed))] as const],
  );
  return {
    name: modelText(choice),
    modelSource: choice.modelSource,
    profile: choice.profile,
    primary: ready(known, choice),
    fallbacks: fallbacks.flatMap((each) => (each.kind === 'ready' ? [each.model] : [])),
    // It works with our own loop, whoever does the job.
    grader: graderName === undefined ? null : ready(own, parseSide(own, choice, graderName)),
    graderFallbacks: graderName === undefined ? [] : graderFallbacks(own, choice, graderName),
    roles: Object.fromEntries(
      roles.flatMap(([role, each]) => (each.kind === 'ready' ? [[role, each.model]] : [])),
    ),
    small: small?.kind === 'ready' ? small.model : null,
    engine,
    permissionMode: profile?.permissionMode ?? settings.permissionMode ?? null,
    notices: [
      ...choice.notices,
      ...shortNameNotice(request, taken),
      ...[...fallbacks, ...(small === undefined ? [] : [small]), ...roles.map(([, each]) => each)].flatMap(
        (each) => (each.kind === 'left out' ? [each.notice] : []),
      ),
    ],
  };
}

/** A short name that stands for one allowed model becomes that model. */
function completed(request: ModelRequest, settings: ModelSettings): ModelRequest {
  if (request.model === undefined) return request;
  const full = expandShortName(settings.allowedModels, request.model);
  return full === null ? request : { ...request, model: full };
}

/** Taken and echoed, so that a wrong guess is seen. */
function shortNameNotice(asked: ModelRequest, taken: ModelRequest): string[] {
  return asked.model === taken.model ? [] : [`model ${asked.model} is ${taken.model}`];
}

/** Without a profile of its own they are those of the job's profile. One without a key is left out without a word. */
function graderFallbacks(known: Known, choice: ModelChoice, typed: string): ReadyModel[] {
  const reference = parseSide(known, choice, typed);
  const own = reference.profile === null ? choice : reference;
  const profile = own.profile === null ? undefined : ownProfile(known.settings.profiles, own.profile);
  return readyFallbacks(known, own, profile?.fallbacks ?? []).flatMap((each) =>
    each.kind === 'ready' ? [each.model] : [],
  );
}

/** Whose provider a bare name belongs to. */
type Owner = Pick<Reference, 'provider' | 'profile'>;

function parseSide(known: Known, choice: Owner, typed: string): Reference {
  const { profiles } = known.settings;
  const reference = parseReference(typed, { own: choice.provider, profiles });
  const sameProvider = reference.profile === null && reference.provider === choice.provider;
  return sameProvider ? { ...reference, profile: choice.profile } : reference;
}

/** One that a job can do without. */
type Spare =
  | { readonly kind: 'ready'; readonly model: ReadyModel }
  | { readonly kind: 'left out'; readonly notice: string };

function readyFallbacks(known: Known, choice: Owner, typed: readonly string[]): Spare[] {
  return typed.map((each) => readyOr(known, parseSide(known, choice, each), 'fallback'));
}

function readyOr(known: Known, reference: Reference, what: string): Spare {
  if (!isServed(known, reference)) return leftOut(reference, what);
  const { model, missing } = withKey(known, reference);
  if (missing === null) return { kind: 'ready', model };
  return { kind: 'left out', notice: `${what} ${modelText(reference)} has no key and is left out` };
}

/** A role's model without a key is an error; one the engine cannot speak to is left out. */
function readyRole(known: Known, reference: Reference): Spare {
  if (!isServed(known, reference)) return leftOut(reference, 'role model');
  return { kind: 'ready', model: ready(known, reference) };
}

function isServed({ engine, settings }: Known, reference: Reference): boolean {
  return engine === 'native' || speaksAnthropic(reference, profileOf(settings, reference));
}

function leftOut(reference: Reference, what: string): Spare {
  const why = 'has no endpoint the claude engine can use, and is left out';
  return { kind: 'left out', notice: `${what} ${modelText(reference)} ${why}` };
}

function profileOf({ profiles }: ModelSettings, { profile }: Reference) {
  return profile === null ? undefined : ownProfile(profiles, profile);
}

function ready(known: Known, reference: Reference): ReadyModel {
  const { model, missing } = withKey(known, reference);
  if (missing !== null) throw missing;
  return model;
}

function withKey(
  known: Known,
  reference: Reference,
): { readonly model: ReadyModel; readonly missing: UserError | null } {
  requireAllowed(known.settings.allowedModels, reference);
  const profile = profileOf(known.settings, reference);
  const endpoint = endpointOf(reference, profile, known.engine);
  const question = keyQuestion(reference, profile, endpoint);
  const { key, source } = findKey(question.key, known.credentials, known.env, known.legacy.key);
  if (endpoint.login !== undefined) {
    const { kind } = endpoint.login;
    const ready = readyLogin(known.credentials, kind, reference.profile, modelText(reference));
    const none = { key: null, keySource: { kind: 'none' } } as const;
    if (ready.kind === 'missing') return { model: { endpoint, ...none }, missing: ready.error };
    return { model: { endpoint: { ...endpoint, login: ready.login }, ...none }, missing: null };
  }
  const kind = question.key.provider.cloud;
  if (kind !== undefined) {
    // Headers of the profile's own may stand in the place of a key.
    const cloud = readyCloud(kind, profile ?? {}, known.env, key ?? (question.required ? null : ''));
    if (cloud.kind === 'missing') {
      return {
        model: { endpoint, key, keySource: source },
        missing: notReady(reference.provider, cloud.what),
      };
    }
    const placed = { ...endpoint, baseUrl: requestBase(cloud.baseUrl, endpoint.api), cloud: cloud.access };
    return { model: { endpoint: placed, key, keySource: source }, missing: null };
  }
  const missing = key === null && question.required ? noKey(reference, profile) : null;
  return { model: { endpoint, key, keySource: source }, missing };
}

/** The default models of the providers a key or a login is there for, in the order of the table. A cloud is never guessed. */
function keyedDefaults(known: Known): Reference[] {
  return PROVIDERS.flatMap(({ id, defaultModel, cloud, login }) => {
    if (defaultModel === null || cloud !== undefined) return [];
    const reference: Reference = { provider: id, model: defaultModel, profile: null };
    if (login !== undefined) return findLogin(known.credentials, login, null) === null ? [] : [reference];
    const question = keyQuestion(reference, undefined, endpointOf(reference, undefined));
    const { key } = findKey(question.key, known.credentials, known.env, null);
    return key === null ? [] : [reference];
  });
}
