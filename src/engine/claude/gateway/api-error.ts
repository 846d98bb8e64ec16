import type { ServerResponse } from 'node:http';
import type { ErrorKind, RunOutcome } from '../../engine.ts';

/** Why no request is let through any more: what stopped the run, or what it failed of. */
export type GatewayVerdict = Extract<RunOutcome, { status: 'stopped' | 'failed' }>;

/** An error in the words of the protocol. `final`: asking again is of no use. */
export interface ApiError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly final: boolean;
}

const STATUS: Readonly<Record<ErrorKind, readonly [number, string]>> = {
  auth: [401, 'authentication_error'],
  quota: [403, 'permission_error'],
  rate_limit: [429, 'rate_limit_error'],
  overflow: [400, 'invalid_request_error'],
  transient: [500, 'api_error'],
  bad_request: [400, 'invalid_request_error'],
  empty: [500, 'api_error'],
  loop: [403, 'permission_error'],
  engine: [500, 'api_error'],
};

/** The words by which the client knows that its context is too long (2.1.332). */
export function tooLong(message: string): ApiError {
  return {
    status: 400,
    type: 'invalid_request_error',
    message: `prompt is too long: ${message}`,
    final: true,
  };
}

/** What every request is answered with from the verdict on. */
export function refusalOf(verdict: GatewayVerdict): ApiError {
  if (verdict.status === 'failed') {
    const [status, type] = STATUS[verdict.kind];
    return { status, type, message: verdict.message, final: true };
  }
  const { stop } = verdict;
  const message = stop.kind === 'failed' ? `${stop.reason}: ${stop.detail}` : stop.kind;
  return { status: 403, type: 'permission_error', message: `the run is stopped (${message})`, final: true };
}

/** Answers, if anybody is still there and nothing has been said yet. */
export function sendError(response: ServerResponse, { status, type, message, final }: ApiError): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json',
    // The client's library asks again after 408, 409, 429 and 5xx, unless it is told not to.
    ...(final && { 'x-should-retry': 'false' }),
  });
  response.end(JSON.stringify({ type: 'error', error: { type, message } }));
}
