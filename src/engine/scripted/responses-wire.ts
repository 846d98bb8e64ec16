import { randomUUID } from 'node:crypto';
import { argumentsOf, finishOf, pieces, type ScriptedUsage, type Turn, usageOf } from './turn.ts';

/** An item of an answer, and the events that stream it between its being added and its being done. */
interface Item {
  readonly item: Readonly<Record<string, unknown>>;
  readonly deltas: readonly (readonly [type: string, fields: object])[];
  /** False for a call that is torn: its end was never sent. */
  readonly whole: boolean;
}

/** The turn as the server-sent events of a streaming Responses answer, up to where its ending takes over. */
export function responsesFrames(turn: Turn, model: string): string[] {
  const id = `resp_${randomUUID().slice(0, 8)}`;
  const shell = { id, object: 'response', created_at: 0, model, status: 'in_progress', output: [] };
  const frames = [event('response.created', { response: shell })];
  for (const [index, item] of (turn.noChoices ? [] : itemsOf(turn)).entries()) {
    frames.push(...itemFrames(item, index));
  }
  const ending = turn.ending ?? 'finish';
  if (ending === 'error_event') frames.push(errorEvent(turn));
  if (ending !== 'finish') return frames;
  const { reason, ...end } = endOf(turn);
  frames.push(
    event(end.type, {
      response: {
        ...shell,
        status: end.status,
        incomplete_details: reason === null ? null : { reason },
        usage: responsesUsage(usageOf(turn)),
      },
    }),
  );
  return frames;
}

/** The turn as one response, for requests that do not stream. */
export function responsesBody(turn: Turn, model: string): unknown {
  const { reason, status } = endOf(turn);
  return {
    id: `resp_${randomUUID().slice(0, 8)}`,
    object: 'response',
    created_at: 0,
    model,
    status,
    output: turn.noChoices ? [] : itemsOf(turn).map(({ item }) => item),
    incomplete_details: reason === null ? null : { reason },
    usage: responsesUsage(usageOf(turn)),
  };
}

function itemsOf(turn: Turn): Item[] {
  const items: Item[] = [];
  if (turn.thinking !== undefined) items.push(reasoning(turn.thinking));
  if (turn.text !== undefined) items.push(message(turn.text));
  for (const [position, call] of (turn.calls ?? []).entries()) {
    const isLast = position === (turn.calls ?? []).length - 1;
    // A stream that breaks off inside raw arguments never said that the call was complete.
    const torn = (turn.ending ?? 'finish') !== 'finish' && call.rawArguments !== undefined && isLast;
    const text = argumentsOf(call) ?? '';
    items.push({
      item: {
        type: 'function_call',
        id: itemId('fc'),
        call_id: call.id ?? itemId('call'),
        name: call.name,
        arguments: text,
        status: 'completed',
      },
      deltas: pieces(text).map((delta) => ['response.function_call_arguments.delta', { delta }] as const),
      whole: !torn,
    });
  }
  return items;
}

function reasoning(text: string): Item {
  const summary = [{ type: 'summary_text', text }];
  return {
    item: { type: 'reasoning', id: itemId('rs'), summary, encrypted_content: 'scripted-encrypted' },
    deltas: [
      [
        'response.reasoning_summary_part.added',
        { summary_index: 0, part: { type: 'summary_text', text: '' } },
      ],
      ...pieces(text).map(
        (delta) => ['response.reasoning_summary_text.delta', { summary_index: 0, delta }] as const,
      ),
    ],
    whole: true,
  };
}

function message(text: string): Item {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return {
    item: { type: 'message', id: itemId('msg'), role: 'assistant', status: 'completed', content },
    deltas: pieces(text).map((delta) => ['response.output_text.delta', { content_index: 0, delta }] as const),
    whole: true,
  };
}

function itemFrames({ item, deltas, whole }: Item, index: number): string[] {
  const at = { output_index: index };
  const added = { ...item, ...EMPTY[String(item.type)] };
  return [
    event('response.output_item.added', { ...at, item: added }),
    ...deltas.map(([type, fields]) => event(type, { ...at, item_id: item.id, ...fields })),
    ...(whole ? [event('response.output_item.done', { ...at, item })] : []),
  ];
}

/** What an item has not yet when it is added. */
const EMPTY: Readonly<Record<string, object>> = {
  reasoning: { summary: [], encrypted_content: null },
  message: { content: [], status: 'in_progress' },
  function_call: { arguments: '', status: 'in_progress' },
};

/** `content_filter` and `length` are incomplete answers; every other end is a complete one. */
function endOf(turn: Turn): { type: string; status: string; reason: string | null } {
  const finish = finishOf(turn);
  const reason = { length: 'max_output_tokens', content_filter: 'content_filter' }[finish] ?? null;
  return reason === null
    ? { type: 'response.completed', status: 'completed', reason }
    : { type: 'response.incomplete', status: 'incomplete', reason };
}

function errorEvent(turn: Turn): string {
  const message = turn.error ?? 'overloaded';
  return event('error', {
    sequence_number: 9,
    error: { type: 'server_error', code: 'server_error', message },
  });
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

/** Ids differ between requests, as real ones do. */
function itemId(kind: string): string {
  return `${kind}_${randomUUID().slice(0, 8)}`;
}

/** The input has the cache in it, the output the reasoning. */
function responsesUsage(usage: ScriptedUsage | null): object | null {
  if (usage === null) return null;
  const { prompt, output, cacheRead, cacheWrite } = usage;
  return {
    input_tokens: prompt,
    input_tokens_details: {
      cached_tokens: cacheRead ?? 0,
      ...(cacheWrite !== undefined && { cache_write_tokens: cacheWrite }),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: prompt + output,
  };
}
