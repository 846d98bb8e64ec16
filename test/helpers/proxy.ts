import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

const TLS = new URL('../fixtures/tls/', import.meta.url);

/** The authority of the secure server below, which nobody trusts by himself. */
export const CERTIFICATE_FILE = new URL('test-only-certificate.pem', TLS).pathname;

/** One request as a proxy got it. */
export interface Passed {
  readonly method: string;
  /** `host:port` of a CONNECT, the whole URL of another request. */
  readonly target: string;
  readonly authorization: string | null;
}

export interface TestProxy {
  /** Host and port. */
  readonly address: string;
  readonly passed: readonly Passed[];
}

/**
 * A proxy on loopback that knows one password, or wants none, and to which every name is `127.0.0.1`. `status`: what it
 * answers to everything instead.
 */
export async function startProxy(
  options: { readonly password?: string; readonly status?: number } = {},
): Promise<TestProxy> {
  const passed: Passed[] = [];
  const judge = (incoming: IncomingMessage): number => {
    const authorization = incoming.headers['proxy-authorization'] ?? null;
    passed.push({ method: incoming.method ?? '', target: incoming.url ?? '', authorization });
    if (options.status !== undefined) return options.status;
    const wanted = `Basic ${Buffer.from(options.password ?? '').toString('base64')}`;
    return options.password === undefined || authorization === wanted ? 200 : 407;
  };
  const server = createServer((incoming, response) => {
    const status = judge(incoming);
    if (status !== 200) return response.writeHead(status).end();
    const { port, pathname, search } = new URL(incoming.url ?? '');
    return handOn(Number(port), `${pathname}${search}`, incoming, response);
  });
  const sockets: Socket[] = [];
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    sockets.push(socket);
    const status = judge(incoming);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const onward = connect(Number(incoming.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    sockets.push(onward);
    for (const end of [socket, onward]) end.on('error', () => end.destroy());
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { address: `127.0.0.1:${await listen(server)}`, passed };
}

/** A server that shows the test certificate (model.test, localhost, 127.0.0.1) and hands on to this handler. Returns its port. */
export function startSecure(handler: Parameters<typeof createServer>[1]): Promise<number> {
  const key = readFileSync(new URL('test-only-key.pem', TLS));
  return listen(createSecureServer({ key, cert: readFileSync(CERTIFICATE_FILE) }, handler));
}

/** Asks the server of this port in place of the one who was asked. */
export function handOn(
  port: number,
  path: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const { method } = incoming;
  const onward = request({ host: '127.0.0.1', port, path, method }, (answer) =>
    answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)),
  );
  for (const [name, value] of Object.entries(incoming.headers)) onward.setHeader(name, value ?? '');
  incoming.pipe(onward);
}

/** The port of the server, which is closed when the test ends. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}
