import * as z from 'zod';

const AUTH_CLAIM = 'https://api.openai.com/auth';

const claimsSchema = z.object({
  exp: z.number().positive().optional().catch(undefined),
  [AUTH_CLAIM]: z
    .object({ chatgpt_account_id: z.string().regex(/^[!-~]{1,256}$/) })
    .optional()
    .catch(undefined),
});

/** What we need of a token's claims. */
export interface TokenClaims {
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  readonly accountId: string | null;
}

/**
 * Reads a JSON Web Token (RFC 7519) that came from its issuer over TLS a moment ago. The signature is not looked at:
 * nothing is decided by what it says but when to ask for another, and the account's header, which the service checks.
 */
export function readClaims(token: string): TokenClaims {
  const parsed = claimsSchema.safeParse(payloadOf(token));
  if (!parsed.success) return { expiresAt: null, accountId: null };
  const { exp } = parsed.data;
  return {
    expiresAt: exp === undefined ? null : exp * 1000,
    accountId: parsed.data[AUTH_CLAIM]?.chatgpt_account_id ?? null,
  };
}

function payloadOf(token: string): unknown {
  const [, payload] = token.split('.');
  if (payload === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    // Not a token of that kind: it says nothing about itself.
    return undefined;
  }
}
