import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Turn } from './turn.ts';

/** How one answer is written in the protocol of the request. */
export interface Wire {
  readonly stream: boolean;
  frames(turn: Turn): string[];
  body(turn: Turn): unknown;
}

const NOT_SOON = 2 ** 30;
const KEEP_ALIVE_MS = 1000;

/** Writes one turn as the answer to a request. Resolves when nothing more will be written, or the client has left. */
export async function playTurn(
  turn: Turn,
  wire: Wire,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  try {
    if (turn.firstByteMs !== undefined) await sleep(turn.firstByteMs, undefined, { signal: gone });
    if (turn.status !== undefined || turn.body !== undefined) return plain(turn, response);
    if (!wire.stream) return await playBody(turn, wire, response, gone);
    await playStream(turn, wire, response, gone);
  } catch (error) {
    // A client that leaves is part of many scripts; everything else is a bug of the script's player.
    if (!gone.aborted) throw error;
  }
}

function plain(turn: Turn, response: ServerResponse): void {
  const body =
    typeof turn.body === 'string'
      ? turn.body
      : JSON.stringify(turn.body ?? { error: { message: 'scripted' } });
  response.writeHead(turn.status ?? 200, { 'content-type': 'application/json', ...turn.headers });
  response.end(body);
}

async function playBody(turn: Turn, wire: Wire, response: ServerResponse, gone: AbortSignal): Promise<void> {
  const text = JSON.stringify(wire.body(turn));
  response.writeHead(200, { 'content-type': 'application/json', ...turn.headers });
  const ending = turn.ending ?? 'finish';
  if (ending === 'finish' && turn.cutAfterBytes === undefined) {
    response.end(text);
    return;
  }
  await write(response, text.slice(0, turn.cutAfterBytes ?? Math.floor(text.length / 2)));
  if (ending === 'hang' || ending === 'keep_alive') await sleep(NOT_SOON, undefined, { signal: gone });
  response.destroy();
}

async function playStream(
  turn: Turn,
  wire: Wire,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...turn.headers });
  let left = turn.cutAfterBytes ?? Number.POSITIVE_INFINITY;
  for (const frame of wire.frames(turn)) {
    const bytes = Buffer.from(frame);
    await write(response, bytes.subarray(0, Math.min(left, bytes.length)));
    left -= bytes.length;
    if (left <= 0) return void response.destroy();
    if (turn.chunkMs !== undefined) await sleep(turn.chunkMs, undefined, { signal: gone });
  }
  await endStream(turn, response, gone);
}

async function endStream(turn: Turn, response: ServerResponse, gone: AbortSignal): Promise<void> {
  switch (turn.ending ?? 'finish') {
    case 'cut':
      response.destroy();
      return;
    case 'hang':
      await sleep(NOT_SOON, undefined, { signal: gone });
      return;
    case 'keep_alive':
      for (;;) {
        await write(response, ': keep-alive\n\n');
        await sleep(turn.chunkMs ?? KEEP_ALIVE_MS, undefined, { signal: gone });
      }
    default:
      response.end();
  }
}

/** Resolves when the bytes have left this process, so that a cut that follows does not swallow them. */
function write(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}
