import { revokeDialogs } from '../consent/grants.ts';
import { type HookAnswer, type HookCall, NOTHING, sessionOf } from './call.ts';

/**
 * Before any command of the session's model, where a dialog's consent is left: it was said no to, and a command that
 * does not name us must not find it.
 */
export function anyCommand(call: HookCall): HookAnswer {
  const session = sessionOf(call);
  if (session !== null) revokeDialogs(call.userDir, session, call.now);
  return NOTHING;
}
