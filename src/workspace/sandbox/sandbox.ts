import type { SandboxLevel } from '../../job/record.ts';

/** One command of the worker, of a test run or of the collector. Never a shell string: argv. */
export interface Command {
  readonly argv: readonly [string, ...string[]];
  /** Absolute; inside the workspace, or one of `writable`. */
  readonly cwd: string;
  /** Added to the sandbox's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** stdin; without it stdin is empty and closed. */
  readonly input?: Uint8Array;
  readonly timeoutMs: number;
  /** How much of each stream is kept: the head and the tail. Default 64 KiB. */
  readonly keepBytes?: number;
  /** Both streams, as they come, are also written there, up to a cap (the worker's log). */
  readonly log?: (chunk: Uint8Array) => void;
  /** Folders beside the workspace this command may write or read. */
  readonly writable?: readonly string[];
  readonly readable?: readonly string[];
  readonly signal?: AbortSignal;
  /**
   * Its output may be sockets: only for a program of our choice, which never opens /dev/stderr and the like
   * by name. Spares the process that makes pipes.
   */
  readonly sockets?: boolean;
}

/** What is kept of a stream: all of it, or its head and its tail around a note that names the true size. */
export interface Captured {
  readonly bytes: Uint8Array;
  readonly totalBytes: number;
  readonly truncated: boolean;
}

export interface CommandResult {
  /** null when a signal ended it; 124 when the time limit did. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
}

/**
 * Where the worker's hands are. Every tool execution, every test command and the collection go through
 * one of these. When `run` resolves, nothing the command started is alive any more, as far as the level
 * can promise it.
 */
export interface Sandbox {
  readonly level: SandboxLevel;
  /** e.g. `bubblewrap`, `unshare`, `process-group`; for status and receipt. */
  readonly backend: string;
  /** Resolves for every way a command can end; rejects only when it could not be started. */
  run(command: Command): Promise<CommandResult>;
  /** Ends whatever is left of the job's processes; returns what could not be ended. */
  dispose(): Promise<readonly string[]>;
}
