import * as z from 'zod';
import type { ToolDefinition, ToolResult } from '../../engine/engine.ts';
import type { FileResult, WorkspaceFiles } from '../../workspace/files.ts';

const path = z.string().min(1);
const whole = z.number().int().min(0);

const read = z.strictObject({ path, offset: whole.optional(), limit: whole.optional() });
const write = z.strictObject({ path, content: z.string() });
const edit = z.strictObject({
  path,
  oldText: z.string(),
  newText: z.string(),
  replaceAll: z.boolean().optional(),
});
const grep = z.strictObject({
  pattern: z.string().min(1),
  path: path.optional(),
  glob: z.string().optional(),
});
const glob = z.strictObject({ pattern: z.string().min(1) });

/** The worker's file tools, confined to the workspace. `touched` hears of every path that was changed. */
export function fileTools(files: WorkspaceFiles, touched: (path: string) => void): ToolDefinition[] {
  return [
    tool('read', 'Read a file; offset and limit count lines.', read, true, (args) => files.read(args)),
    tool('write', 'Write a whole file; folders are made.', write, false, async (args) => {
      const result = await files.write(args);
      if (result.ok) touched(args.path);
      return result;
    }),
    tool(
      'edit',
      'Replace oldText, which must occur once, or everywhere with replaceAll.',
      edit,
      false,
      async (args) => {
        const result = await files.edit(args);
        if (result.ok) touched(args.path);
        return result;
      },
    ),
    tool('grep', 'Search files by regular expression.', grep, true, (args) => files.grep(args)),
    tool('glob', 'List files by pattern, e.g. src/**/*.ts.', glob, true, (args) => files.glob(args)),
  ];
}

function tool<Schema extends z.ZodType>(
  name: string,
  description: string,
  input: Schema,
  readOnly: boolean,
  act: (args: z.output<Schema>) => Promise<FileResult>,
): ToolDefinition {
  const run = async (args: unknown): Promise<ToolResult> => act(input.parse(args));
  return { name, description, input, readOnly, run };
}
