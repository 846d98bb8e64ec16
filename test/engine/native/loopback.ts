import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { onTestFinished } from 'vitest';

export interface Asked {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Answered {
  readonly status?: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** A server for one test that answers by a function and keeps what it was asked. */
export async function loopback(answer: (asked: Asked, index: number) => Answered) {
  const asked: Asked[] = [];
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([k, v]) => [k, String(v)]));
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers,
      text: Buffer.concat(parts).toString('utf8'),
    };
    const { status = 200, type, body } = answer(request, asked.length);
    asked.push(request);
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked };
}

/** Events in the binary form AWS streams them in (`application/vnd.amazon.eventstream`). */
export function awsEvents(events: readonly (readonly [type: string, payload: object])[]): Buffer {
  return Buffer.concat(events.map(([type, payload]) => awsEvent(type, Buffer.from(JSON.stringify(payload)))));
}

function awsEvent(type: string, payload: Buffer): Buffer {
  const headers = Buffer.concat([header(':event-type', type), header(':message-type', 'event')]);
  const prelude = Buffer.alloc(12);
  // Lengths and sums take 16 bytes of their own.
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, payload]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, sum]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  const STRING = 7;
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([STRING]),
    length,
    Buffer.from(value),
  ]);
}
