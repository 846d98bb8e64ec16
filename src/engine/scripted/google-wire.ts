import {
  argumentsOf,
  finishOf,
  pieces,
  type ScriptedCall,
  type ScriptedUsage,
  type Turn,
  usageOf,
} from './turn.ts';

/** The turn as the server-sent events of `streamGenerateContent`, up to where its ending takes over. */
export function googleFrames(turn: Turn, model: string): string[] {
  const usage = googleUsage(usageOf(turn));
  const shell = { modelVersion: model, responseId: 'scripted' };
  const parts = turn.noChoices ? [] : partsOf(turn);
  // Every chunk counts from the start: usage in each of them, the answer growing.
  const soFar = usage && { ...usage, candidatesTokenCount: undefined };
  const frames = parts.map((part) =>
    data({
      candidates: [{ index: 0, content: content([part]) }],
      usageMetadata: soFar ?? undefined,
      ...shell,
    }),
  );
  const ending = turn.ending ?? 'finish';
  if (ending === 'error_event') {
    const message = turn.error ?? 'overloaded';
    frames.push(data({ error: { code: 503, message, status: 'UNAVAILABLE' } }));
  }
  if (ending !== 'finish') return frames;
  const end = { index: 0, content: content([{ text: '' }]), finishReason: finishReason(turn) };
  const candidates = turn.noChoices ? [] : [end];
  return [...frames, data({ candidates, usageMetadata: usage ?? undefined, ...shell })];
}

/** The turn as one answer of `generateContent`. */
export function googleBody(turn: Turn, model: string): unknown {
  const usage = googleUsage(usageOf(turn));
  const candidate = { index: 0, content: content(partsOf(turn)), finishReason: finishReason(turn) };
  return {
    candidates: turn.noChoices ? [] : [candidate],
    ...(usage && { usageMetadata: usage }),
    modelVersion: model,
  };
}

function partsOf(turn: Turn): object[] {
  const thoughts = pieces(turn.thinking ?? '').map((text) => ({ text, thought: true }));
  const calls = turn.calls ?? [];
  // A call comes whole or not at all: one that is torn was never sent.
  const isCut = (turn.ending ?? 'finish') !== 'finish';
  const sent = calls.filter(({ rawArguments }) => !isCut || rawArguments === undefined);
  return [
    ...thoughts,
    ...pieces(turn.text ?? '').map((text) => ({ text })),
    ...sent.map((call, index) => ({
      functionCall: { name: call.name, ...(call.id !== undefined && { id: call.id }), ...argsOf(call) },
      // The first of several calls in a row has the signature.
      ...(index === 0 && { thoughtSignature: 'c2NyaXB0ZWQ=' }),
    })),
  ];
}

/** Arguments are an object here, so raw ones are sent as the text they are. */
function argsOf(call: ScriptedCall): { readonly args?: unknown } {
  if (call.rawArguments === undefined) return { args: call.args ?? {} };
  const text = argumentsOf(call);
  return text === null ? {} : { args: text };
}

function content(parts: readonly object[]): object {
  return { role: 'model', parts };
}

const FINISH_REASONS: Record<string, string> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

function finishReason(turn: Turn): string {
  const finish = finishOf(turn);
  return FINISH_REASONS[finish] ?? finish;
}

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\r\n\r\n`;
}

/** The prompt has the cache in it. */
function googleUsage(usage: ScriptedUsage | null): Record<string, number | undefined> | null {
  if (usage === null) return null;
  const { prompt, output, cacheRead } = usage;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output,
    totalTokenCount: prompt + output,
    ...(cacheRead !== undefined && { cachedContentTokenCount: cacheRead }),
  };
}
