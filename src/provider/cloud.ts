import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { EXIT, UserError } from '../job/user-error.ts';
import type { CloudAccess } from './access.ts';
import type { Profile } from './profile.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a profile says of a cloud; each stands before the variable for it. */
export type CloudPlace = Pick<Profile, 'baseUrl' | 'region' | 'project' | 'location' | 'apiVersion'>;

/** How a cloud is reached now, or what has to be set first. */
export type ReadyCloud =
  | { readonly kind: 'ready'; readonly baseUrl: string; readonly access: CloudAccess }
  | { readonly kind: 'missing'; readonly what: string };

/** Variables whose values are secrets, beside the key variable each cloud has in the provider table. */
export const CLOUD_SECRETS = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;

/** Part of a host name: anything else could lead a key to another host. */
const HOST_PART = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
/** Google's, which may begin with a domain: `example.com:name`. */
const PROJECT = /^[A-Za-z0-9][A-Za-z0-9.:-]*$/;

/**
 * Reads what a cloud needs from its profile and from the variables its own tools document: AWS_REGION,
 * AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN; AZURE_RESOURCE_NAME; GOOGLE_VERTEX_PROJECT,
 * GOOGLE_VERTEX_LOCATION, and the service account's file in GOOGLE_APPLICATION_CREDENTIALS. A key takes the place
 * of what signs. `key`: the one found for the provider, null for none.
 */
export function readyCloud(
  kind: CloudAccess['kind'],
  place: CloudPlace,
  env: Environment,
  key: string | null,
): ReadyCloud {
  switch (kind) {
    case 'bedrock':
      return bedrock(place, env, key);
    case 'azure':
      return azure(place, env, key);
    case 'vertex':
      return vertex(place, env, key);
  }
}

/** Exit 6: what has to be set before the cloud can be asked. */
export function notReady(provider: string, what: string): UserError {
  return new UserError({
    code: 'no_cloud_access',
    what: `${provider} cannot be reached with what is set`,
    value: provider,
    remedy: `set ${what}`,
    exit: EXIT.environment,
  });
}

function bedrock(place: CloudPlace, env: Environment, key: string | null): ReadyCloud {
  const region = place.region ?? read(env, 'AWS_REGION') ?? read(env, 'AWS_DEFAULT_REGION');
  if (region === null || !HOST_PART.test(region)) {
    return missing('AWS_REGION to a region, or the region of the profile, e.g. us-east-1');
  }
  const accessKeyId = read(env, 'AWS_ACCESS_KEY_ID');
  const secretAccessKey = read(env, 'AWS_SECRET_ACCESS_KEY');
  const signing =
    key !== null || accessKeyId === null || secretAccessKey === null
      ? null
      : { accessKeyId, secretAccessKey, sessionToken: read(env, 'AWS_SESSION_TOKEN') };
  if (key === null && signing === null) {
    return missing('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a Bedrock key: AWS_BEARER_TOKEN_BEDROCK');
  }
  const baseUrl = place.baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`;
  return { kind: 'ready', baseUrl, access: { kind: 'bedrock', region, signing } };
}

function azure(place: CloudPlace, env: Environment, key: string | null): ReadyCloud {
  const resource = read(env, 'AZURE_RESOURCE_NAME');
  if (place.baseUrl === undefined && (resource === null || !HOST_PART.test(resource))) {
    return missing('AZURE_RESOURCE_NAME to the name of the resource, or the baseUrl of the profile');
  }
  if (key === null) return missing('AZURE_API_KEY, or type: cc-delegate config key set PROFILE');
  const baseUrl = place.baseUrl ?? `https://${resource}.openai.azure.com/openai/v1`;
  return { kind: 'ready', baseUrl, access: { kind: 'azure', apiVersion: place.apiVersion ?? null } };
}

/** A key alone reaches Vertex without a project ("express mode"); a service account needs project and location. */
function vertex(place: CloudPlace, env: Environment, key: string | null): ReadyCloud {
  const account = key === null ? serviceAccount(env) : null;
  const project = place.project ?? read(env, 'GOOGLE_VERTEX_PROJECT') ?? account?.project ?? null;
  const location = place.location ?? read(env, 'GOOGLE_VERTEX_LOCATION');
  const isPlaced = project !== null && PROJECT.test(project) && location !== null && HOST_PART.test(location);
  if (key === null && account === null) {
    return missing(
      "GOOGLE_APPLICATION_CREDENTIALS to the JSON file of a service account (a person's own login has no key to sign with), or GOOGLE_VERTEX_API_KEY",
    );
  }
  if (!isPlaced && (key === null || project !== null || location !== null)) {
    return missing(
      'GOOGLE_VERTEX_PROJECT and GOOGLE_VERTEX_LOCATION, or project and location of the profile',
    );
  }
  const own = isPlaced
    ? vertexUrl(project, location)
    : 'https://aiplatform.googleapis.com/v1/publishers/google';
  return {
    kind: 'ready',
    baseUrl: place.baseUrl ?? own,
    access: {
      kind: 'vertex',
      project: project ?? '',
      location: location ?? '',
      account: account && { clientEmail: account.clientEmail, privateKey: account.privateKey },
    },
  };
}

function vertexUrl(project: string, location: string): string {
  const multi = location === 'eu' || location === 'us';
  const host = multi
    ? `aiplatform.${location}.rep.googleapis.com`
    : `${location === 'global' ? '' : `${location}-`}aiplatform.googleapis.com`;
  return `https://${host}/v1beta1/projects/${project}/locations/${location}/publishers/google`;
}

const ACCOUNT_FILE = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  project_id: z.string().optional(),
});

/** The service account of GOOGLE_APPLICATION_CREDENTIALS; null without the variable, or when its file holds none. */
export function serviceAccount(
  env: Environment,
): { readonly clientEmail: string; readonly privateKey: string; readonly project: string | null } | null {
  const file = read(env, 'GOOGLE_APPLICATION_CREDENTIALS');
  if (file === null) return null;
  try {
    const found = ACCOUNT_FILE.parse(JSON.parse(readFileSync(file, 'utf8')));
    return {
      clientEmail: found.client_email,
      privateKey: found.private_key,
      project: found.project_id ?? null,
    };
  } catch {
    // Missing, unreadable or of another kind: the caller says what it should be. The error may quote the file.
    return null;
  }
}

function missing(what: string): ReadyCloud {
  return { kind: 'missing', what };
}

function read(env: Environment, variable: string): string | null {
  const value = env[variable]?.trim();
  return value === undefined || value === '' ? null : value;
}
