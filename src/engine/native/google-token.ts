import { createSign } from 'node:crypto';
import * as z from 'zod';
import { parseJson } from '../../job/json.ts';

/** Where service accounts get their tokens (Google's "OAuth 2.0 for server to server applications"). */
export const TOKEN_URL = 'https://oauth2.googleapis.com/token';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const LIFE_S = 3600;
/** A token is renewed that long before it ends. */
const MARGIN_MS = 60_000;

const ANSWER = z.object({ access_token: z.string(), expires_in: z.number().catch(LIFE_S) });

/**
 * Tokens of a service account, each kept as long as it lives. A refusal is an HTTP answer, to stand in the place of the
 * model's: 401 for what the account's owner has to put right, else as it came.
 */
export function accountTokens(
  account: { readonly clientEmail: string; readonly privateKey: string },
  tokenUrl: string,
): (send: typeof fetch) => Promise<string | Response> {
  let kept: { readonly token: string; readonly until: number } | null = null;
  return async (send) => {
    if (kept !== null && Date.now() < kept.until) return kept.token;
    const assertion = signed(account, tokenUrl);
    if (assertion === null) return refusal(401, 'the private key of the service account is not one');
    const answer = await send(tokenUrl, {
      method: 'POST',
      // The signed claim goes to the token service alone.
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
      }).toString(),
    });
    const said = await answer.text();
    const text = answer.status >= 300 && answer.status < 400 ? 'it sends requests elsewhere' : said;
    if (!answer.ok) return refusal(answer.status < 429 ? 401 : answer.status, text.slice(0, 300));
    const found = ANSWER.safeParse(parseJson(text)).data;
    if (found === undefined) return refusal(502, 'the answer has another form');
    kept = { token: found.access_token, until: Date.now() + found.expires_in * 1000 - MARGIN_MS };
    return found.access_token;
  };
}

/** The claim that the account asks for a token, signed by it (RFC 7523); null when its key cannot sign. */
function signed(
  { clientEmail, privateKey }: { readonly clientEmail: string; readonly privateKey: string },
  tokenUrl: string,
): string | null {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUrl, iat: now, exp: now + LIFE_S };
  const text = [{ alg: 'RS256', typ: 'JWT' }, claims].map(encoded).join('.');
  try {
    return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
  } catch {
    // The error may say more of the key than anybody should read.
    return null;
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function refusal(status: number, message: string): Response {
  return Response.json({ error: { message: `no token for the service account: ${message}` } }, { status });
}
