import type { CostBasis, Usage } from './cost.ts';
import type { JobId } from './ids.ts';
import type { Boundary, Network, Preflight, ResultFlag, SandboxLevel } from './record.ts';
import type { RubricReceipt } from './rubric.ts';
import type { Reason, TerminalState } from './states.ts';
import type { TestChange } from './test-changes.ts';
import type { JobKind } from './transition.ts';
import type { RedFirstVerdict } from './verdict.ts';

/** One path of the collected work. Paths are relative to the repository's root. */
export interface ReceiptFile {
  readonly path: string;
  readonly status: 'A' | 'M' | 'D' | 'T';
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: boolean;
  /** `test_edit`, `control_plane`, `link_outside`, `mode_changed`. */
  readonly flags: readonly string[];
}

/** One command the host ran to judge the work, never the worker's word for it. */
export interface CommandReceipt {
  readonly command: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationSeconds: number;
  /** The last 800 characters. */
  readonly outputTail: string;
}

/** A path that was not as the worker left it when the tests ran once more. */
export interface ProtectedPath {
  readonly path: string;
  /** `merged`: only what steers the tests in it is the base's. */
  readonly put: 'base' | 'removed' | 'merged';
}

/** A run that failed and, run once more in another clean checkout, passed. */
export interface FlakyRun {
  /** With the worker's tests, or with the base's. */
  readonly of: 'after' | 'kept';
  readonly first: CommandReceipt;
}

/** Did the tests fail before the work? */
export interface RedFirst {
  readonly verdict: RedFirstVerdict;
  /** The work's tests on the base; null where the preflight had said it already, or there were none. */
  readonly run: CommandReceipt | null;
}

/** What the gate has to show beside the one run. */
export interface Proof {
  /**
   * The test command with the base's tests, scripts and configuration, or, where edits of tests are allowed and that
   * fails, with only what runs them put back; null: it touched none and brought no test, or that did not run.
   */
  readonly kept: CommandReceipt | null;
  readonly flaky: readonly FlakyRun[];
  readonly testChanges: readonly TestChange[];
  readonly protectedPaths: readonly ProtectedPath[];
  /** null: not asked for. */
  readonly redFirst: RedFirst | null;
}

export const NO_PROOF: Proof = {
  kept: null,
  flaky: [],
  testChanges: [],
  protectedPaths: [],
  redFirst: null,
};

/** What a job did, on what, with what evidence: `runs/<id>/receipt.json`. */
export interface Receipt extends Proof {
  readonly schema: 1;
  readonly version: string;
  readonly kind: JobKind;
  readonly id: JobId;
  readonly state: TerminalState;
  readonly reason: Reason | null;
  readonly error: string | null;
  /** SHA-256 of the request, the definition of done and the test command. */
  readonly specDigest: string;
  readonly base: string;
  readonly commit: string | null;
  readonly tree: string | null;
  readonly branch: string;
  readonly files: readonly ReceiptFile[];
  readonly insertions: number;
  readonly deletions: number;
  readonly notInPatch: readonly { readonly path: string; readonly why: string }[];
  readonly setup: CommandReceipt | null;
  /** The test command on the base, before; and on the collected commit in a clean checkout, after. */
  readonly before: Preflight | null;
  readonly after: CommandReceipt | null;
  /** What the grader said last of the definition of done; null: nothing was graded. */
  readonly rubric: RubricReceipt | null;
  readonly flags: readonly ResultFlag[];
  /** Notes on the user's repository while the job ran, e.g. a moved branch. */
  readonly notes: readonly string[];
  /** The worker's last message: a claim, kept apart from the facts above. */
  readonly summary: string;
  readonly sandbox: SandboxLevel;
  readonly sandboxBackend: string;
  readonly boundary: Boundary;
  readonly network: Network;
  readonly engine: string;
  /** The version of the claude engine's client; null for our own loop. */
  readonly client: string | null;
  readonly models: readonly string[];
  readonly steps: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly costBasis: CostBasis;
  readonly salvaged: boolean;
  readonly startedAt: string;
  readonly endedAt: string;
}
