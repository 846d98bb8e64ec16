import { isLoopback } from '../base-url.ts';

/** Where logins are asked for, and where their tokens are good. Base URLs without a slash at the end. */
export interface LoginEndpoints {
  readonly copilot: { readonly web: string; readonly api: string };
  readonly chatgpt: { readonly auth: string; readonly api: string };
}

/** The public ones (November 2026). A saved login remembers its own, so that its tokens go nowhere else. */
export const PUBLIC_ENDPOINTS: LoginEndpoints = {
  copilot: { web: 'https://github.com', api: 'https://api.github.com' },
  chatgpt: { auth: 'https://auth.openai.com', api: 'https://chatgpt.com/backend-api/codex' },
};

/** May a token be sent there: encrypted, or to this machine? */
export function isSafeBase(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(url));
}
