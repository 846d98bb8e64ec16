import type { FileResult } from '../files-result.ts';

/** The file tools by name, as the helper inside the sandbox is asked for them. */
export const FILE_TOOLS = ['read', 'write', 'edit', 'grep', 'glob'] as const;
export type FileTool = (typeof FILE_TOOLS)[number];

/** One line of JSON to the helper. `args` are those of the tool in `WorkspaceFiles`. */
export interface Call {
  readonly id: number;
  readonly tool: FileTool;
  readonly args: unknown;
}

/** One line of JSON from it. `fault` is a bug of ours, by its message. */
export type Reply =
  | { readonly id: number; readonly result: FileResult }
  | { readonly id: number; readonly fault: string };
