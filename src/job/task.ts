import type { JobId } from './ids.ts';
import type { PermissionMode } from './permission-mode.ts';

/** What the user wants of the proof, beside the test command. */
export interface ProofRules {
  /** Globs of what is put back from the base before the tests run once more. */
  readonly protect: readonly string[];
  /** A success that needs the worker's edits of the tests is one, and says so. */
  readonly allowTestEdits: boolean;
  /** For a bug fix: the tests have to fail without the work. */
  readonly mustFailFirst: boolean;
}

export const NO_RULES: ProofRules = { protect: [], allowTestEdits: false, mustFailFirst: false };

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
  /** Was the uncommitted work to be part of the base? A try from the same brief takes it anew. */
  readonly includeDirty: boolean;
  /** The commit that the uncommitted work in the base stands on; null: there is none in it. */
  readonly committed: string | null;
  /** What the worker may use of its tools, in Claude Code's spelling, as typed; []: all that its role has. */
  readonly allowTools: readonly string[];
  /** What it may not use, the same spelling or our names. A later turn may add to them, never take away. */
  readonly denyTools: readonly string[];
  /** null: all tools of its role. */
  readonly permissionMode: PermissionMode | null;
  /** Folders beside the workspace that it may read: absolute, links followed. */
  readonly addDirs: readonly string[];
  /** How much of the client's own prompt there is; of no account to the native engine. */
  readonly clientPrompt: 'slim' | 'full';
  /** Folders its changes belong in, relative to the root; []: everywhere. A change elsewhere is flagged. */
  readonly scope: readonly string[];
  /** The model for side jobs, as it was typed; null: that of the profile. */
  readonly smallModel: string | null;
  /** The person let it spend its budget whatever has been spent today or for the repository. */
  readonly passCaps: boolean;
  readonly proof: ProofRules;
  /** What was said to the worker of the turn it resumes and never reached it. */
  readonly unheard: readonly string[];
  /** The turn this one goes on from; null for the first of its conversation. */
  readonly goesOn: GoesOn | null;
  /** null for a task. */
  readonly ask: AskTask | null;
}

/** How a turn goes on from an earlier one, whose transcript it has a copy of. */
export interface GoesOn {
  readonly job: JobId;
  /** `resume` has no request of its own: the worker is told to go on where it stopped. */
  readonly how: 'followup' | 'resume';
  /** The commit whose files the workspace starts with; null: those of the base. */
  readonly start: string | null;
}

/** What an ask has beside its question. */
export interface AskTask {
  /** May it look at a snapshot of the checkout? Otherwise it is one model call, without a workspace. */
  readonly tools: boolean;
  /** The JSON schema its answer has to fit; null: the answer is plain text. */
  readonly schema: unknown;
}

/** The worker's tools, and what Claude Code calls them. */
export const TOOL_NAMES: Readonly<Record<string, string>> = {
  Bash: 'bash',
  Read: 'read',
  Write: 'write',
  Edit: 'edit',
  Grep: 'grep',
  Glob: 'glob',
  Task: 'task',
};

/** Our name of a tool, from either name; null for what is no tool that could be denied. */
export function toolName(typed: string): string | null {
  if (Object.hasOwn(TOOL_NAMES, typed)) return TOOL_NAMES[typed] ?? null;
  return Object.values(TOOL_NAMES).includes(typed) ? typed : null;
}
