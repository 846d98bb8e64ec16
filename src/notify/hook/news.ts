import { checkpoint } from '../../store/checkpoint.ts';
import { seeToLost } from '../active-jobs.ts';
import { ringOnce } from '../bell.ts';
import { activeFor, claim, keptFor, tidy } from '../deliveries.ts';
import { ownersFor } from '../heirs.ts';
import { howManyFit, noticeText, toldText } from '../notice.ts';
import type { HookCall } from './call.ts';

/**
 * What this session has not been told yet, as one text; null when there is nothing. Marked first, and told then: a
 * notice that two hooks find at once is told by one of them, and what a killed hook had marked is listed when the next
 * session begins. What does not fit rings the session's own bell once more.
 */
export function takeNews({ userDir, program, env, now }: HookCall, session: string): string | null {
  const owners = ownersFor(userDir, session);
  seeToLost(userDir, program, env, activeFor(userDir, owners));
  const untold = keptFor(userDir, owners).filter(({ isTold }) => !isTold);
  const fitting = untold.slice(0, howManyFit(untold.map(({ notice }) => noticeText(notice, now))));
  const mine = fitting.filter((kept) => claim(userDir, kept));
  checkpoint('hook:marked');
  const more = untold.length - fitting.length;
  tidy(userDir, session, now);
  if (mine.length === 0) return null;
  if (more > 0) ringOnce(userDir, session);
  return toldText(
    mine.map(({ notice }) => noticeText(notice, now)),
    more,
  );
}
