/** What the worker is asked to do: the part of a start that is too big for the record. */
export interface Task {
  /** The request, verbatim. */
  readonly prompt: string;
  /** The definition of done, verbatim; null when the user gave none. */
  readonly done: string | null;
  readonly appendSystemPrompt: string | null;
  /** Go on even if the test command cannot run on the untouched base. */
  readonly forceStart: boolean;
  /** Names of the environment variables the worker's commands may see beside the allow-list. */
  readonly passEnv: readonly string[];
  /** How many changed and new files of the user's checkout the worker does not see. */
  readonly notSeen: { readonly changed: number; readonly untracked: number };
}
