import type { Readable, Writable } from 'node:stream';
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
  /** At level `full`: files this command sees empty, and cannot write. */
  readonly hidden?: readonly Hidden[];
  readonly signal?: AbortSignal;
  /**
   * Its output may be sockets: only for a program of our choice, which never opens /dev/stderr and the like
   * by name. Spares the process that makes pipes.
   */
  readonly sockets?: boolean;
}

/** Files, each a regular one reached by no link, and the empty file that is seen in their places. Absolute. */
export interface Hidden {
  readonly cover: string;
  readonly paths: readonly string[];
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

/** Its output are sockets, so it has to be a program of our choice; see `Command.sockets`. */
export type ServiceCommand = Pick<Command, 'argv' | 'cwd' | 'env' | 'writable' | 'readable' | 'hidden'>;

/** One program that stays, e.g. the helper of the file tools. It is fed and read as it runs. */
export interface Service {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when it and all that it started has ended, however; never rejects. */
  readonly ended: Promise<ServiceEnd>;
  /** Asks it to end (TERM), then ends it (KILL). Resolves with `ended`. */
  stop(): Promise<ServiceEnd>;
}

export interface ServiceEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it said on stderr: all of it, or head and tail. */
  readonly stderr: Captured;
  /** Why it never began, in words; null when it did. */
  readonly notStarted: string | null;
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
  /**
   * Starts a program that stays until it ends, `stop` is called or the sandbox is closed; held like a command.
   * Rejects as `run` does. What the holding itself has to say against it is told by `ended`.
   */
  serve(command: ServiceCommand): Promise<Service>;
  /** Ends whatever is left of the job's processes; returns what could not be ended. */
  dispose(): Promise<readonly string[]>;
}
