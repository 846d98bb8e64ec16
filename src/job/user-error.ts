/** The published exit codes (docs: README, "Exit codes"). */
export const EXIT = {
  done: 0,
  badNews: 1,
  usage: 2,
  noSuchJob: 3,
  wrongState: 4,
  refused: 5,
  environment: 6,
  question: 10,
  bug: 70,
  timedOut: 124,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface Explanation {
  /** Stable machine-readable word, e.g. `no_such_job`. */
  readonly code: string;
  /** What went wrong, in words. */
  readonly what: string;
  /** The value it went wrong with, as the user gave it or as we found it. */
  readonly value?: string;
  /** What to do about it: a command where there is one. */
  readonly remedy: string;
  readonly exit: ExitCode;
}

/** Something the user can put right. Anything else that is thrown is a bug. Only the CLI's main exits. */
export class UserError extends Error {
  readonly explanation: Explanation;

  constructor(explanation: Explanation, options?: ErrorOptions) {
    const { what, value, remedy } = explanation;
    super([what, value, remedy].filter((part) => part !== undefined && part !== '').join('; '), options);
    this.name = 'UserError';
    this.explanation = explanation;
  }
}
