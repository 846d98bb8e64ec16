import { onTestFinished } from 'vitest';
import { type ScriptedRequest, startScriptedModel } from '../../src/engine/scripted/server.ts';
import type { Turn } from '../../src/engine/scripted/turn.ts';

/** A result of a tool, as the model gets it. */
export interface ToolResult {
  readonly id: string;
  /** All of it, with what the client and hooks have added. */
  readonly text: string;
  /** What the tool said: the text before the first reminder. */
  readonly output: string;
  readonly isError: boolean;
}

/** What a supervisor's model is asked, taken apart. */
export interface Conversation {
  /** From 0, among the requests of main conversations to this endpoint; of side requests among those. */
  readonly index: number;
  /** The client's session; empty where the request does not say. */
  readonly session: string;
  readonly system: string;
  readonly tools: readonly string[];
  /** With tools: a real turn. Titles and the like have none. */
  readonly isMain: boolean;
  /** All texts since the model's last answer, reminders included, one under the other; no results of tools. */
  readonly turn: string;
  /** The results of tools since the model's last answer. */
  readonly toolResults: readonly ToolResult[];
  /** Everything the client sent as messages, as one text: to look for something anywhere in it. */
  readonly everything: string;
  readonly request: ScriptedRequest;
}

/** A call of one of the client's tools. */
export interface Call {
  readonly tool: string;
  readonly input: object;
}

/** A text, a call, or both; or a turn of the scripted model, for delays and failures. */
export type Reply = string | Call | readonly (string | Call)[] | { readonly turn: Turn };

/**
 * Plays the supervisor's model: asked for every request of a main conversation. Decide by what the conversation
 * holds, not by its index: the client asks when it sees fit.
 */
export type Scenario = (conversation: Conversation) => Reply | Promise<Reply>;

export interface Supervisor {
  /** For ANTHROPIC_BASE_URL. */
  readonly url: string;
  /** Every request so far, in order of arrival; grows. */
  readonly requests: readonly Conversation[];
  mainRequests(): readonly Conversation[];
  close(): Promise<void>;
}

/** Starts a scripted Anthropic Messages endpoint on loopback for the client; gone when the test ends. */
export async function startSupervisor(scenario: Scenario): Promise<Supervisor> {
  const requests: Conversation[] = [];
  const model = await startScriptedModel({
    script: async (request) => {
      const isMain = toolsOf(request).length > 0;
      const index = requests.filter((earlier) => earlier.isMain === isMain).length;
      const conversation = takeApart(request, index);
      requests.push(conversation);
      return isMain ? turnOf(await scenario(conversation)) : { text: 'A title' };
    },
  });
  onTestFinished(() => model.close());
  return {
    url: model.anthropicUrl,
    requests,
    mainRequests: () => requests.filter(({ isMain }) => isMain),
    close: () => model.close(),
  };
}

/** The call of the client's Bash tool for a command line. */
export function bash(command: string, more: { readonly run_in_background?: boolean } = {}): Call {
  return { tool: 'Bash', input: { command, description: 'a scripted command', ...more } };
}

function turnOf(reply: Reply): Turn {
  if (typeof reply === 'object' && 'turn' in reply) return reply.turn;
  const parts = typeof reply === 'string' || 'tool' in reply ? [reply] : reply;
  const text = parts.filter((part) => typeof part === 'string').join('\n');
  const calls = parts.filter((part) => typeof part !== 'string');
  return {
    ...(text !== '' && { text }),
    calls: calls.map(({ tool, input }) => ({ name: tool, args: input })),
  };
}

function takeApart(request: ScriptedRequest, index: number): Conversation {
  const { messages } = request.body;
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  const newest = messages.slice(lastAnswer + 1).flatMap(({ content }) => blocks(content));
  const tools = toolsOf(request);
  return {
    index,
    session: sessionOf(request),
    system: textOf(request.body.system),
    tools,
    isMain: tools.length > 0,
    turn: newest.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])).join('\n'),
    toolResults: newest.filter(({ type }) => type === 'tool_result').map(resultOf),
    everything: messages.map(({ content }) => textOf(content)).join('\n'),
    request,
  };
}

function resultOf(block: Block): ToolResult {
  const text = textOf(block.content);
  const [output = ''] = text.split('\n\n<system-reminder>');
  return { id: String(block.tool_use_id), text, output, isError: block.is_error === true };
}

function toolsOf({ body }: ScriptedRequest): string[] {
  const { tools } = body;
  return Array.isArray(tools) ? tools.map((tool: { name?: unknown }) => String(tool.name)) : [];
}

/** The client puts its session into a header, and into `metadata.user_id`. */
function sessionOf({ headers, body }: ScriptedRequest): string {
  const header = headers['x-claude-code-session-id'];
  if (header !== undefined) return header;
  const found = /session_(?:id)?["\s:_]*([0-9a-f-]{36})/.exec(JSON.stringify(body.metadata ?? ''));
  return found?.[1] ?? '';
}

type Block = Record<string, unknown>;

function blocks(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as Block[]) : [];
}

/** All texts in a content, results of tools included, one under the other. */
function textOf(content: unknown): string {
  return blocks(content)
    .map((block) => (block.type === 'text' ? String(block.text) : textOf(block.content)))
    .join('\n');
}
