import type { Network, SandboxLevel } from '../../job/record.ts';
import type { Environment } from './environment.ts';
import type { Hidden } from './sandbox.ts';

export type Argv = readonly [string, ...string[]];

/** How a process ended, as Node says it. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What all commands of one sandbox have in common. Paths are absolute. */
export interface JobPlace {
  readonly workspace: string;
  readonly home: string;
  readonly temp: string;
  /** Beside the workspace, to be read by every command: the object directories the clone borrows from. */
  readonly readable: readonly string[];
  readonly network: Network;
  /** What the job's commands would have if nothing were in their way; see environment.ts. */
  readonly environment: Environment;
}

/** What one command has beside that. */
export interface CommandPlace {
  readonly cwd: string;
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  readonly hidden?: readonly Hidden[];
}

/** How the commands of one sandbox are held. */
export interface Containment {
  readonly level: SandboxLevel;
  readonly backend: string;
  /** What the commands find in their environment. */
  readonly environment: Environment;
  /** What is really started for a command. It is the leader of a session and a group of its own. */
  wrap(argv: Argv, place: CommandPlace): Argv;
  /** Does what is wrapped around the command keep stderr (2) for itself? Then the command's is 3. */
  readonly keepsStderr: boolean;
  /** What the wrapping reads: the first from descriptor 4, and so on. Needs `keepsStderr`. */
  readonly feeds: readonly string[];
  /** How the command ended, from the leader's end and from what the wrapping said on its own stderr. */
  read(ended: Ended, said: string): Ended | { readonly notStarted: string };
  /** Asks what the leader holds together to end (TERM). */
  terminate(leader: number): void;
  /** Ends with KILL what the leader holds together. */
  kill(leader: number): void;
  /** Does the end of the leader, ended like this, prove that nothing of its command is alive? */
  provesEnd(ended: Ended): boolean;
}

export type Proof = 'processes' | 'sealed' | 'hidden';

/** A way to hold commands, which a system may have or not. A new level is one more file that makes one of these. */
export interface Backend {
  readonly level: SandboxLevel;
  readonly backend: string;
  /** What a trial must show before it is used; see probe.ts. */
  readonly proves: readonly Proof[];
  contain(place: JobPlace): Containment;
}

/** A signal to a whole process group; a group that is gone already is what was wanted. Was there one? */
export function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  return signalIfThere(-leader, signal);
}

export function signalIfThere(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')) {
      // ESRCH: ended by itself. EPERM: what is left of the group is another user's (a set-user-id program).
      return false;
    }
    throw error;
  }
}
