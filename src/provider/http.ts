import { readFileSync } from 'node:fs';
import type { Dispatcher } from 'undici';
import { type HttpEnvironment, type HttpProxy, routeOf } from './http-proxy.ts';

/**
 * The fetch for every request we make. Node 20's own knows nothing of proxies and of SSL_CERT_FILE; where a variable asks
 * for one of them, the request goes through the undici package, which is loaded then and not before. NODE_EXTRA_CA_CERTS
 * is node's own. What is on this machine is always asked directly. A failure that is the proxy's is a `ProxyError`.
 */
export function httpFetch(env: HttpEnvironment = process.env): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const route = routeOf(url, env);
    if (route.kind === 'unusable') throw new ProxyError(route.why, null);
    const authorities = authoritiesFile(env, url);
    if (route.kind === 'direct' && authorities === null) return fetch(input, init);
    const proxy = route.kind === 'proxy' ? route.proxy : null;
    const asked = input instanceof Request ? { ...(await partsOf(input)), ...init } : init;
    return through(url, asked, proxy, { file: authorities, extra: env.NODE_EXTRA_CA_CERTS ?? null });
  };
}

/** The proxy failed, not the endpoint. Its message names the proxy, never its password. */
export class ProxyError extends Error {
  /** Of HTTP, where the proxy gave one: 407, or why it would not connect. */
  readonly statusCode: number | undefined;

  constructor(message: string, status: number | null, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProxyError';
    this.statusCode = status ?? undefined;
  }
}

type Init = NonNullable<Parameters<typeof fetch>[1]>;
type Sent = Omit<Init, 'dispatcher'> & { readonly dispatcher: Dispatcher };

interface Authorities {
  readonly file: string | null;
  readonly extra: string | null;
}

async function through(
  url: string,
  init: Init | undefined,
  proxy: HttpProxy | null,
  authorities: Authorities,
): Promise<Response> {
  const { undici, dispatcher } = await opened(proxy, authorities);
  // The package's types of a request's parts differ in name only from those node declares for its own.
  const send = undici.fetch as (url: string, init: Sent) => Promise<Response>;
  let response: Response;
  try {
    response = await send(url, { ...init, dispatcher });
  } catch (error) {
    throw proxy === null ? error : (proxyError(error, proxy) ?? error);
  }
  if (response.status !== 407 || proxy === null) return response;
  await response.body?.cancel();
  throw wantsPassword(proxy);
}

/** A request as the parts the other fetch can take. */
async function partsOf(request: Request): Promise<Init> {
  const { method, headers, redirect, signal } = request;
  const hasBody = request.body !== null;
  return { method, headers, redirect, signal, ...(hasBody && { body: await request.clone().arrayBuffer() }) };
}

function authoritiesFile(env: HttpEnvironment, url: string): string | null {
  const file = env.SSL_CERT_FILE;
  return file !== undefined && file !== '' && url.startsWith('https:') ? file : null;
}

type Undici = typeof import('undici')['default'];
type Opened = { readonly undici: Undici; readonly dispatcher: Dispatcher };

/** One for each way, so that connections are used again. */
const kept = new Map<string, Promise<Opened>>();

function opened(proxy: HttpProxy | null, authorities: Authorities): Promise<Opened> {
  const way = JSON.stringify([proxy, authorities]);
  const before = kept.get(way);
  if (before !== undefined) return before;
  const opening = open(proxy, authorities);
  kept.set(way, opening);
  return opening;
}

async function open(proxy: HttpProxy | null, { file, extra }: Authorities): Promise<Opened> {
  // Node's own fetch takes the dispatcher it finds; it must have found its own before the package leaves one there.
  void new Headers();
  // Bundled, a CommonJS package has this one export.
  const { default: undici } = await import('undici');
  const tls = file === null ? {} : { secureContext: await trusting(file, extra) };
  if (proxy === null) return { undici, dispatcher: new undici.Agent({ connect: tls }) };
  const dispatcher = new undici.ProxyAgent({
    uri: proxy.url,
    ...(proxy.authorization !== null && { token: proxy.authorization }),
    requestTls: tls,
    proxyTls: tls,
    // What is not encrypted is asked of the proxy, not through it: many let nothing but port 443 through.
    proxyTunnel: false,
  });
  return { undici, dispatcher };
}

/** Node's authorities, and those of these files: a list given to node takes the place of all it has. */
async function trusting(file: string, extra: string | null) {
  const tls = await import('node:tls');
  const more = [file, ...(extra === null ? [] : [extra])].flatMap(certificates);
  return tls.createSecureContext({ ca: [...tls.rootCertificates, ...more] });
}

function certificates(path: string): string[] {
  try {
    return [readFileSync(path, 'latin1')];
  } catch {
    // As OpenSSL and curl have it: a file that is not there adds nothing, and the certificate is then not trusted.
    return [];
  }
}

const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;

/** Connections are made to the proxy alone, so what fails of them is the proxy's. null: something else failed. */
function proxyError(error: unknown, proxy: HttpProxy): ProxyError | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const status = /Proxy response \((\d{3})\)/.exec(at.message)?.[1];
    if (status === '407' || /Proxy Authentication Required/.test(at.message)) return wantsPassword(proxy);
    if (status !== undefined) {
      return new ProxyError(
        `the proxy ${proxy.name} would not connect: it answered ${status}`,
        Number(status),
      );
    }
    if ('code' in at && typeof at.code === 'string' && UNREACHABLE.test(at.code)) {
      return new ProxyError(`the proxy ${proxy.name} cannot be reached (${at.code})`, null, { cause: at });
    }
  }
  return null;
}

function wantsPassword(proxy: HttpProxy): ProxyError {
  const what = proxy.authorization === null ? 'wants' : 'refuses';
  return new ProxyError(`the proxy ${proxy.name} ${what} user name and password (407)`, 407);
}
