/** How a session learns that its job asks or has ended, the best way first. */
export type Rung = 'bell' | 'background wait' | 'status' | 'terminal';

export interface WakeFacts {
  /** Is there a session of Claude Code around? */
  readonly inSession: boolean;
  /** Did SessionStart make a bell for it? */
  readonly hasBell: boolean;
  /** Does a person sit at it? Without one a session is not idle, it ends. */
  readonly isAttended: boolean;
  /** May the session's shell leave a command in the background? */
  readonly hasBackground: boolean;
}

/** Pure: the rung that holds here. */
export function rungOf({ inSession, hasBell, isAttended, hasBackground }: WakeFacts): Rung {
  if (!inSession) return 'terminal';
  if (hasBell && isAttended) return 'bell';
  return hasBackground ? 'background wait' : 'status';
}

export const RUNG_WORDS: Readonly<Record<Rung, string>> = {
  bell: 'bell: this session is woken when a job asks or ends; nothing is to be polled',
  'background wait': 'background wait: run one `cc-delegate wait` in the background',
  status: 'status: look with `cc-delegate status --brief` about every 2 minutes, later every 10',
  terminal: 'terminal: cc-delegate wait tells when a job asks or ends',
};
