import type { Place } from './place.ts';
import { MAX_TEXT, newScope } from './scope.ts';
import { PASS, type Verdict } from './verdict.ts';
import { judgeSource } from './walk.ts';

/**
 * May the worker's shell run this text? Refuses what would publish, rewrite or take in history, and searches
 * of the whole drive, in whatever way the text itself spells it. It reads only what the text says:
 * what it cannot tell passes, as does a text it cannot parse or one that is too long. Never throws.
 */
export function judge(text: string, place: Place): Verdict {
  if (text.length > MAX_TEXT) return PASS;
  return judgeSource(text, null, newScope(place)) ?? PASS;
}
