import * as z from 'zod';
import { PERMISSION_MODES } from '../job/permission-mode.ts';
import { baseUrlProblem } from './base-url.ts';
import { dataPolicyProblem, dataPolicySchema } from './data-policy.ts';
import { ENGINES } from './engine-name.ts';
import {
  findProvider,
  hasOwnModelNames,
  keyVariables,
  PROVIDER_APIS,
  PROVIDERS,
  type Provider,
} from './providers.ts';

/** US dollars per million tokens. 0 is a real price; an unknown one is left out, with its partner. */
const price = z.number().nonnegative();
const tokens = z.number().int().positive();
/** Model names go into URLs, tables and commands. */
export const nameText = z.string().regex(/^[!-~]+$/, 'a name of printable ASCII without spaces');

const pricesSchema = z
  .looseObject({
    input: price.optional(),
    output: price.optional(),
    cacheRead: price.optional(),
    cacheWrite: price.optional(),
  })
  .refine((prices) => prices.input !== undefined && prices.output !== undefined, {
    message: 'both input and output, in US dollars per million tokens, or no prices at all',
  });

export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** The name of an environment variable. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

const cloudName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.:-]*$/, 'a name as the cloud spells it');

const baseUrl = z.string().superRefine((value, context) => {
  const problem = baseUrlProblem(value);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const fields = z.looseObject({
  provider: z.string().refine((id) => findProvider(id) !== undefined, {
    message: `one of ${PROVIDERS.map((provider) => provider.id).join(', ')}`,
  }),
  model: nameText.optional(),
  smallModel: nameText.optional(),
  graderModel: nameText.optional(),
  /** Models of sub-agents that are not to work with the worker's. */
  roleModels: z
    .strictObject({
      implementer: nameText.optional(),
      tester: nameText.optional(),
      reviewer: nameText.optional(),
    })
    .optional(),
  baseUrl: baseUrl.optional(),
  api: z.enum(PROVIDER_APIS).optional(),
  keyEnv: z.string().regex(VARIABLE_NAME, 'the name of an environment variable, never the key').optional(),
  headers: z
    .record(
      z.string().regex(HEADER_NAME, 'the name of an HTTP header'),
      z.string().regex(HEADER_VALUE, 'printable ASCII'),
    )
    .optional(),
  fallbacks: z.array(nameText).optional(),
  /** Of a cloud: see `cloud.ts`. */
  region: cloudName.optional(),
  project: cloudName.optional(),
  location: cloudName.optional(),
  apiVersion: cloudName.optional(),
  prices: pricesSchema.optional(),
  engine: z.enum(ENGINES).optional(),
  permissionMode: z.enum(PERMISSION_MODES).optional(),
  contextWindow: tokens.optional(),
  maxOutput: tokens.optional(),
  dataPolicy: dataPolicySchema.optional(),
});

/** A named way to a model, as it stands in `config.yaml`. Keys we do not know are kept. */
export const profileSchema = fields.superRefine((profile, context) => {
  const provider = findProvider(profile.provider);
  if (provider === undefined) return;
  const missing = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  const endpoint = provider.endpoints.find(({ api }) => api === (profile.api ?? provider.endpoints[0]?.api));
  const bringsUrl = provider.cloud === undefined && endpoint?.baseUrl === null;
  if (profile.baseUrl === undefined && (endpoint === undefined || bringsUrl)) {
    const isOwn = (url: string | null) => url !== null || provider.cloud !== undefined;
    const own = provider.endpoints.filter(({ baseUrl }) => isOwn(baseUrl)).map(({ api }) => api);
    if (own.length === 0) missing('baseUrl', `the endpoint's URL, which ${provider.id} always needs`);
    else missing('api', `one of ${own.join(', ')}, or another one together with baseUrl`);
  }
  if (provider.needsKey === 'login' && profile.baseUrl !== undefined)
    missing('baseUrl', `none: a login to ${provider.id} is good at its own address alone`);
  const policy = profile.dataPolicy && dataPolicyProblem(provider.id, endpoint?.api ?? profile.api);
  if (typeof policy === 'string') missing('dataPolicy', policy);
  const { keyEnv } = profile;
  const owner = PROVIDERS.find((entry) => keyEnv !== undefined && keyVariables(entry).includes(keyEnv));
  if (provider.needsKey === 'always' && owner !== undefined && owner.id !== provider.id) {
    missing('keyEnv', `a variable that holds a key for ${provider.id}; this one is for ${owner.id}`);
  }
  const model = profile.model === undefined ? provider.defaultModel : ownModel(provider, profile.model);
  if (model === null) missing('model', `the model's name, as ${provider.id} spells it`);
});
export type Profile = z.infer<typeof profileSchema>;

/** A profile's model without its provider in front; null when another provider stands there. */
function ownModel(provider: Provider, typed: string): string | null {
  const { prefix, rest } = splitModel(typed);
  if (prefix === null || hasOwnModelNames(provider)) return prefix === provider.id ? rest : typed;
  return prefix === provider.id ? rest : null;
}

/** The model a profile stands for: its own, else its provider's default. Missing or foreign ones are refused by the schema. */
export function modelOf(profile: Profile): string {
  const provider = findProvider(profile.provider);
  const model =
    profile.model === undefined ? provider?.defaultModel : provider && ownModel(provider, profile.model);
  if (model === undefined || model === null)
    throw new Error(`a profile without a model: ${profile.provider}`);
  return model;
}

/** `a:b` in two parts. In `vendor/model:free` and `model` there is no prefix. */
export function splitModel(text: string): { readonly prefix: string | null; readonly rest: string } {
  const colon = text.indexOf(':');
  const prefix = colon < 0 ? '' : text.slice(0, colon);
  if (prefix === '' || prefix.includes('/')) return { prefix: null, rest: text };
  return { prefix, rest: text.slice(colon + 1) };
}
