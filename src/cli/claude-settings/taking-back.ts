import { createHash } from 'node:crypto';
import * as z from 'zod';

/** How to take one change of a text back to the byte, as long as nobody has changed the text since. */
export const takingBackSchema = z.object({
  /** SHA-256 of the text as the change left it. */
  after: z.string(),
  start: z.number().int().nonnegative(),
  insertedLength: z.number().int().nonnegative(),
  /** What stood there: a piece around the change, never the whole file, which may hold secrets. */
  removed: z.string(),
});
export type TakingBack = z.infer<typeof takingBackSchema>;

export function takingBackOf(before: string, after: string): TakingBack {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - start;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return {
    after: digest(after),
    start,
    insertedLength: after.length - tail - start,
    removed: before.slice(start, before.length - tail),
  };
}

/** The text as it was before; null when this is not the text the change left. */
export function takenBack(text: string, how: TakingBack | null): string | null {
  if (how === null || digest(text) !== how.after) return null;
  return text.slice(0, how.start) + how.removed + text.slice(how.start + how.insertedLength);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
