import * as z from 'zod';

/** A tool call of a scripted answer: `args` is sent as JSON, `rawArguments` as it stands (null: field absent). */
const CALL = z.strictObject({
  name: z.string(),
  id: z.string().optional(),
  args: z.unknown().optional(),
  rawArguments: z.string().nullable().optional(),
});

/** Tokens as most providers count them: `prompt` includes what was read from or written to a cache. */
const USAGE = z.strictObject({
  prompt: z.number(),
  output: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
  /** US dollars, as OpenRouter reports them in `usage.cost`. */
  cost: z.number().optional(),
});

/**
 * How the stream ends: as it should (`finish`), never (`hang`; `keep_alive` with an SSE comment every
 * `chunkMs`), with a destroyed socket (`cut`), cleanly but without a finish (`no_finish`), or with an error event.
 */
export const ENDINGS = ['finish', 'hang', 'keep_alive', 'cut', 'no_finish', 'error_event'] as const;

const TURN = z.strictObject({
  text: z.string().optional(),
  thinking: z.string().optional(),
  calls: z.array(CALL).optional(),
  /** `stop tool_calls length content_filter`, or any word to be sent as it is. Default: what fits. */
  finish: z.string().optional(),
  /** null: no usage is reported. */
  usage: USAGE.nullable().optional(),
  /** OpenAI only: usage in the last chunk (default), with `"usage": null` in the others, or in every chunk. */
  usageIn: z.enum(['last', 'null_in_others', 'every']).optional(),
  /** Milliseconds before the first byte, and between two chunks. */
  firstByteMs: z.number().optional(),
  chunkMs: z.number().optional(),
  ending: z.enum(ENDINGS).optional(),
  /** The socket is destroyed after so many bytes of the body. */
  cutAfterBytes: z.number().optional(),
  /** The message of the error event. */
  error: z.string().optional(),
  /** OpenAI: `choices: []`; Anthropic: no content. */
  noChoices: z.boolean().optional(),
  /** A plain HTTP answer in place of a model's: `body` is sent as JSON unless it is a string. */
  status: z.number().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
});

/** One scripted answer. Everything is optional: `{ text: 'done' }`, `{ calls: [{ name, args }] }`, `{ status: 500 }`. */
export type Turn = z.infer<typeof TURN>;
export type ScriptedCall = z.infer<typeof CALL>;
export type ScriptedUsage = z.infer<typeof USAGE>;

const ROLE_SCRIPT = z.strictObject({
  turns: z.record(z.string(), z.array(TURN)),
  /** After the last turn: it repeats (default), or the endpoint answers 400 `script ended`. */
  end: z.enum(['repeat', 'error']).optional(),
});

/** A list of turns for each role (see the header `x-cc-delegate-role`). */
export type RoleScript = z.infer<typeof ROLE_SCRIPT>;

const SCRIPT = z.union([z.array(TURN), ROLE_SCRIPT]);

/** Parses a script from JSON text: a list of turns for the worker, or `{turns: {<role>: […]}, end?}`. Throws a ZodError. */
export function parseScript(json: string): readonly Turn[] | RoleScript {
  return SCRIPT.parse(JSON.parse(json));
}

/** The turn for the n-th request (from 0) of a role, or the HTTP error that says the script has none. */
export function pickTurn(script: readonly Turn[] | RoleScript, role: string, index: number): Turn {
  const { turns, end } = isList(script) ? { turns: { worker: [...script] }, end: undefined } : script;
  const list = (turns as Record<string, Turn[] | undefined>)[role] ?? [];
  const turn = list[index] ?? (end === 'error' ? undefined : list.at(-1));
  return turn ?? { status: 400, body: { error: { message: `script ended for role ${role}` } } };
}

function isList(script: readonly Turn[] | RoleScript): script is readonly Turn[] {
  return Array.isArray(script);
}

/** What the finish of a turn is when it does not say. */
export function finishOf(turn: Turn): string {
  return turn.finish ?? ((turn.calls ?? []).length > 0 ? 'tool_calls' : 'stop');
}

/** The usage of a turn; 100 prompt and 10 output tokens where it does not say, null where it reports none. */
export function usageOf(turn: Turn): ScriptedUsage | null {
  return turn.usage === undefined ? { prompt: 100, output: 10 } : turn.usage;
}

/** The arguments of a call as text; null when the field is absent. */
export function argumentsOf(call: ScriptedCall): string | null {
  return call.rawArguments === undefined ? JSON.stringify(call.args ?? {}) : call.rawArguments;
}

/** Text in pieces, as a model streams it. */
export function pieces(text: string, size = 400): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
}
