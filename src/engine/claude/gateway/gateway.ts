import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { EngineHost, RunSpec } from '../../engine.ts';
import { type Clock, SYSTEM_CLOCK } from '../../http/retry.ts';
import { estimateTokens } from '../../http/usage.ts';
import type { GuardAnswer } from '../options.ts';
import { type GatewayVerdict, sendError } from './api-error.ts';
import { Calls, type Slot } from './calls.ts';
import { readGuardRequest, runHostTool } from './desk.ts';
import { estimateRequest } from './estimate.ts';
import { badRequest, json, leave, notFound, notTaken } from './exchange.ts';
import { Intake } from './intake.ts';
import { readRequest } from './request-body.ts';
import { Thoughts } from './thoughts.ts';

export type { GatewayVerdict } from './api-error.ts';
export type { Slot } from './calls.ts';

export interface GatewayOptions {
  /** Absolute path of the socket; shorter than 100 bytes. */
  readonly socket: string;
  /** Of this run alone. */
  readonly token: string;
  readonly host: EngineHost;
  /** The names the client may ask for. The first is for every other name. */
  readonly slots: readonly [Slot, ...Slot[]];
  readonly retry: RunSpec['retry'];
  readonly idleMs: number;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Takes secrets out of what goes to a model. */
  readonly clean: (text: string) => string;
  readonly guard: (command: string, cwd: string) => GuardAnswer;
  /** Whole lines of a session's file, which begin there in it. False: the session is not this run's. */
  readonly onSession: (bytes: Uint8Array, offset: number, session: string) => boolean;
}

export interface Gateway {
  /** What stopped the run, or what it failed of; null while requests are let through. */
  readonly verdict: GatewayVerdict | null;
  /** Resolves when there is one; else never. */
  readonly whenVerdict: Promise<GatewayVerdict>;
  /** Takes nothing more, breaks off what is under way, and removes the socket. */
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 256;

/**
 * The client's only way out: an HTTP server on a socket of this run, which speaks the Anthropic Messages API on one
 * side and asks the job's models on the other. It alone has the keys; it asks the host before each request, repeats
 * and falls back as the other engine does, and counts what every answer costs. Rejects when the socket cannot be made, and for a model of another protocol: a bug.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const foreign = options.slots.flatMap(({ models }) => models).find(({ api }) => api !== 'anthropic');
  if (foreign !== undefined) throw new Error(`${foreign.model} is asked by ${foreign.api}, not anthropic`);
  const desk = new Desk(options);
  const server = createServer((request, response) => {
    desk.serve(request, response).catch((error: unknown) => {
      // A bug of ours, or a client that left in the middle: never the end of the runner.
      const message = error instanceof Error ? error.message : String(error);
      sendError(response, { status: 500, type: 'api_error', message: `gateway: ${message}`, final: false });
      leave(response);
    });
  });
  // A question may wait for its answer as long as the user likes.
  server.requestTimeout = 0;
  // Its connections are its own, and last: one that we close just as it is used again would be a failed request.
  server.keepAliveTimeout = 0;
  // A worker that opens more of them has no use for them, and the runner needs its descriptors.
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(options.socket);
  await once(server, 'listening');
  chmodSync(options.socket, 0o600);
  server.on('error', () => {
    // One connection could not be taken, for want of files perhaps: the client tries again.
  });
  return {
    get verdict() {
      return desk.verdict;
    },
    whenVerdict: desk.whenVerdict,
    async close() {
      desk.end();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      rmSync(options.socket, { force: true });
    },
  };
}

class Desk {
  readonly #options: GatewayOptions;
  readonly #calls: readonly { readonly name: string; readonly calls: Calls }[];
  readonly #over = new AbortController();
  readonly #intake = new Intake();
  #verdict: GatewayVerdict | null = null;
  #give: (verdict: GatewayVerdict) => void = () => undefined;
  readonly whenVerdict: Promise<GatewayVerdict>;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { slots, host, retry, idleMs, clean, clock = SYSTEM_CLOCK } = options;
    this.whenVerdict = new Promise((resolve) => {
      this.#give = resolve;
    });
    const signal = AbortSignal.any([options.signal, this.#over.signal]);
    const give = (verdict: GatewayVerdict): void => this.#decide(verdict);
    const verdict = (): GatewayVerdict | null => this.#verdict;
    const thoughts = new Thoughts();
    const common = { host, retry, idleMs, clean, thoughts, clock, signal, verdict, give };
    this.#calls = slots.map((slot) => ({ name: slot.name, calls: new Calls(slot, common) }));
  }

  get verdict(): GatewayVerdict | null {
    return this.#verdict;
  }

  end(): void {
    this.#over.abort();
  }

  /** The first one stands. */
  #decide(verdict: GatewayVerdict): void {
    if (this.#verdict !== null) return;
    this.#verdict = verdict;
    this.#give(verdict);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#isOurs(request)) {
      return sendError(response, {
        status: 401,
        type: 'authentication_error',
        message: 'not the token of this job',
        final: true,
      });
    }
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gateway');
    const [, first, name] = pathname.split('/');
    if (request.method !== 'POST') return notFound(response);
    const taken = await this.#intake.read(request, response, pathname);
    if ('refused' in taken) return notTaken(response, taken.refused);
    const { bytes } = taken;
    switch (pathname) {
      case '/v1/messages':
        return this.#message(bytes, request, response);
      case '/v1/messages/count_tokens':
        return this.#count(bytes, response);
      case '/guard':
        return this.#guard(bytes, response);
      case '/session':
        return this.#session(bytes, searchParams, response);
      default:
        return first === 'tools' && name !== undefined
          ? this.#tool(decodeURIComponent(name), bytes, response)
          : notFound(response);
    }
  }

  #isOurs({ headers }: IncomingMessage): boolean {
    const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
    const given = [bearer, headers['x-api-key']].filter((value) => typeof value === 'string');
    return given.some((value) => timingSafeEqual(digest(value), digest(this.#options.token)));
  }

  async #message(bytes: Buffer, { headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = bytes.toString('utf8');
    const body = readRequest(text);
    if (body === null) return badRequest(response, 'not a Messages request');
    const own = this.#calls.find(({ name }) => name === body.model) ?? this.#calls[0];
    await own?.calls.answer({ body, tokens: estimateRequest(body, text), headers, response });
  }

  #count(bytes: Buffer, response: ServerResponse): void {
    const text = bytes.toString('utf8');
    const body = readRequest(text);
    json(response, { input_tokens: body === null ? estimateTokens(text) : estimateRequest(body, text) });
  }

  #session(bytes: Buffer, asked: URLSearchParams, response: ServerResponse): void {
    const offset = Number(asked.get('offset') ?? Number.NaN);
    const session = asked.get('session');
    if (!Number.isSafeInteger(offset) || offset < 0 || session === null) {
      badRequest(response, 'no offset, or no session');
      return;
    }
    const isOurs = this.#options.onSession(bytes, offset, session);
    if (isOurs) json(response, {});
    else response.writeHead(409).end();
  }

  #guard(bytes: Buffer, response: ServerResponse): void {
    const wanted = readGuardRequest(bytes.toString('utf8'));
    const unread: GuardAnswer = { allow: false, reason: 'the command cannot be read' };
    json(response, wanted === null ? unread : this.#options.guard(wanted.command, wanted.cwd));
  }

  async #tool(name: string, bytes: Buffer, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#options.signal, this.#over.signal]);
    const done = await runHostTool(this.#options.host.tools, name, bytes.toString('utf8'), signal);
    json(response, done);
  }
}

/** Of equal length whatever was given, so that comparing takes the same time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
