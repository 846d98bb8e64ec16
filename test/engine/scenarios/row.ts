import { expect } from 'vitest';
import type { RunOutcome } from '../../../src/engine/engine.ts';
import type { Script, ScriptedRequest } from '../../../src/engine/scripted/server.ts';
import type { Turn } from '../../../src/engine/scripted/turn.ts';
import type { Finished } from '../harness.ts';

/** One way in which a model can behave, and what an engine makes of it. */
export interface Row {
  readonly scenario: string;
  readonly script: Script;
  /** The script of a second model, in case the first fails. */
  readonly fallback?: Script;
  readonly idleMs?: number;
  readonly wanted: Partial<RunOutcome> | { status: RunOutcome['status'] };
  /** Requests of the worker to the first model. */
  readonly requests: number;
  /** What the tools did, in order. */
  readonly log?: readonly string[];
  readonly waits?: readonly number[];
  also?: ((run: Finished, requests: readonly ScriptedRequest[]) => void) | undefined;
}

export const WRITE: Turn = { calls: [{ name: 'write', args: { path: 'a.txt', content: 'one' } }] };
export const READ: Turn = { calls: [{ name: 'read', args: { path: 'a.txt' } }] };
export const DONE: Turn = { text: 'All done.' };
export const TORN = { name: 'write', rawArguments: '{"path":"a.txt","content":"line1\\nli' };
export const done = { status: 'done', finalText: 'All done.' } as const;
export const failed = (kind: string) => ({ status: 'failed', kind }) as Partial<RunOutcome>;

/** A script that plays `turns`, then says it is done. */
export const thenDone = (...turns: Turn[]): Turn[] => [...turns, DONE];

export function twice(turn: Turn): Turn[] {
  return [turn, turn];
}

export function tooLongAfterFirst({ role, index }: ScriptedRequest): Turn {
  return role === 'worker' && index === 0
    ? READ
    : { status: 400, body: { error: { message: 'maximum context length is 10 tokens' } } };
}

export function noTornHistory(_run: Finished, requests: readonly ScriptedRequest[]): void {
  expect(requests.at(-1)?.text).not.toContain('line1');
}

export function fedBack(words: string): Row['also'] {
  return (_run, requests) => {
    const next = requests[1]?.text ?? '';
    expect(next).toContain(JSON.stringify(words).slice(1, -1));
    expect(next).toMatch(
      /"role":"tool"|"type":"tool_result"|"type":"function_call_output"|"functionResponse"/,
    );
  };
}

export function nudged(words: string): Row['also'] {
  return (_run, requests) => {
    const body = requests[1]?.body;
    const lists = [body?.messages, body?.input, body?.contents];
    const sent = lists.find((list) => Array.isArray(list) && list.length > 0);
    expect(JSON.stringify(Array.isArray(sent) ? sent.at(-1) : null)).toContain(words);
  };
}
