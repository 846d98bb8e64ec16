import type { z } from 'zod';
import type { ToolDefinition, ToolResult } from '../engine.ts';
import type { RawCall } from './step.ts';

/** A call that can be run, or why not, in words for the model. */
export type CheckedCall =
  | { readonly ok: true; readonly call: RawCall; readonly tool: ToolDefinition; readonly args: unknown }
  | { readonly ok: false; readonly call: RawCall; readonly problem: string };

/** Checks a call against the tools. Nothing is guessed or repaired: a wrong call goes back to the model. */
export function checkCall(call: RawCall, tools: readonly ToolDefinition[]): CheckedCall {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) {
    const names = tools.map(({ name }) => name).join(', ');
    return { ok: false, call, problem: `There is no tool named "${call.name}". Your tools: ${names}.` };
  }
  if (call.malformed) {
    const problem = `The arguments of ${tool.name} are not valid JSON, so it was not run: ${start(call.input)}`;
    return { ok: false, call, problem };
  }
  const parsed = tool.input.safeParse(call.input);
  if (parsed.success) return { ok: true, call, tool, args: parsed.data };
  const problem = `Wrong arguments for ${tool.name}, so it was not run. ${issues(parsed.error)}`;
  return { ok: false, call, problem };
}

function start(input: unknown): string {
  const text = String(input);
  return text.length <= 200 ? text : `${text.slice(0, 200)}… (${text.length} characters)`;
}

function issues(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.length > 0 ? issue.path.join('.') : 'arguments'}: ${issue.message}`)
    .join('; ');
}

export interface RunHooks {
  readonly signal: AbortSignal;
  onStart(call: RawCall, args: unknown): void;
  /** In the order in which the calls end. `ms` of the tool's own time. */
  onEnd(call: RawCall, result: ToolResult, ms: number): void;
}

/**
 * Runs the calls of one answer: neighbours that only look side by side, the others one after another, in the
 * order the model gave. Rejects when a tool does: on an abort, or on a bug of the tool.
 */
export async function runCalls(calls: readonly CheckedCall[], hooks: RunHooks): Promise<void> {
  for (const batch of batches(calls)) {
    hooks.signal.throwIfAborted();
    // All of them are waited for, so that none still works when the run has ended.
    const settled = await Promise.allSettled(batch.map((checked) => runOne(checked, hooks)));
    for (const result of settled) if (result.status === 'rejected') throw result.reason;
  }
}

/** Calls that may run at the same time, as groups in the order of the calls. */
export function batches(calls: readonly CheckedCall[]): CheckedCall[][] {
  const groups: CheckedCall[][] = [];
  let open = false;
  for (const checked of calls) {
    const looks = !checked.ok || checked.tool.readOnly;
    const last = groups.at(-1);
    if (looks && open && last) last.push(checked);
    else groups.push([checked]);
    open = looks;
  }
  return groups;
}

async function runOne(checked: CheckedCall, hooks: RunHooks): Promise<void> {
  const { call } = checked;
  if (!checked.ok) {
    hooks.onStart(call, call.input);
    hooks.onEnd(call, { ok: false, text: checked.problem, summary: checked.problem.slice(0, 160) }, 0);
    return;
  }
  hooks.onStart(call, checked.args);
  const began = performance.now();
  const result = await checked.tool.run(checked.args, { signal: hooks.signal, callId: call.id });
  hooks.onEnd(call, result, Math.round(performance.now() - began));
}
