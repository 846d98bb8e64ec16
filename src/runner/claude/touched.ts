import { relative, resolve } from 'node:path';
import type { EngineEvent } from '../../engine/engine.ts';

/** The client's tools that change a file, and the argument that names it. */
const WRITERS: Readonly<Record<string, string>> = {
  Write: 'file_path',
  Edit: 'file_path',
  NotebookEdit: 'notebook_path',
};

/**
 * Listens to what the client's tools do and tells of each file of the workspace that one of them has changed. `cwd`:
 * where the client stands, which relative paths start from.
 */
export function touchedBy(
  { work, cwd }: { readonly work: string; readonly cwd: string },
  touched: (path: string) => void,
): (event: EngineEvent) => void {
  const under = new Map<string, string>();
  return (event) => {
    if (event.t === 'tool_start') {
      const path = pathIn(event.tool, event.args);
      if (path !== null) under.set(`${event.agent} ${event.id}`, path);
    }
    if (event.t !== 'tool_end') return;
    const path = under.get(`${event.agent} ${event.id}`);
    under.delete(`${event.agent} ${event.id}`);
    if (path === undefined || !event.ok) return;
    const inside = relative(work, resolve(cwd, path));
    if (inside !== '' && inside !== '..' && !inside.startsWith('../')) touched(inside);
  };
}

function pathIn(tool: string, args: unknown): string | null {
  const field = WRITERS[tool];
  if (field === undefined || typeof args !== 'object' || args === null) return null;
  const fields: Partial<Record<string, unknown>> = { ...args };
  const path = fields[field];
  return typeof path === 'string' && path !== '' ? path : null;
}
