import { isAbove, type PermissionMode } from '../job/permission-mode.ts';
import { EXIT, UserError } from '../job/user-error.ts';

/**
 * The mode a job gets under the user's ceiling: where nobody named one, the ceiling itself; null without either. Throws
 * UserError (exit 5) for a mode above it.
 */
export function modeUnder(
  mode: PermissionMode | null,
  ceiling: PermissionMode | null,
): PermissionMode | null {
  if (ceiling === null || mode === null) return mode ?? ceiling;
  if (!isAbove(mode, ceiling)) return mode;
  throw new UserError({
    code: 'above_ceiling',
    what: `this permission mode allows more than your settings do (permissionCeiling: ${ceiling})`,
    value: mode,
    remedy: `take ${ceiling} or less, or raise it: cc-delegate config set permissionCeiling ${mode}`,
    exit: EXIT.refused,
  });
}
