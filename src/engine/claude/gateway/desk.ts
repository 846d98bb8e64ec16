import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { parseJson } from '../../../job/json.ts';
import type { ToolDefinition } from '../../engine.ts';

const TOOL_REQUEST = z.object({ args: z.array(z.string()) });
const GUARD_REQUEST = z.object({ command: z.string(), cwd: z.string() });

/** What a program of the worker's prints, and whether it went well. */
export interface ToolAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/**
 * Runs a tool of the host for a program of the same name: its arguments are the tool's fields, in their order. What
 * does not fit is told by the usage line. Never rejects: an abort is an answer nobody reads.
 */
export async function runHostTool(
  tools: readonly ToolDefinition[],
  name: string,
  text: string,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return { ok: false, text: `there is no tool ${name}` };
  const fields = fieldsOf(tool.input);
  const { data } = TOOL_REQUEST.safeParse(parseJson(text));
  const usage = {
    ok: false,
    text: `usage: ${name} ${fields.map(([field, needed]) => usageOf(field, needed)).join(' ')}`,
  };
  if (data === undefined || data.args.length > fields.length) return usage;
  const given = data.args.map((value, at) => [fields[at]?.[0] ?? '', value] as const);
  const args = tool.input.safeParse(
    Object.fromEntries(given.filter(([, value], at) => at === 0 || value !== '')),
  );
  if (!args.success) return usage;
  try {
    const { ok, text: said } = await tool.run(args.data, { signal, callId: randomUUID() });
    return { ok, text: said };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, text: signal.aborted ? 'the run is over' : `${name} failed: ${why}` };
  }
}

/** The command a hook asks about; null for what is none. */
export function readGuardRequest(text: string): z.infer<typeof GUARD_REQUEST> | null {
  return GUARD_REQUEST.safeParse(parseJson(text)).data ?? null;
}

/** The fields of a tool, each with whether it has to be there. */
function fieldsOf(input: z.ZodType): [string, boolean][] {
  if (!(input instanceof z.ZodObject)) return [];
  const shape: Readonly<Record<string, z.ZodType>> = input.shape;
  return Object.entries(shape).map(([name, type]) => [name, !type.safeParse(undefined).success]);
}

function usageOf(field: string, needed: boolean): string {
  return needed ? `"${field}"` : `["${field}"]`;
}
