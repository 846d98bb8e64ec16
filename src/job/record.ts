import type { CostBasis, Usage } from './cost.ts';
import type { ConversationId, JobId } from './ids.ts';
import type { Limits } from './limits.ts';
import type { JobState, Reason } from './states.ts';
import type { JobKind } from './transition.ts';

/** The version of the record's form. A reader that meets a higher one shows it and changes nothing. */
export const RECORD_SCHEMA = 1;
/** The record stays small: whatever is big stands in a file beside it. */
export const RECORD_MAX_BYTES = 8192;

export const SANDBOX_LEVELS = ['full', 'process', 'none'] as const;
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number];

/** What a job's commands may reach beside their own machine. Only level `full` can see to `none`. */
export const NETWORKS = ['none', 'full'] as const;
export type Network = (typeof NETWORKS)[number];

/** `container`: the user says that the container we run in is the boundary, so no sandbox of ours is needed. */
export const BOUNDARIES = ['sandbox', 'container'] as const;
export type Boundary = (typeof BOUNDARIES)[number];

export const PREFLIGHT_VERDICTS = ['passes', 'fails', 'runner_broken', 'timed_out', 'not_run'] as const;
export type PreflightVerdict = (typeof PREFLIGHT_VERDICTS)[number];

/** The test command on the untouched base, before any money is spent. */
export interface Preflight {
  readonly ran: boolean;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The last 800 characters of what it printed. */
  readonly outputTail: string;
  readonly verdict: PreflightVerdict;
  readonly note: string;
  readonly durationSeconds: number;
}

/** Who runs the job: enough to tell a living process from another one with the same number. */
export interface RunnerIdentity {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat on Linux (clock ticks since boot), `ps -o lstart=` elsewhere. */
  readonly startTime: string;
  readonly bootId: string;
  /** Inode of the pid namespace; '' where the system has none. */
  readonly pidNamespace: string;
}

/** What the worker is doing; written at most once a second between transitions. */
export interface Progress {
  readonly step: number;
  readonly toolCalls: number;
  /** The newest line of the worker's own report, or what it does now; at most 160 characters. */
  readonly note: string;
  readonly filesTouched: number;
  readonly lastActivityAt: string | null;
}

export type QuestionKind = 'question' | 'blocker' | 'budget';

/** The oldest open question, cut to 240 characters; its full text is in the mailbox. */
export interface QuestionHead {
  readonly id: string;
  readonly kind: QuestionKind;
  readonly message: string;
  readonly askedAt: string;
  readonly expiresAt: string;
}

/** How the test command did on the collected commit, in a clean checkout. */
export interface TestsHead {
  readonly command: string;
  readonly exitCode: number | null;
  readonly durationSeconds: number;
  /** With the base's tests put back; null when the work touched none and brought none, or that did not run. */
  readonly keptExitCode?: number | null;
}

export const RESULT_FLAGS = [
  'unproven',
  'unsandboxed',
  'flaky',
  'no_tests_seen',
  'test_edits',
  'control_plane',
  'commits_not_in_tree',
  'ignored_files',
  'large_files',
  'no_tool_calls',
  'moved_head',
  'secret_like',
  'out_of_scope',
] as const;
export type ResultFlag = (typeof RESULT_FLAGS)[number];

/** What came back. The whole of it is in `runs/<id>/receipt.json`. */
export interface ResultHead {
  readonly commit: string | null;
  readonly tree: string | null;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly tests: TestsHead | null;
  readonly flags: readonly ResultFlag[];
  readonly summaryLine: string;
  /** What went wrong, at most 500 characters; null when nothing did. */
  readonly error: string | null;
  /** Is the unfinished work kept? `pending` while a salvager is at it. */
  readonly salvaged: boolean | 'pending';
}

/** What happened to the work after the job ended. */
export type Disposition = 'none' | 'applied' | 'discarded';

/** One job, as it stands in `.cc-delegate/jobs/<id>.json`. Times are ISO 8601 UTC. */
export interface JobRecord {
  readonly schema: typeof RECORD_SCHEMA;
  /** Grows by one with every published transition. */
  readonly rev: number;
  readonly id: JobId;
  readonly kind: JobKind;
  readonly title: string;
  readonly state: JobState;
  readonly reason: Reason | null;
  /** The main working tree that holds the store. */
  readonly repo: string;
  /** The working tree the job was started from: where apply goes. */
  readonly checkout: string;
  /** Where `start` was called, and the same place relative to the checkout ('' is its root). */
  readonly cwd: string;
  readonly subdirectory: string;
  readonly base: string;
  readonly branch: string;
  readonly workspace: string;
  readonly conversationId: ConversationId;
  readonly turn: number;
  readonly parent: JobId | null;
  readonly supervisor: { readonly sessionId: string | null };
  readonly runner: RunnerIdentity | null;
  readonly engine: 'native' | 'claude';
  /** The version of the claude engine's client, from when the runner has found it; null for our own loop. */
  readonly client: string | null;
  readonly model: string;
  readonly modelSource: string;
  readonly profile: string | null;
  readonly sandbox: SandboxLevel;
  readonly sandboxBackend: string;
  readonly boundary: Boundary;
  readonly network: Network;
  readonly limits: Limits;
  readonly gate: { readonly test: string | null; readonly setup: string | null; readonly criteria: boolean };
  readonly preflight: Preflight | null;
  readonly progress: Progress;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly costBasis: CostBasis;
  readonly question: QuestionHead | null;
  readonly openQuestions: number;
  readonly result: ResultHead | null;
  readonly disposition: Disposition;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly updatedAt: string;
}

export const NO_PROGRESS: Progress = {
  step: 0,
  toolCalls: 0,
  note: '',
  filesTouched: 0,
  lastActivityAt: null,
};

/** The result of a job that came to nothing; what there is to say is laid over it. */
export const NO_RESULT: ResultHead = {
  commit: null,
  tree: null,
  files: 0,
  insertions: 0,
  deletions: 0,
  tests: null,
  flags: [],
  summaryLine: '',
  error: null,
  salvaged: false,
};
