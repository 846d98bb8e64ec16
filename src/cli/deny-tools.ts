import { TOOL_NAMES, toolName } from '../job/task.ts';
import { usage } from './parse.ts';

/** The values of `--deny-tool` as our names of the tools. Throws UserError (exit 2) for a name that is no tool. */
export function deniedTools(typed: readonly string[] | undefined): string[] {
  return [...new Set((typed ?? []).map(known))];
}

function known(typed: string): string {
  const name = toolName(typed);
  if (name !== null) return name;
  throw usage('--deny-tool takes the name of a tool', typed, `one of: ${Object.keys(TOOL_NAMES).join(' ')}`);
}
