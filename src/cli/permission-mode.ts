import { isAbove, narrower, type PermissionMode } from '../job/permission-mode.ts';
import type { Task } from '../job/task.ts';
import { freeTools } from '../job/tool-rules.ts';
import { EXIT, UserError } from '../job/user-error.ts';

/**
 * The mode a job gets under the user's ceiling: where nobody named one, the ceiling itself, which gives
 * nothing to whom rules give less (`hasRules`); null without either. Throws
 * UserError (exit 5) for a mode above it.
 */
export function modeUnder(
  mode: PermissionMode | null,
  ceiling: PermissionMode | null,
  hasRules = false,
): PermissionMode | null {
  if (ceiling === null || mode === null) return mode ?? lower(null, ceiling, hasRules);
  if (!isAbove(mode, ceiling)) return mode;
  throw new UserError({
    code: 'above_ceiling',
    what: `this permission mode allows more than your settings do (permissionCeiling: ${ceiling})`,
    value: mode,
    remedy: `take ${ceiling} or less, or raise it: cc-delegate config set permissionCeiling ${mode}`,
    exit: EXIT.refused,
  });
}

/**
 * The mode of a job that goes on from another one: that one's, lowered to that of a model the caller names and to the
 * ceiling of today. It is never refused for it: no verb that goes on has a way to name a lower one. `lowered` says what
 * the ceiling took away.
 */
export function modeOfNext(
  before: Pick<Task, 'permissionMode' | 'allowTools'>,
  named: Pick<Task, 'permissionMode'> | null,
  { permissionCeiling: ceiling }: { readonly permissionCeiling: PermissionMode | null },
): { readonly mode: PermissionMode | null; readonly lowered: readonly string[] } {
  const hasRules = before.allowTools.length > 0;
  const wanted = lower(before.permissionMode, named?.permissionMode ?? null, hasRules);
  const mode = lower(wanted, ceiling, hasRules);
  return { mode, lowered: mode === wanted ? [] : [`permission mode ${mode}, as your ceiling is now`] };
}

function lower(mode: PermissionMode | null, to: PermissionMode | null, hasRules: boolean) {
  const found = narrower(mode, to);
  // A job that had what its rules name, and no more, does not get to edit by a mode that is called a lower one.
  const wouldAdd = hasRules && freeTools(mode) === null && found === 'acceptEdits';
  return wouldAdd ? 'dontAsk' : found;
}
