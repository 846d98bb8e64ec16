import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { parseJson } from '../../../job/json.ts';
import { requestBase } from '../../../provider/base-url.ts';
import type { ModelRef, Role } from '../../engine.ts';
import { classify, failureFacts, type RequestError } from '../../http/errors.ts';
import { modelFetch } from '../../http/fetch.ts';
import { type Watch, watchRequest } from '../../http/idle.ts';
import { isObject } from './clean-body.ts';
import { Meter, type OnDelta } from './meter.ts';
import { bodyFor, isProtocolsOwn, type RequestBody } from './request-body.ts';
import { SseReader } from './sse.ts';

/** One request to an endpoint, and where its answer goes. */
export interface Sending {
  readonly ref: ModelRef;
  readonly role: Role;
  readonly body: RequestBody;
  /** Of the client's headers: `anthropic-version`, and `anthropic-beta` for the protocol's own endpoint. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly clean: (text: string) => string;
  readonly response: ServerResponse;
  /** Aborted with the run, or when the client has left. */
  readonly signal: AbortSignal;
  readonly idleMs: number;
  readonly nowMs: number;
  readonly onDelta: OnDelta;
}

/** What became of it. The meter has what it cost. */
export type Sent = { readonly meter: Meter } & (
  | { readonly kind: 'whole' }
  /** Nothing of it has reached the client: it may be made again. */
  | { readonly kind: 'failed'; readonly error: RequestError }
  /** A part of it has: only the client can ask again. */
  | { readonly kind: 'cut'; readonly error: RequestError }
  | { readonly kind: 'gone' }
);

/** The version the client speaks. */
const VERSION = '2023-06-01';
const MOST_ERROR_BYTES = 64 * 1024;
const ERROR_BODY = z.object({ error: z.object({ message: z.string() }) });

/** Makes exactly one request and hands its answer on as it comes. Never throws for what endpoint, network or client do. */
export async function sendOn(sending: Sending): Promise<Sent> {
  const meter = new Meter(sending.onDelta);
  const watch = watchRequest(sending.signal, sending.idleMs);
  let error: RequestError;
  try {
    const answer = await ask(sending, watch.signal);
    watch.beat();
    if (!answer.ok) {
      error = await explainStatus(answer, sending.nowMs);
    } else {
      const problem = isStream(sending)
        ? await passStream(answer, sending, meter, watch)
        : await passWhole(answer, sending, meter);
      if (problem === null) return { kind: 'whole', meter };
      error = classify(failureFacts(problem), sending.nowMs);
    }
  } catch (thrown) {
    const facts = watch.idle() ? { message: `no answer for ${sending.idleMs / 1000} s` } : thrown;
    error = classify(failureFacts(facts), sending.nowMs);
  } finally {
    watch.end();
  }
  if (sending.signal.aborted) return { kind: 'gone', meter };
  return { kind: sending.response.headersSent ? 'cut' : 'failed', error, meter };
}

function isStream({ body }: Sending): boolean {
  return body.stream === true;
}

function ask(sending: Sending, signal: AbortSignal): Promise<Response> {
  const { ref, role, body, headers, clean } = sending;
  const own = isProtocolsOwn(ref);
  const beta = headers['anthropic-beta'];
  const url = `${requestBase(ref.baseUrl, ref.api)}/messages${own ? '?beta=true' : ''}`;
  return modelFetch(ref, { wantsJson: !isStream(sending) })(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': headers['anthropic-version'] ?? VERSION,
      ...(own && beta !== undefined && { 'anthropic-beta': beta }),
      'x-cc-delegate-role': role,
    },
    body: JSON.stringify(bodyFor(body, ref, clean)),
    signal,
  });
}

async function explainStatus(answer: Response, nowMs: number): Promise<RequestError> {
  const responseBody = (await answer.text()).slice(0, MOST_ERROR_BYTES);
  const message = errorMessage(responseBody) ?? responseBody;
  const responseHeaders = Object.fromEntries(answer.headers);
  return classify(failureFacts({ message, statusCode: answer.status, responseHeaders, responseBody }), nowMs);
}

/** `error.message`, as all protocols have it. */
function errorMessage(text: string): string | null {
  return ERROR_BODY.safeParse(parseJson(text)).data?.error.message ?? null;
}

/**
 * Hands the stream on byte for byte, no faster than the client takes it. What comes before the first content is held
 * back, so that a stream which fails there can still be asked for again; so is what comes from the first tool call on,
 * since the client runs a call as soon as it is whole, and twice if the answer then breaks off and is asked for again
 * (2.1.332). What is wrong with it, or null.
 */
async function passStream(
  answer: Response,
  { response, signal }: Sending,
  meter: Meter,
  watch: Watch,
): Promise<unknown> {
  const reader = new SseReader();
  const held: Uint8Array[] = [];
  for await (const chunk of answer.body ?? []) {
    for (const event of reader.push(chunk)) if (meter.event(event)) watch.beat();
    if (meter.error !== null) return streamedError(meter.error);
    held.push(chunk);
    if (!meter.maySay) continue;
    if (!response.headersSent) response.writeHead(200, streamHeaders(answer));
    for (const bytes of held.splice(0)) await write(response, bytes, signal, watch);
    // Some keep the line open after their last word.
    if (meter.isWhole) break;
  }
  if (!meter.isWhole) return { message: 'the answer broke off before its end' };
  response.end();
  return null;
}

/** However slow the client is: that is no silence of the endpoint. */
async function write(
  response: ServerResponse,
  bytes: Uint8Array,
  signal: AbortSignal,
  watch: Watch,
): Promise<void> {
  if (response.write(bytes)) return;
  watch.rest();
  await once(response, 'drain', { signal });
  watch.beat();
}

function streamHeaders(answer: Response): Record<string, string> {
  const id = answer.headers.get('request-id');
  return {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    ...(id !== null && { 'request-id': id }),
  };
}

/** The statuses that the errors of the protocol have where they come before a stream, not in it. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
};

/** An error event with the status it would have had; without one where the protocol knows no such error. */
function streamedError(event: unknown): unknown {
  if (!isObject(event) || !isObject(event.error) || typeof event.error.type !== 'string') return event;
  const statusCode = STATUS[event.error.type];
  return statusCode === undefined ? event : { ...event.error, statusCode };
}

async function passWhole(answer: Response, { response }: Sending, meter: Meter): Promise<unknown> {
  const text = await answer.text();
  if (!meter.whole(text))
    return {
      message: errorMessage(text) ?? 'the answer cannot be read',
      responseBody: text.slice(0, MOST_ERROR_BYTES),
    };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(text);
  return null;
}
