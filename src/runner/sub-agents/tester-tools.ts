import * as z from 'zod';
import type { ToolDefinition, ToolResult } from '../../engine/engine.ts';
import { isTestFile } from '../../job/test-files.ts';

/** The shell of a tester: it runs in a copy, which hears of what the tester writes. */
export interface TesterShell {
  readonly bash: ToolDefinition;
  /** Brings a file of the workspace that was just written into the copy, if there is one already. */
  mirror(path: string, signal: AbortSignal): Promise<void>;
}

const WITH_PATH = z.looseObject({ path: z.string() });
const WRITERS: readonly string[] = ['write', 'edit'] as const;

/**
 * The worker's tools as a tester may use them: it reads everything, writes test files, and its shell, if it has one,
 * is that of a copy. `placeOf` follows every link of a path and says where in the workspace it ends.
 */
export function testerTools(
  tools: readonly ToolDefinition[],
  shell: TesterShell | null,
  placeOf: (path: string) => Promise<string>,
): ToolDefinition[] {
  return tools.flatMap((tool) => {
    if (tool.readOnly) return [tool];
    if (WRITERS.includes(tool.name)) return [onlyTests(tool, shell, placeOf)];
    // Whatever else can change something, it can change everything.
    return tool.name === 'bash' && shell !== null ? [shell.bash] : [];
  });
}

function onlyTests(
  tool: ToolDefinition,
  shell: TesterShell | null,
  placeOf: (path: string) => Promise<string>,
): ToolDefinition {
  return {
    ...tool,
    async run(args, context) {
      const { path, ...rest } = WITH_PATH.parse(args);
      const place = await placeOf(path).catch((error: unknown) => (error instanceof Error ? error : null));
      if (place === null || place instanceof Error)
        return refuse(path, place?.message ?? 'it cannot be found');
      if (!isTestFile(place)) {
        return refuse(path, `${place} is no test file, and a tester writes test files only`);
      }
      // By the place itself: a link that is put there in the meantime leads nowhere else.
      const result = await tool.run({ ...rest, path: place }, context);
      if (result.ok) await shell?.mirror(place, context.signal);
      return result;
    },
  };
}

function refuse(path: string, why: string): ToolResult {
  return { ok: false, text: `${path}: refused; ${why}`, summary: `${path}: refused` };
}
