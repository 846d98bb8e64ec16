import { randomUUID } from 'node:crypto';
import { argumentsOf, finishOf, pieces, type ScriptedUsage, type Turn, usageOf } from './turn.ts';

/** The turn as the server-sent events of a streaming Messages answer, up to where its ending takes over. */
export function anthropicFrames(turn: Turn, model: string): string[] {
  const usage = anthropicUsage(usageOf(turn));
  const message = { ...shell(model), content: [], stop_reason: null, usage: { ...usage, output_tokens: 0 } };
  const frames = [event('message_start', { message })];
  if (!turn.noChoices) frames.push(...blocks(turn));
  const ending = turn.ending ?? 'finish';
  if (ending === 'error_event') {
    frames.push(event('error', { error: { type: 'overloaded_error', message: turn.error ?? 'overloaded' } }));
  }
  if (ending !== 'finish') return frames;
  frames.push(
    event('message_delta', {
      delta: { stop_reason: stopReason(finishOf(turn)), stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
  );
  return [...frames, event('message_stop', {})];
}

function blocks(turn: Turn): string[] {
  const frames: string[] = [];
  let index = 0;
  const block = (start: object, deltas: object[], whole = true): void => {
    frames.push(event('content_block_start', { index, content_block: start }));
    for (const delta of deltas) frames.push(event('content_block_delta', { index, delta }));
    if (whole) frames.push(event('content_block_stop', { index }));
    index += 1;
  };
  if (turn.thinking !== undefined) {
    const thinking = pieces(turn.thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece }));
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...thinking,
      { type: 'signature_delta', signature: 'scripted' },
    ]);
  }
  if (turn.text !== undefined) {
    const text = pieces(turn.text).map((piece) => ({ type: 'text_delta', text: piece }));
    block({ type: 'text', text: '' }, text);
  }
  const calls = turn.calls ?? [];
  for (const [position, call] of calls.entries()) {
    // A stream that breaks off inside raw arguments never said that the block was complete.
    const torn = (turn.ending ?? 'finish') !== 'finish' && call.rawArguments !== undefined;
    const json = pieces(argumentsOf(call) ?? '').map((piece) => ({
      type: 'input_json_delta',
      partial_json: piece,
    }));
    const start = { type: 'tool_use', id: call.id ?? toolId(position), name: call.name, input: {} };
    block(start, json, !(torn && position === calls.length - 1));
  }
  return frames;
}

/** The turn as one message, for requests that do not stream. Raw arguments that are no JSON are sent as a string. */
export function anthropicBody(turn: Turn, model: string): unknown {
  const content: object[] = [];
  if (turn.thinking !== undefined) {
    content.push({ type: 'thinking', thinking: turn.thinking, signature: 'scripted' });
  }
  if (turn.text !== undefined) content.push({ type: 'text', text: turn.text });
  for (const [position, call] of (turn.calls ?? []).entries()) {
    const input = call.rawArguments === undefined ? (call.args ?? {}) : call.rawArguments;
    content.push({ type: 'tool_use', id: call.id ?? toolId(position), name: call.name, input });
  }
  return {
    ...shell(model),
    content: turn.noChoices ? [] : content,
    stop_reason: stopReason(finishOf(turn)),
    usage: anthropicUsage(usageOf(turn)),
  };
}

/** An id of its own: a client takes two messages with one id for parts of the same message. */
function shell(model: string): object {
  return {
    id: `msg_${randomUUID().slice(0, 8)}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_sequence: null,
  };
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

/** Ids differ between requests, as real ones do. */
function toolId(index: number): string {
  return `toolu_${randomUUID().slice(0, 8)}_${index}`;
}

const STOP_REASONS: Record<string, string> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

function stopReason(finish: string): string {
  return STOP_REASONS[finish] ?? finish;
}

/** Anthropic counts the cache apart from the input; it always reports usage, so "none" is all zeros. */
function anthropicUsage(usage: ScriptedUsage | null): Record<string, number> & { output_tokens: number } {
  const { prompt, output, cacheRead = 0, cacheWrite = 0 } = usage ?? { prompt: 0, output: 0 };
  return {
    input_tokens: Math.max(0, prompt - cacheRead - cacheWrite),
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  };
}
