import * as z from 'zod';
import { MODEL_APIS, type ModelRef } from '../engine/engine.ts';
import { type CloudAccess, LOGIN_KINDS } from '../provider/access.ts';
import { pricesSchema } from '../store/prices-schema.ts';
import type { Secrets } from './launch.ts';

const cloud = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('bedrock'),
    region: z.string(),
    signing: z
      .object({
        accessKeyId: z.string(),
        secretAccessKey: z.string(),
        sessionToken: z.string().nullable(),
      })
      .nullable(),
  }),
  z.object({ kind: z.literal('azure'), apiVersion: z.string().nullable() }),
  z.object({
    kind: z.literal('vertex'),
    project: z.string(),
    location: z.string(),
    account: z.object({ clientEmail: z.string(), privateKey: z.string() }).nullable(),
  }),
]) satisfies z.ZodType<CloudAccess>;

const model = z.object({
  provider: z.string(),
  model: z.string(),
  api: z.enum(MODEL_APIS),
  baseUrl: z.string(),
  apiKey: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  prices: pricesSchema.nullable(),
  priceBasis: z.enum(['user', 'table', 'subscription']).optional(),
  body: z.record(z.string(), z.json()).optional(),
  login: z.object({ kind: z.enum(LOGIN_KINDS), owner: z.string() }).optional(),
  cloud: cloud.optional(),
  contextWindow: z.number().nullable(),
  maxOutput: z.number().nullable(),
}) satisfies z.ZodType<ModelRef>;

const secretsSchema: z.ZodType<Secrets> = z.object({
  models: z.array(model),
  grader: z.array(model),
  roles: z.record(z.string(), z.array(model)),
  small: model.nullable(),
  passEnv: z.record(z.string(), z.string()),
});

/** Reads what came by the pipe. Throws an Error with nothing of it in the message, as a parser's would have. */
export function readSecrets(text: string): Secrets {
  try {
    return secretsSchema.parse(JSON.parse(text));
  } catch {
    // The reason is left out on purpose: it may quote what was read.
    throw new Error('what came by the pipe has not the form of secrets');
  }
}
