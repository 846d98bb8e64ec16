import { randomUUID } from 'node:crypto';
import { argumentsOf, finishOf, pieces, type ScriptedUsage, type Turn, usageOf } from './turn.ts';

/** The turn as the server-sent events of a streaming chat completion, up to where its ending takes over. */
export function openAiFrames(turn: Turn, model: string): string[] {
  const usage = openAiUsage(usageOf(turn));
  const everywhere = turn.usageIn === 'every' ? usage : null;
  const chunk = (choices: unknown[], extra: object = {}): string =>
    data({ id: 'scripted', object: 'chat.completion.chunk', created: 0, model, choices, ...extra });
  const others = turn.usageIn === undefined || turn.usageIn === 'last' ? {} : { usage: everywhere };
  const delta = (fields: object, finish: string | null = null): string =>
    chunk([{ index: 0, delta: fields, finish_reason: finish }], others);

  if (turn.noChoices) return [chunk([]), DONE];
  const frames = [delta({ role: 'assistant', content: '' })];
  for (const piece of pieces(turn.thinking ?? '')) frames.push(delta({ reasoning_content: piece }));
  for (const piece of pieces(turn.text ?? '')) frames.push(delta({ content: piece }));
  for (const [index, call] of (turn.calls ?? []).entries()) {
    const text = argumentsOf(call);
    const start = { index, id: call.id ?? callId(index), type: 'function' };
    frames.push(
      delta({
        tool_calls: [{ ...start, function: { name: call.name, ...(text !== null && { arguments: '' }) } }],
      }),
    );
    for (const piece of pieces(text ?? '')) {
      frames.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  const ending = turn.ending ?? 'finish';
  if (ending === 'error_event')
    frames.push(data({ error: { message: turn.error ?? 'overloaded', type: 'server_error' } }));
  if (ending !== 'finish') return frames;
  frames.push(delta({}, finishOf(turn)));
  if (usage !== null) frames.push(chunk([], { usage }));
  return [...frames, DONE];
}

/** The turn as one chat completion, for requests that do not stream. */
export function openAiBody(turn: Turn, model: string): unknown {
  const calls = (turn.calls ?? []).map((call, index) => ({
    id: call.id ?? callId(index),
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) ?? '' },
  }));
  const message = {
    role: 'assistant',
    content: turn.text ?? null,
    ...(turn.thinking !== undefined && { reasoning_content: turn.thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choices = turn.noChoices ? [] : [{ index: 0, message, finish_reason: finishOf(turn) }];
  const usage = openAiUsage(usageOf(turn));
  return { id: 'scripted', object: 'chat.completion', created: 0, model, choices, ...(usage && { usage }) };
}

const DONE = 'data: [DONE]\n\n';

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Ids differ between requests, as real ones do. */
function callId(index: number): string {
  return `call_${randomUUID().slice(0, 8)}_${index}`;
}

function openAiUsage(usage: ScriptedUsage | null): object | null {
  if (usage === null) return null;
  const cached = usage.cacheRead !== undefined && {
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
  };
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.output,
    total_tokens: usage.prompt + usage.output,
    ...cached,
    ...(usage.cost !== undefined && { cost: usage.cost }),
  };
}
