import * as z from 'zod';
import type { HttpEnvironment } from '../http-proxy.ts';
import { ask } from './ask.ts';
import { type Asked, type Begun, errorWord, type Polled, unclear } from './asked.ts';
import type { LoginEndpoints } from './endpoints.ts';
import { type ChatgptLogin, token } from './saved-logins.ts';
import { readClaims } from './token-claims.ts';

type Endpoints = LoginEndpoints['chatgpt'];

/** The public client of OpenAI's own terminal program. */
const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';
/** The service does not say how long a code is good. */
const LIFE_MS = 15 * 60_000;

const begunSchema = z
  .object({
    device_auth_id: z.string().min(1),
    user_code: z.string().min(1).max(64).optional(),
    usercode: z.string().min(1).max(64).optional(),
    // Seen as a number and as text.
    interval: z.coerce.number().nonnegative().optional().catch(undefined),
  })
  .transform((given, context) => {
    const userCode = given.user_code ?? given.usercode;
    if (userCode !== undefined) return { ...given, userCode };
    context.addIssue({ code: 'custom', message: 'a code to enter' });
    return z.NEVER;
  });

/** Asks for a code (`POST /api/accounts/deviceauth/usercode`). Never throws. */
export async function beginChatgpt(endpoints: Endpoints, env: HttpEnvironment): Promise<Asked<Begun>> {
  const url = `${endpoints.auth}/api/accounts/deviceauth/usercode`;
  const answered = await ask({ method: 'POST', url, body: { json: { client_id: CLIENT_ID } } }, env);
  if (answered.kind === 'silent') return unclear(answered);
  const begun = begunSchema.safeParse(answered.value);
  if (begun.success && answered.status === 200) {
    const { device_auth_id, userCode, interval } = begun.data;
    return {
      kind: 'ok',
      value: {
        deviceCode: device_auth_id,
        userCode,
        verificationUri: `${endpoints.auth}/codex/device`,
        intervalMs: interval === undefined ? null : interval * 1000,
        lifeMs: LIFE_MS,
      },
    };
  }
  if (isRefusal(answered.status))
    return { kind: 'refused', over: false, why: `it answered ${answered.status}` };
  return unclear(answered);
}

const codeSchema = z.object({ authorization_code: z.string().min(1), code_verifier: z.string().min(1) });

/**
 * One poll (`POST /api/accounts/deviceauth/token`): 403 and 404 mean that nobody has agreed yet. What it gives is
 * changed for tokens at once. Never throws.
 */
export async function pollChatgpt(
  endpoints: Endpoints,
  codes: { readonly deviceCode: string; readonly userCode: string },
  env: HttpEnvironment,
): Promise<Polled> {
  const url = `${endpoints.auth}/api/accounts/deviceauth/token`;
  const body = { json: { device_auth_id: codes.deviceCode, user_code: codes.userCode } };
  const answered = await ask({ method: 'POST', url, body }, env);
  if (answered.kind === 'silent') return unclear(answered);
  const { status, value } = answered;
  const word = errorWord(value);
  if (word === 'slow_down' || status === 429) return { kind: 'slow_down', intervalMs: null };
  if (word === 'access_denied') return { kind: 'denied' };
  if (word === 'expired_token') return { kind: 'expired' };
  if (status === 403 || status === 404) return { kind: 'pending' };
  const code = codeSchema.safeParse(value);
  if (status === 200 && code.success) return redeem(endpoints, code.data, env);
  if (isRefusal(status)) return { kind: 'refused', why: `OpenAI answered ${word ?? status}` };
  return unclear(answered);
}

async function redeem(
  endpoints: Endpoints,
  code: z.infer<typeof codeSchema>,
  env: HttpEnvironment,
): Promise<Polled> {
  const form = {
    grant_type: 'authorization_code',
    code: code.authorization_code,
    redirect_uri: `${endpoints.auth}/deviceauth/callback`,
    client_id: CLIENT_ID,
    code_verifier: code.code_verifier,
  };
  const given = await tokens(endpoints, form, null, env, Date.now());
  if (given.kind === 'ok') return { kind: 'authorized', login: given.value };
  // The code is spent or not, nobody can say; the next poll will.
  return given.kind === 'refused' ? { kind: 'refused', why: given.why } : given;
}

/** Gets new tokens for the refresh token, which is good for one time. Never throws. */
export async function refreshChatgpt(
  saved: ChatgptLogin,
  env: HttpEnvironment,
  nowMs: number = Date.now(),
): Promise<Asked<ChatgptLogin>> {
  const form = { grant_type: 'refresh_token', refresh_token: saved.refreshToken, client_id: CLIENT_ID };
  return tokens(saved.endpoints, form, saved, env, nowMs);
}

const tokensSchema = z.object({
  access_token: token,
  refresh_token: token.optional(),
  id_token: z.string().optional(),
  expires_in: z.number().positive().optional(),
});

async function tokens(
  endpoints: Endpoints,
  form: Readonly<Record<string, string>>,
  before: ChatgptLogin | null,
  env: HttpEnvironment,
  nowMs: number,
): Promise<Asked<ChatgptLogin>> {
  const answered = await ask({ method: 'POST', url: `${endpoints.auth}/oauth/token`, body: { form } }, env);
  if (answered.kind === 'silent') return unclear(answered);
  if (isRefusal(answered.status)) {
    const why = `OpenAI does not take it any more (${errorWord(answered.value) ?? answered.status})`;
    return { kind: 'refused', over: answered.status === 400 || answered.status === 401, why };
  }
  const given = tokensSchema.safeParse(answered.value);
  if (answered.status !== 200 || !given.success) return unclear(answered);
  const { access_token, refresh_token, id_token, expires_in } = given.data;
  const access = readClaims(access_token);
  const accountId = readClaims(id_token ?? '').accountId ?? access.accountId ?? before?.accountId;
  const refreshToken = refresh_token ?? before?.refreshToken;
  if (accountId === undefined || refreshToken === undefined) return unclear(answered);
  const { refusedAt: _over, ...kept } = before ?? {};
  const expiresAt = access.expiresAt ?? (expires_in === undefined ? null : nowMs + expires_in * 1000);
  return {
    kind: 'ok',
    value: {
      ...kept,
      kind: 'chatgpt',
      endpoints,
      accessToken: access_token,
      refreshToken,
      accountId,
      expiresAt,
      gotAt: nowMs,
    },
  };
}

/** A clear no; 408, 425 and 429 mean later. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}
