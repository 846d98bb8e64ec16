import * as z from 'zod';
import { VERSION } from '../../job/version.ts';
import type { HttpEnvironment } from '../http-proxy.ts';
import { type Answered, ask } from './ask.ts';
import { type Asked, type Begun, errorWord, type Polled, unclear } from './asked.ts';
import { isSafeBase, type LoginEndpoints } from './endpoints.ts';
import { type CopilotLogin, token } from './saved-logins.ts';

type Endpoints = LoginEndpoints['copilot'];

/** The public client of Copilot's editors; GitHub has no secret for it. */
const CLIENT_ID = 'Iv1.b507a08c87ecfe98';
const SCOPE = 'read:user';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

const begunSchema = z.object({
  device_code: z.string().min(1),
  user_code: z.string().min(1).max(64),
  verification_uri: z.string().refine(isSafeBase),
  expires_in: z.number().positive(),
  interval: z.number().nonnegative().optional(),
});

/** Asks for a code (`POST /login/device/code`). Never throws. */
export async function beginCopilot(endpoints: Endpoints, env: HttpEnvironment): Promise<Asked<Begun>> {
  const url = `${endpoints.web}/login/device/code`;
  const body = { json: { client_id: CLIENT_ID, scope: SCOPE } };
  const answered = await ask({ method: 'POST', url, body }, env);
  const begun = begunSchema.safeParse(answered.kind === 'answer' ? answered.value : undefined);
  if (!begun.success) return refusedOr(answered);
  const { device_code, user_code, verification_uri, expires_in, interval } = begun.data;
  return {
    kind: 'ok',
    value: {
      deviceCode: device_code,
      userCode: user_code,
      verificationUri: verification_uri,
      intervalMs: interval === undefined ? null : interval * 1000,
      lifeMs: expires_in * 1000,
    },
  };
}

const tokenSchema = z.object({ access_token: token });
const slowSchema = z.object({ interval: z.number().nonnegative() });

/**
 * One poll (`POST /login/oauth/access_token`); GitHub answers 200 with an `error` until the person has agreed. The
 * token is tried at once, so that an account without Copilot is told here. Never throws.
 */
export async function pollCopilot(
  endpoints: Endpoints,
  deviceCode: string,
  env: HttpEnvironment,
): Promise<Polled> {
  const url = `${endpoints.web}/login/oauth/access_token`;
  const body = { json: { client_id: CLIENT_ID, device_code: deviceCode, grant_type: GRANT } };
  const answered = await ask({ method: 'POST', url, body }, env);
  if (answered.kind === 'silent') return unclear(answered);
  const given = tokenSchema.safeParse(answered.value);
  if (given.success) return authorized(endpoints, given.data.access_token, env);
  const word = errorWord(answered.value);
  switch (word) {
    case 'authorization_pending':
      return { kind: 'pending' };
    case 'slow_down': {
      const named = slowSchema.safeParse(answered.value);
      return { kind: 'slow_down', intervalMs: named.success ? named.data.interval * 1000 : null };
    }
    case 'expired_token':
      return { kind: 'expired' };
    case 'access_denied':
      return { kind: 'denied' };
    default:
      if (answered.status === 429) return { kind: 'slow_down', intervalMs: null };
      return word === null || answered.status >= 500
        ? unclear(answered)
        : { kind: 'refused', why: `GitHub says ${word}` };
  }
}

async function authorized(endpoints: Endpoints, githubToken: string, env: HttpEnvironment): Promise<Polled> {
  const fresh: CopilotLogin = { kind: 'copilot', endpoints, githubToken, session: null };
  const session = await exchangeCopilot(fresh, env);
  if (session.kind === 'refused') return { kind: 'refused', why: session.why };
  // Without an answer the login is good all the same, and the first request asks again.
  return { kind: 'authorized', login: { ...fresh, session: session.kind === 'ok' ? session.value : null } };
}

type Session = NonNullable<CopilotLogin['session']>;

const sessionSchema = z.object({
  token,
  expires_at: z.number().positive(),
  endpoints: z.object({ api: z.string().refine(isSafeBase) }),
});

/** Gets the short-lived token requests are made with (`GET /copilot_internal/v2/token`). Never throws. */
export async function exchangeCopilot(
  saved: CopilotLogin,
  env: HttpEnvironment,
  nowMs: number = Date.now(),
): Promise<Asked<Session>> {
  const url = `${saved.endpoints.api}/copilot_internal/v2/token`;
  const headers = { authorization: `token ${saved.githubToken}`, ...COPILOT_HEADERS };
  const answered = await ask({ method: 'GET', url, headers }, env);
  if (answered.kind === 'silent') return unclear(answered);
  const session = sessionSchema.safeParse(answered.value);
  if (answered.status === 200 && session.success) {
    const { token, expires_at, endpoints } = session.data;
    const baseUrl = endpoints.api.replace(/\/+$/, '');
    return { kind: 'ok', value: { token, expiresAt: expires_at * 1000, gotAt: nowMs, baseUrl } };
  }
  if (answered.status === 401)
    return { kind: 'refused', over: true, why: 'GitHub does not take it any more' };
  if (answered.status === 403 || answered.status === 404)
    return { kind: 'refused', over: false, why: 'this GitHub account has no access to Copilot' };
  return unclear(answered);
}

function refusedOr(answered: Answered): Asked<never> {
  const isRefusal = answered.kind === 'answer' && answered.status >= 400 && answered.status < 500;
  if (isRefusal && answered.status !== 429)
    return { kind: 'refused', over: false, why: `it answered ${answered.status}` };
  return unclear(answered);
}

/**
 * What Copilot wants to know of its caller. Its integration ids are a closed list, of which this is the one for chats in
 * an editor; the other two say who we are.
 */
export const COPILOT_HEADERS: Readonly<Record<string, string>> = {
  'copilot-integration-id': 'vscode-chat',
  'editor-version': `cc-delegate/${VERSION}`,
  'editor-plugin-version': `cc-delegate/${VERSION}`,
  'x-github-api-version': '2025-05-01',
};
