import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendError } from './api-error.ts';

/** The client sends its whole conversation with each request. */
const MOST_BODY_BYTES = 64 * 1024 * 1024;

/** The body of a request; null for one that is too long. */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > MOST_BODY_BYTES) return null;
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

/** Answers, if anybody is still there. */
export function json(response: ServerResponse, value: unknown): void {
  if (response.destroyed) return;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Half an answer must not pass for a whole one: the connection breaks. What was answered in full stays. */
export function leave(response: ServerResponse): void {
  if (!response.writableEnded) response.destroy();
}

/** 400: asking again would be the same. */
export function badRequest(response: ServerResponse, message: string): void {
  sendError(response, { status: 400, type: 'invalid_request_error', message, final: true });
}

/** 404: no route of ours. */
export function notFound(response: ServerResponse): void {
  sendError(response, {
    status: 404,
    type: 'not_found_error',
    message: 'there is nothing here',
    final: true,
  });
}

/** 413: longer than `readBody` takes. */
export function tooLarge(response: ServerResponse): void {
  sendError(response, {
    status: 413,
    type: 'request_too_large',
    message: 'more than 64 MiB',
    final: true,
  });
}
