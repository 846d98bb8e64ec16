import { isLoopback } from './base-url.ts';

/** The variables requests are steered by. */
export type HttpEnvironment = Readonly<Record<string, string | undefined>>;

/** A proxy, and how it may be spoken of. */
export interface HttpProxy {
  /** Without user name and password. */
  readonly url: string;
  /** What it is asked with (`Proxy-Authorization`); null: nothing. Holds the password. */
  readonly authorization: string | null;
  /** Host and port, and the variable they come from. */
  readonly name: string;
}

export type Route =
  | { readonly kind: 'direct' }
  | { readonly kind: 'proxy'; readonly proxy: HttpProxy }
  /** The variable says something that is no proxy; its value is not repeated, it may hold a password. */
  | { readonly kind: 'unusable'; readonly why: string };

const DIRECT: Route = { kind: 'direct' };

/**
 * Which way a request takes, by HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, the lower-case names first, as curl
 * and most others read them. What is on this machine is always asked directly: a proxy elsewhere would ask itself. Pure.
 */
export function routeOf(target: string, env: HttpEnvironment): Route {
  if (!URL.canParse(target) || isLoopback(target)) return DIRECT;
  const url = new URL(target);
  const names = url.protocol === 'https:' ? ['https_proxy', 'all_proxy'] : ['http_proxy', 'all_proxy'];
  const found = names.flatMap((name) => [name, name.toUpperCase()]).find((name) => text(env[name]) !== '');
  if (found === undefined || isExcepted(url, noProxy(env))) return DIRECT;
  const proxy = proxyOf(text(env[found]), found);
  return proxy ?? { kind: 'unusable', why: `${found} is not the URL of a proxy (http, https or socks5)` };
}

function noProxy(env: HttpEnvironment): string {
  return text(env.no_proxy) === '' ? text(env.NO_PROXY) : text(env.no_proxy);
}

function text(value: string | undefined): string {
  return value?.trim() ?? '';
}

function proxyOf(value: string, variable: string): Route | null {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(full)) return null;
  const url = new URL(full);
  const scheme = SCHEMES[url.protocol];
  if (scheme === undefined || url.hostname === '') return null;
  const port = url.port === '' ? scheme.port : url.port;
  const user = decoded(url.username);
  const authorization =
    user === '' ? null : `Basic ${Buffer.from(`${user}:${decoded(url.password)}`).toString('base64')}`;
  return {
    kind: 'proxy',
    proxy: {
      url: `${scheme.as}//${url.hostname}:${port}`,
      authorization,
      name: `${url.hostname}:${port} (${variable})`,
    },
  };
}

const SCHEMES: Readonly<Record<string, { readonly as: string; readonly port: string }>> = {
  'http:': { as: 'http:', port: '80' },
  'https:': { as: 'https:', port: '443' },
  'socks:': { as: 'socks5:', port: '1080' },
  'socks5:': { as: 'socks5:', port: '1080' },
  'socks5h:': { as: 'socks5:', port: '1080' },
};

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A bare % in a password: then it is meant as it stands.
    return part;
  }
}

/** `host`, `.suffix`, `*.suffix`, each with or without a port, or `*`; a host stands for what is below it, too. */
function isExcepted(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const host = url.hostname.toLowerCase();
  return list.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true;
    const parts = /^(.+?)(?::(\d+))?$/.exec(entry.toLowerCase());
    // A bare IPv6 address ends like a port does; in a list with ports it stands in brackets.
    const isBareV6 = entry.split(':').length > 2 && !entry.startsWith('[');
    const name = isBareV6 ? `[${entry.toLowerCase()}]` : (parts?.[1] ?? '').replace(/^\*?\./, '');
    if (name === '' || (!isBareV6 && parts?.[2] !== undefined && parts[2] !== port)) return false;
    return host === name || host.endsWith(`.${name}`);
  });
}
