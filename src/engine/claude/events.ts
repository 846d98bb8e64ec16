import * as z from 'zod';
import { parseJson } from '../../job/json.ts';

/** Blocks of a message. What we know nothing of is kept as a block without a meaning. */
const TOOL_USE = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});
const TOOL_RESULT = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().nullish(),
  content: z.unknown().optional(),
});
const OTHER = z.object({ type: z.string() }).transform(() => ({ type: 'other' as const }));
const BLOCKS = z.union([z.string().transform(() => []), z.array(z.union([TOOL_USE, TOOL_RESULT, OTHER]))]);

const FROM = {
  session_id: z.string().optional(),
  parent_tool_use_id: z.string().nullish(),
  agent_id: z.string().nullish(),
  subagent_type: z.string().nullish(),
};

const LINE = z.union([
  z.object({ type: z.literal('system'), subtype: z.literal('init'), session_id: z.string() }),
  z.object({
    type: z.literal('system'),
    subtype: z.literal('task_started'),
    task_id: z.string(),
    tool_use_id: z.string(),
    subagent_type: z.string().nullish(),
  }),
  z.object({
    type: z.literal('system'),
    subtype: z.literal('compact_boundary'),
    compact_metadata: z.object({ pre_tokens: z.number().catch(0), post_tokens: z.number().catch(0) }),
  }),
  z.object({
    type: z.literal('assistant'),
    message: z.object({ id: z.string(), content: BLOCKS }),
    ...FROM,
  }),
  z.object({
    type: z.literal('user'),
    message: z.object({ content: BLOCKS }),
    uuid: z.string().optional(),
    isReplay: z.boolean().optional(),
    ...FROM,
  }),
  z.object({
    type: z.literal('result'),
    subtype: z.string().optional(),
    is_error: z.boolean(),
    result: z.string().nullish(),
    terminal_reason: z.string().nullish(),
    api_error_status: z.number().nullish(),
    num_turns: z.number().nullish(),
    errors: z.array(z.string()).nullish(),
  }),
]);

export type ClientLine = z.infer<typeof LINE>;
export type ResultLine = Extract<ClientLine, { type: 'result' }>;
export type AssistantLine = Extract<ClientLine, { type: 'assistant' }>;
export type UserLine = Extract<ClientLine, { type: 'user' }>;
export type ToolUse = z.infer<typeof TOOL_USE>;
export type ToolResultBlock = z.infer<typeof TOOL_RESULT>;

const ANY = z.looseObject({ type: z.string() });

/** One line of the client's output: one we know, one of a kind that means nothing to us, or none of its lines at all. */
export function readClientLine(
  text: string,
): { readonly kind: 'known'; readonly line: ClientLine } | { readonly kind: 'unknown' | 'garbage' } {
  const value = parseJson(text);
  const known = LINE.safeParse(value);
  if (known.success) return { kind: 'known', line: known.data };
  return { kind: ANY.safeParse(value).success ? 'unknown' : 'garbage' };
}

/** The text of a tool's result, as the model reads it. */
export function resultText({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  const parts = z.array(z.object({ text: z.string() }).catch({ text: '' })).safeParse(content);
  return parts.success ? parts.data.map(({ text }) => text).join('\n') : '';
}
