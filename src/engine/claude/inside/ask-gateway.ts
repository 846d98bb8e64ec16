import { request } from 'node:http';

/** The gateway of this run. */
export interface GatewayAddress {
  readonly socket: string;
  readonly token: string;
}

export interface GatewayAnswer {
  readonly status: number;
  readonly text: string;
}

/** Where the gateway is, for programs that the client starts. Throws where they are started by anything else. */
export function addressFrom(env: Readonly<Record<string, string | undefined>>): GatewayAddress {
  const { CC_DELEGATE_GATEWAY: socket, CC_DELEGATE_TOKEN: token } = env;
  if (!socket || !token) throw new Error('this program works only inside of a job');
  return { socket, token };
}

/** One request over the gateway's socket. Waits without end unless there is a limit; rejects when it is not answered. */
export function askGateway(
  { socket, token }: GatewayAddress,
  path: string,
  body: string | Uint8Array,
  limitMs?: number,
): Promise<GatewayAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        socketPath: socket,
        path,
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': typeof body === 'string' ? 'application/json' : 'application/octet-stream',
          'content-length': Buffer.byteLength(body),
        },
        ...(limitMs === undefined ? {} : { signal: AbortSignal.timeout(limitMs) }),
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') });
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
