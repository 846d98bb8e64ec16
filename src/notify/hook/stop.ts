import { revokeDialogs } from '../consent/grants.ts';
import { context, type HookAnswer, type HookCall, NOTHING, sessionOf } from './call.ts';
import { takeNews } from './news.ts';

/** The end of a turn: what the bell has not brought yet. Never twice in a row, so that a turn can end. */
export function stop(call: HookCall): HookAnswer {
  const session = sessionOf(call);
  if (session === null) return NOTHING;
  revokeDialogs(call.userDir, session, call.now);
  if (call.input.stop_hook_active !== false) return NOTHING;
  const news = takeNews(call, session);
  return news === null ? NOTHING : context('Stop', news);
}
