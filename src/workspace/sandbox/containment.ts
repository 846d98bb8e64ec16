import type { SandboxLevel } from '../../job/record.ts';

type Argv = readonly [string, ...string[]];

/** How a process ended, as Node says it. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What differs from level to level. A new level is one more file that makes one of these. */
export interface Containment {
  readonly level: SandboxLevel;
  readonly backend: string;
  /** What is really started for a command. It is the leader of a session and a group of its own. */
  wrap(argv: Argv): Argv;
  /** Does what is wrapped around the command keep stderr (2) for itself? Then the command's is 3. */
  readonly keepsStderr: boolean;
  /** How the command ended, from the leader's end and from what the wrapping said on its own stderr. */
  read(ended: Ended, said: string): Ended | { readonly notStarted: string };
  /** Ends with KILL what the leader holds together. */
  kill(leader: number): void;
  /** Does the end of the leader, ended like this, prove that nothing of its command is alive? */
  provesEnd(ended: Ended): boolean;
}

/** A signal to a whole process group; a group that is gone already is what was wanted. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  signalIfThere(-leader, signal);
}

export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')) {
      // ESRCH: ended by itself. EPERM: what is left of the group is another user's (a set-user-id program).
      return;
    }
    throw error;
  }
}
