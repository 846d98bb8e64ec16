import type { ServerResponse } from 'node:http';
import { sendError } from './api-error.ts';

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

/** 413: longer than is taken. 503: for now, since so much else is under way; asking again may help. */
export function notTaken(response: ServerResponse, why: 'too long' | 'too much at once'): void {
  const [status, type, final] =
    why === 'too long' ? ([413, 'request_too_large', true] as const) : ([503, 'api_error', false] as const);
  sendError(response, { status, type, message: why, final });
}
