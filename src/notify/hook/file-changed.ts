import { type HookAnswer, type HookCall, NOTHING, sessionOf } from './call.ts';
import { takeNews } from './news.ts';

/** Several changes at once come as one event, sent at the first of them: what follows at once is waited for. */
const SETTLE_MS = 300;

/** The bell: an idle session is woken, if there is anything it has not been told. */
export function fileChanged(call: HookCall): HookAnswer {
  const session = sessionOf(call);
  if (session === null) return NOTHING;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLE_MS);
  const news = takeNews(call, session);
  return news === null ? NOTHING : { exit: 2, stdout: '', stderr: `${news}\n` };
}
