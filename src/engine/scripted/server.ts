import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import type { ModelApi } from '../engine.ts';
import { anthropicBody, anthropicFrames } from './anthropic-wire.ts';
import { googleBody, googleFrames } from './google-wire.ts';
import { openAiBody, openAiFrames } from './openai-wire.ts';
import { playTurn, type Wire } from './play.ts';
import { responsesBody, responsesFrames } from './responses-wire.ts';
import { pickTurn, type RoleScript, type Turn } from './turn.ts';

const BODY = z.looseObject({
  model: z.string().catch(''),
  stream: z.boolean().catch(false),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).catch([]),
});

/** A request as the endpoint got it. */
export interface ScriptedRequest {
  /** From 0, among the requests of its role. */
  readonly index: number;
  /** The header `x-cc-delegate-role`; `worker` where it is missing. */
  readonly role: string;
  readonly api: ModelApi;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body, all of its fields. */
  readonly body: z.infer<typeof BODY>;
  /** The body as text. */
  readonly text: string;
  /** `performance.now()` when the request was complete. */
  readonly at: number;
  /** Aborted when the client has closed the connection, or was answered. */
  readonly gone: AbortSignal;
}

/** Turns for the worker, turns for each role, or a function that is asked for every request. */
export type Script = readonly Turn[] | RoleScript | ((request: ScriptedRequest) => Turn | Promise<Turn>);

export interface ScriptedModel {
  /** The base of OpenAI chat completions, with `/v1`. */
  readonly url: string;
  /** The base of Anthropic Messages as ANTHROPIC_BASE_URL wants it, without `/v1`. */
  readonly anthropicUrl: string;
  /** The base of Gemini's protocol, with `/v1beta`. */
  readonly googleUrl: string;
  /** Every request so far, in order of arrival; grows. */
  readonly requests: readonly ScriptedRequest[];
  close(): Promise<void>;
}

/**
 * A model endpoint on loopback that plays a script, streaming or plain: OpenAI chat completions
 * (`POST …/chat/completions`), OpenAI Responses (`…/responses`), Anthropic Messages (`…/messages`), Gemini
 * (`…/models/<id>:generateContent` and `:streamGenerateContent`), and `GET …/models`. No key is checked.
 * Port 0 (default) is a free one. A function that throws is answered with HTTP 500 and its message.
 */
export async function startScriptedModel(options: {
  readonly script: Script;
  readonly port?: number;
}): Promise<ScriptedModel> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((incoming, response) => {
    answer(incoming, response, options.script, requests).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { message: `scripted model: ${message}` } });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    anthropicUrl: `http://127.0.0.1:${port}`,
    googleUrl: `http://127.0.0.1:${port}/v1beta`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  script: Script,
  requests: ScriptedRequest[],
): Promise<void> {
  const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
  if (path.endsWith('/models'))
    return sendJson(response, 200, { object: 'list', data: [{ id: 'scripted' }] });
  const api = APIS.find(({ form }) => form.test(path))?.api;
  if (api === undefined) return sendJson(response, 404, { error: { message: `no such path: ${path}` } });
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const text = await readText(incoming);
  const role = String(incoming.headers['x-cc-delegate-role'] ?? 'worker');
  const request: ScriptedRequest = {
    index: requests.filter((earlier) => earlier.role === role).length,
    role,
    api,
    path,
    headers: flatten(incoming),
    body: bodyOf(api, path, text),
    text,
    at: performance.now(),
    gone: gone.signal,
  };
  requests.push(request);
  const turn = typeof script === 'function' ? await script(request) : pickTurn(script, role, request.index);
  await playTurn(turn, wireOf(request), response, gone.signal);
}

/** By how the path ends. */
const APIS: readonly { readonly form: RegExp; readonly api: ModelApi }[] = [
  { form: /\/messages$/, api: 'anthropic' },
  { form: /\/chat\/completions$/, api: 'openai-chat' },
  { form: /\/responses$/, api: 'openai-responses' },
  { form: /\/models\/.+:(?:streamG|g)enerateContent$/, api: 'google' },
];

/** Gemini's protocol has model and streaming in the path, where the others have them in the body. */
function bodyOf(api: ModelApi, path: string, text: string): ScriptedRequest['body'] {
  const body = BODY.parse(JSON.parse(text));
  const [, model, stream] = /\/models\/(.+):(stream)?/.exec(path) ?? [];
  return api === 'google' && model !== undefined ? { ...body, model, stream: stream !== undefined } : body;
}

const WIRES: Record<
  ModelApi,
  {
    readonly frames: (turn: Turn, model: string) => string[];
    readonly body: (turn: Turn, model: string) => unknown;
  }
> = {
  'openai-chat': { frames: openAiFrames, body: openAiBody },
  'openai-responses': { frames: responsesFrames, body: responsesBody },
  anthropic: { frames: anthropicFrames, body: anthropicBody },
  google: { frames: googleFrames, body: googleBody },
};

function wireOf({ api, body }: ScriptedRequest): Wire {
  const { stream, model } = body;
  const wire = WIRES[api];
  return { stream, frames: (turn) => wire.frames(turn, model), body: (turn) => wire.body(turn, model) };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function flatten(incoming: IncomingMessage): Record<string, string> {
  const entries = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(entries);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
