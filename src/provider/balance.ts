import * as z from 'zod';
import { getJson } from './get-json.ts';
import type { HttpEnvironment } from './http-proxy.ts';

/** What is left with a provider. US dollars. */
export type Balance =
  | { readonly kind: 'credits'; readonly left: number; readonly used: number }
  /** `left` is null for a key without a limit. */
  | { readonly kind: 'key'; readonly left: number | null; readonly used: number }
  | { readonly kind: 'unknown'; readonly why: string };

const creditsSchema = z.object({ data: z.object({ total_credits: z.number(), total_usage: z.number() }) });
const keySchema = z.object({ data: z.object({ limit_remaining: z.number().nullish(), usage: z.number() }) });

/**
 * OpenRouter's balance: `GET <base>/credits`, which only a management key may ask, else the limits of the key itself
 * (`GET <base>/key`). Never throws; the key is in no message.
 */
export async function openRouterBalance(
  baseUrl: string,
  key: string,
  env: HttpEnvironment,
): Promise<Balance> {
  const headers = { authorization: `Bearer ${key}` };
  const [credits, own] = await Promise.all([
    getJson(`${baseUrl}/credits`, headers, env),
    getJson(`${baseUrl}/key`, headers, env),
  ]);
  const bought = creditsSchema.safeParse(credits.kind === 'ok' ? credits.value : null);
  if (bought.success) {
    const { total_credits, total_usage } = bought.data.data;
    return { kind: 'credits', left: total_credits - total_usage, used: total_usage };
  }
  const limits = keySchema.safeParse(own.kind === 'ok' ? own.value : null);
  if (limits.success)
    return { kind: 'key', left: limits.data.data.limit_remaining ?? null, used: limits.data.data.usage };
  if (own.kind === 'failed' && own.status === 401) return { kind: 'unknown', why: 'the key was refused' };
  return { kind: 'unknown', why: own.kind === 'failed' ? own.why : 'its answer is of another form' };
}
