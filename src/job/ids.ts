/** A job's id: `t_<base36 milliseconds>_<6 base36>`; sorts by time, safe as a path and as a ref name. */
export type JobId = string & { readonly brand: 'JobId' };
/** A conversation's id: the same form with the prefix `c_`. */
export type ConversationId = string & { readonly brand: 'ConversationId' };

const JOB_ID = /^t_[0-9a-z]{6,12}_[0-9a-z]{6}$/;
const CONVERSATION_ID = /^c_[0-9a-z]{6,12}_[0-9a-z]{6}$/;
const SUFFIX = /^[0-9a-z_]{6,32}$/;
const TAIL_LENGTH = 6;

export function isJobId(text: string): text is JobId {
  return JOB_ID.test(text);
}

export function isConversationId(text: string): text is ConversationId {
  return CONVERSATION_ID.test(text);
}

/** `random` is any non-negative integer below 36^6; the caller brings it, so that this stays pure. */
export function makeJobId(nowMs: number, random: number): JobId {
  return `t_${stamp(nowMs, random)}` as JobId;
}

export function makeConversationId(nowMs: number, random: number): ConversationId {
  return `c_${stamp(nowMs, random)}` as ConversationId;
}

/** How many different tails an id may have: the range of `random`. */
export const ID_TAILS = 36 ** TAIL_LENGTH;

function stamp(nowMs: number, random: number): string {
  return `${nowMs.toString(36)}_${random.toString(36).padStart(TAIL_LENGTH, '0').slice(-TAIL_LENGTH)}`;
}

/** The six characters people type. */
export function shortId(id: JobId): string {
  return id.slice(-TAIL_LENGTH);
}

/** The ids a typed text may mean: the id itself, or all that end with it (six characters or more). */
export function matchIds(ids: readonly JobId[], typed: string): JobId[] {
  if (isJobId(typed)) return ids.filter((id) => id === typed);
  return SUFFIX.test(typed) ? ids.filter((id) => id.endsWith(typed)) : [];
}

/** Is this text of a form that could name a job at all? Everything else is a usage error. */
export function couldBeJobId(typed: string): boolean {
  return SUFFIX.test(typed);
}

/** Ids begin with the time in base 36; a shorter one is an older one. */
export function isOlder(a: JobId, b: JobId): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
