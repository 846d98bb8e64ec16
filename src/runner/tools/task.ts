import * as z from 'zod';
import type { ToolDefinition, ToolResult } from '../../engine/engine.ts';
import { trimLine } from '../../job/format.ts';
import { SUB_ROLES, type SubRole } from '../sub-agents/roles.ts';

const input = z.strictObject({ role: z.enum(SUB_ROLES), prompt: z.string().min(1) });

/** Hands a part of the work to a sub-agent and waits for its report. */
export function taskTool(
  run: (role: SubRole, prompt: string, signal: AbortSignal) => Promise<ToolResult>,
): ToolDefinition {
  return {
    name: 'task',
    description:
      'Have a sub-agent with a fresh context do a part: implementer edits, tester writes test files, reviewer only reads.',
    input,
    // It may change files, but several of them run side by side: who may not is made to wait where they are run.
    readOnly: true,
    async run(args, { signal }) {
      const { role, prompt } = input.parse(args);
      const { ok, text, summary } = await run(role, prompt, signal);
      return { ok, text, summary: trimLine(summary, 120) };
    },
  };
}
