import * as z from 'zod';

const itemSchema = z.looseObject({ role: z.string().optional(), content: z.unknown().optional() });
const partSchema = z.looseObject({ type: z.string() });
/** The chat protocols have `messages`, the Responses protocol `input`. */
const askedSchema = z.looseObject({
  messages: z.array(itemSchema).optional(),
  input: z.array(itemSchema).optional(),
});

/**
 * Whom Copilot counts a request for: `user` for a message of ours, `agent` for what follows from a tool's result. The
 * former counts against a plan's requests.
 */
export function copilotInitiator(body: string): 'user' | 'agent' {
  const asked = askedSchema.safeParse(jsonOf(body));
  const last = asked.success ? (asked.data.messages ?? asked.data.input)?.at(-1) : undefined;
  if (last === undefined) return 'user';
  // Anthropic's protocol has a tool's result in a message of the user.
  const parts = z.array(partSchema).safeParse(last.content);
  const isResult = parts.success && parts.data.some(({ type }) => type === 'tool_result');
  return last.role === 'user' && !isResult ? 'user' : 'agent';
}

const responsesSchema = z.looseObject({
  input: z.array(itemSchema).optional(),
  include: z.array(z.string()).optional(),
  instructions: z.string().optional(),
});

/** Fields the ChatGPT service refuses. */
const STRIPPED = ['max_output_tokens', 'max_tokens', 'max_completion_tokens', 'metadata'] as const;
const REASONING = 'reasoning.encrypted_content';

/**
 * A request of the Responses protocol in the form the ChatGPT service takes: streamed, kept nowhere, its reasoning given
 * back to us encrypted, no limits and metadata, and the system's words as `instructions`, which have to be there.
 */
export function chatgptBody(body: string): string {
  const parsed = responsesSchema.safeParse(jsonOf(body));
  if (!parsed.success) return body;
  const { input = [], include = [], instructions, ...rest } = parsed.data;
  const kept: Record<string, unknown> = { ...rest };
  for (const name of STRIPPED) delete kept[name];
  const system = input.filter(isSystem);
  const words = [...(instructions === undefined ? [] : [instructions]), ...system.map(textOf)];
  return JSON.stringify({
    ...kept,
    instructions: words.join('\n\n'),
    input: input.filter((item) => !isSystem(item)),
    include: [...new Set([...include, REASONING])],
    store: false,
    stream: true,
  });
}

type Item = z.infer<typeof itemSchema>;

function isSystem({ role }: Item): boolean {
  return role === 'system' || role === 'developer';
}

const partsSchema = z.array(z.looseObject({ text: z.string() }));

function textOf({ content }: Item): string {
  if (typeof content === 'string') return content;
  const parts = partsSchema.safeParse(content);
  return parts.success ? parts.data.map(({ text }) => text).join('\n') : '';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not ours to change then.
    return undefined;
  }
}
