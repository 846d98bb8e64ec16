import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { LoginEndpoints } from '../../../src/provider/login/endpoints.ts';

/** A request as it came. */
export interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the service answers: a status and JSON, or text as it is. */
export type Reply =
  | readonly [status: number, body: unknown]
  | { readonly text: string }
  | { readonly hold: Promise<unknown>; readonly next: Reply };

export interface LoginService {
  readonly url: string;
  readonly endpoints: LoginEndpoints;
  readonly asked: Asked[];
  /** The requests for this path. */
  to(path: string): Asked[];
  /** What a path answers, one after another; the last one stays. */
  answer(path: string, ...replies: Reply[]): void;
}

/** GitHub and OpenAI on the loopback interface: both answer what the test says. */
export async function startLoginService(): Promise<LoginService> {
  const asked: Asked[] = [];
  const replies = new Map<string, Reply[]>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? '';
    const text = Buffer.concat(chunks).toString('utf8');
    const isForm = request.headers['content-type']?.includes('urlencoded') ?? false;
    const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : text === '' ? {} : JSON.parse(text);
    asked.push({ path, headers: request.headers, body });
    const queue = replies.get(path) ?? [];
    let reply = (queue.length > 1 ? queue.shift() : queue[0]) ?? [404, { error: 'nothing here' }];
    while ('hold' in reply) {
      await reply.hold;
      reply = reply.next;
    }
    if ('text' in reply) response.end(reply.text);
    else {
      response.writeHead(reply[0], { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply[1]));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    endpoints: { copilot: { web: url, api: url }, chatgpt: { auth: url, api: `${url}/codex` } },
    asked,
    to: (path) => asked.filter((each) => each.path === path),
    answer: (path, ...more) => void replies.set(path, [...more]),
  };
}

export const PATHS = {
  code: '/login/device/code',
  token: '/login/oauth/access_token',
  exchange: '/copilot_internal/v2/token',
  userCode: '/api/accounts/deviceauth/usercode',
  deviceToken: '/api/accounts/deviceauth/token',
  oauth: '/oauth/token',
} as const;

/** A JSON Web Token with these claims, signed by nobody. */
export function jwt(claims: Readonly<Record<string, unknown>>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.c2lnbmF0dXJl`;
}

/** OpenAI's tokens for an account. `expiresAt` is in milliseconds. */
export function openAiTokens(name: string, expiresAt: number) {
  const auth = { 'https://api.openai.com/auth': { chatgpt_account_id: 'acct-7' } };
  return {
    access_token: jwt({ exp: Math.floor(expiresAt / 1000), name }),
    refresh_token: `refresh-${name}-0123456789`,
    id_token: jwt(auth),
  };
}
