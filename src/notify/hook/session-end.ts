import { readSession, saveSession } from '../sessions.ts';
import { type HookAnswer, type HookCall, NOTHING, sessionOf } from './call.ts';

/** The session is over; its jobs are not. */
export function sessionEnd(call: HookCall): HookAnswer {
  const id = sessionOf(call);
  const session = id === null ? null : readSession(call.userDir, id);
  if (session !== null) saveSession(call.userDir, { ...session, endedAt: new Date(call.now).toISOString() });
  return NOTHING;
}
