import type { Readable, Writable } from 'node:stream';
import type { ModelRef } from '../engine.ts';

/** A program that is to be started where the worker's hands are. */
export interface Launch {
  readonly argv: readonly [string, ...string[]];
  /** Laid over the sandbox's own environment, which is made from an allow-list. */
  readonly env: Readonly<Record<string, string>>;
  /** Files and folders beside the workspace that it has to see. Absolute; never writable. */
  readonly readable: readonly string[];
}

/** How a launched program ended, and what it said on stderr: all of it, or head and tail. */
export interface LaunchEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  /** Why it never began, in words; null when it did. */
  readonly notStarted: string | null;
}

/** A launched program, fed and read as it runs. */
export interface Launched {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when it and all that it started has ended; never rejects. */
  readonly ended: Promise<LaunchEnd>;
  /** TERM, three seconds later KILL, for it and all that it started. Resolves with `ended`. */
  stop(): Promise<LaunchEnd>;
}

/** What a command of the worker's shell gets from the guard: may it run? */
export type GuardAnswer = { readonly allow: true } | { readonly allow: false; readonly reason: string };

/** What the engine has to be told beside a run's own spec: where the client is, what holds it, what it may do. */
export interface ClaudeOptions {
  /** Absolute path of the client, found and checked before. */
  readonly client: string;
  /** node(1), and the one file of ours that runs inside with it (`inside/main.ts`, bundled). Absolute. */
  readonly node: string;
  readonly inside: string;
  /** A folder of the job's own, outside of everything the worker may write to: settings, prompt, programs, session. */
  readonly folder: string;
  /** A short folder for the socket: its whole path has to stay below 100 bytes. Seen inside, not writable. */
  readonly socketFolder: string;
  /** The private configuration folder of the client, as it is seen inside: below the private home. */
  readonly configFolder: string;
  /** Where the client starts. Absolute. */
  readonly cwd: string;
  readonly launch: (launch: Launch) => Promise<Launched>;
  /** The text guard, for every command of the client's shell. */
  readonly guard: (command: string, cwd: string) => GuardAnswer;
  /** Takes secrets out of what goes to a model. */
  readonly clean: (text: string) => string;
  /** In the client's spelling, as the user typed them; [] allows what the role allows. */
  readonly allowTools: readonly string[];
  readonly denyTools: readonly string[];
  /** What there is at all when nothing is said: the client's names. */
  readonly tools: readonly string[];
  /** null: everything in `tools` may be used without asking. */
  readonly permissionMode: string | null;
  readonly addDirs: readonly string[];
  /** What the worker is to do: told again when the client has cut the conversation, which had it. null: nothing is. */
  readonly request: string | null;
  readonly maxTurns: number;
  /** `slim`: our prompt alone, as small as can be. `full`: the client's own, ours added. */
  readonly prompt: 'slim' | 'full';
  /** For the client's side calls; null: the primary does them. */
  readonly small: ModelRef | null;
  /** Models of the client's sub-agents by role; a role that is missing has the primary. */
  readonly roles: Readonly<Record<string, ModelRef>>;
  /** A command's time when none is said, and the longest there is. Milliseconds. */
  readonly commandTimeoutMs: number;
  readonly longestCommandMs: number;
  /** How long the supervisor has for an answer. Milliseconds. */
  readonly askTimeoutMs: number;
}
