import type { CostBasis, Usage } from './cost.ts';
import type { JobId } from './ids.ts';
import type { Boundary, Network, Preflight, ResultFlag, SandboxLevel } from './record.ts';
import type { Reason, TerminalState } from './states.ts';
import type { JobKind } from './transition.ts';

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

/** What a job did, on what, with what evidence: `runs/<id>/receipt.json`. */
export interface Receipt {
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
