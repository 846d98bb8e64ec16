import { request } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type Gateway,
  type GatewayOptions,
  openGateway,
} from '../../../../src/engine/claude/gateway/gateway.ts';
import type { EngineEvent, EngineHost, ModelRef } from '../../../../src/engine/engine.ts';
import type { Script, ScriptedModel } from '../../../../src/engine/scripted/server.ts';
import { makeFolder } from '../../../helpers/repository.ts';
import { fastClock, modelRef, scripted } from '../../harness.ts';

export const TOKEN = 'token-of-this-run';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The connection broke before the answer was whole. */
  readonly broken: boolean;
}

export interface Scene {
  readonly gateway: Gateway;
  readonly events: EngineEvent[];
  readonly clock: ReturnType<typeof fastClock>;
  readonly model: ScriptedModel;
  readonly socket: string;
  /** A request of the client's. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** A streamed model call, with these fields in place of the usual ones. */
  ask(fields?: object): Promise<Reply>;
}

export interface Wanted {
  readonly script: Script;
  /** A second model, to fall back on. */
  readonly second?: Script;
  readonly ref?: Partial<ModelRef>;
  readonly host?: Partial<EngineHost>;
  readonly options?: Partial<GatewayOptions>;
}

/** A gateway with one model behind it, or two. */
export async function open({ script, second, ref, host, options }: Wanted): Promise<Scene> {
  const model = await scripted(script);
  const other = second === undefined ? null : await scripted(second);
  const events: EngineEvent[] = [];
  const clock = fastClock();
  const socket = join(makeFolder(), 'g.sock');
  const primary = modelRef(model, 'anthropic', ref);
  const fallback = other && modelRef(other, 'anthropic', { model: 'second', ...ref });
  const gateway = await openGateway({
    socket,
    token: TOKEN,
    host: { tools: [], mayCall: () => null, emit: (event) => events.push(event), ...host },
    slots: [
      { name: 'scripted', role: 'worker', agent: 'main', models: fallback ? [primary, fallback] : [primary] },
    ],
    retry: { attempts: 3, capMs: 60_000 },
    idleMs: 10_000,
    signal: new AbortController().signal,
    clock,
    clean: (text) => text,
    guard: () => ({ allow: true }),
    onSession: () => true,
    ...options,
  });
  onTestFinished(() => gateway.close());
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send(socket, path, typeof body === 'string' ? body : JSON.stringify(body), headers);
  return {
    gateway,
    events,
    clock,
    model,
    socket,
    post,
    ask: (fields = {}) =>
      post('/v1/messages?beta=true', {
        model: 'scripted',
        max_tokens: 1000,
        stream: true,
        system: [{ type: 'text', text: 'You are a test.' }],
        messages: [{ role: 'user', content: 'Do the task.' }],
        ...fields,
      }),
  };
}

function send(
  socketPath: string,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { socketPath, path, method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, ...headers } },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('close', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: Buffer.concat(parts).toString('utf8'),
            broken: !answer.complete,
          }),
        );
        answer.on('error', () => {
          // `close` follows, and says what there was.
        });
      },
    );
    asked.on('error', reject);
    // Answered before all is said: the rest goes nowhere, and the request hears of it no more.
    asked.on('socket', (socket) => socket.on('error', () => undefined));
    asked.end(body);
  });
}
