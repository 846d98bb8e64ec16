/** Why a text cannot be a base URL, as what would be valid; null when it can. Never repeats the text: it may hold a key. */
export function baseUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'an http or https URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'an http or https URL';
  if (url.username !== '' || url.password !== '') {
    return 'a URL without user name and password (put a key with: cc-delegate config key set)';
  }
  if (url.search !== '' || url.hash !== '') {
    return 'a URL without a part after ? or # (put a key with: cc-delegate config key set)';
  }
  return null;
}

/**
 * The URL requests are made below. Anthropic's own convention leaves the version out
 * (`https://openrouter.ai/api`), ours always has it, so `/messages` can be added to either.
 */
export function requestBase(baseUrl: string, api: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  if (api !== 'anthropic') return trimmed;
  return /\/v\d+[a-z0-9]*$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}

/** Is the endpoint on this machine? */
export function isLoopback(baseUrl: string): boolean {
  const host = hostOf(baseUrl);
  return (
    host === 'localhost' ||
    host === '[::1]' ||
    host.endsWith('.localhost') ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}

/** The host name, lower case; '' for what is not a URL. A port may change, a key stays with its host. */
export function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname.toLowerCase() : '';
}

/** The URL as it may be shown: user name, password and query values hidden. */
export function maskUrl(text: string): string {
  if (text === '') return '(no URL yet)';
  if (!URL.canParse(text)) return '(not a URL)';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    url.username = '***';
    url.password = '';
  }
  for (const key of url.searchParams.keys()) url.searchParams.set(key, '***');
  return url.toString();
}
