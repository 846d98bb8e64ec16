import { stripControls, withoutColours } from '../job/format.ts';
import type { CommandReceipt } from '../job/receipt.ts';
import { UserError } from '../job/user-error.ts';
import { isSignalExit } from '../job/verdict.ts';
import { systemBash } from '../workspace/sandbox/programs.ts';
import type { CommandResult, Sandbox } from '../workspace/sandbox/sandbox.ts';

export interface CommandSpec {
  readonly sandbox: Sandbox;
  /** The user's own shell text. */
  readonly command: string;
  /** Absolute, inside the sandbox's workspace. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly log?: ((chunk: Uint8Array) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `not_started`: the shell could not find it or not execute it (126, 127), or there was nowhere to start. */
export type CommandEnd = 'exit' | 'signal' | 'timeout' | 'not_started';

/** How a command of the user ended. A run that was aborted has ended by a signal. */
export interface CommandRun extends CommandReceipt {
  readonly ended: CommandEnd;
  /** Both streams in order, the head and the tail of them. */
  readonly output: string;
}

/**
 * Runs a command of the user's, a test or a set-up: the one thing here that is a shell string, since the user
 * wrote it as one. It runs in bash with `pipefail`, so that `npm test | tail` fails when `npm test`
 * does. Nothing but its exit status counts; what it prints is evidence for people. Never throws for a
 * command that fails, whatever the way.
 */
export async function runCommand(spec: CommandSpec): Promise<CommandRun> {
  try {
    const bash = systemBash();
    const result = await spec.sandbox.run({
      // The outer bash puts both streams on one pipe, so that they stay in order.
      argv: [bash, '-c', 'exec "$0" -o pipefail -c "$1" 2>&1', bash, spec.command],
      cwd: spec.cwd,
      env: TEST_ENVIRONMENT,
      timeoutMs: spec.timeoutMs,
      ...(spec.log === undefined ? {} : { log: spec.log }),
      ...(spec.signal === undefined ? {} : { signal: spec.signal }),
    });
    const output = Buffer.from(result.stdout.bytes).toString('utf8');
    return { ...receipt(spec.command, result, output), ended: endOf(result), output };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const facts = { command: spec.command, exitCode: null, timedOut: false, durationSeconds: 0 };
    return { ...facts, outputTail: tail(error.message), ended: 'not_started', output: error.message };
  }
}

/** Only what goes into a receipt. */
export function receiptOf(run: CommandRun): CommandReceipt {
  const { command, exitCode, timedOut, durationSeconds, outputTail } = run;
  return { command, exitCode, timedOut, durationSeconds, outputTail };
}

/** A test may clone from one folder into another; to the network git still talks by no protocol. */
const TEST_ENVIRONMENT = { GIT_ALLOW_PROTOCOL: 'file' };

function receipt(command: string, result: CommandResult, output: string): CommandReceipt {
  const { exitCode, timedOut, durationMs } = result;
  return { command, exitCode, timedOut, durationSeconds: durationMs / 1000, outputTail: tail(output) };
}

function endOf({ exitCode, timedOut, aborted }: CommandResult): CommandEnd {
  if (timedOut) return 'timeout';
  if (aborted || exitCode === null || isSignalExit(exitCode)) return 'signal';
  return exitCode === 126 || exitCode === 127 ? 'not_started' : 'exit';
}

const TAIL_CHARACTERS = 800;

function tail(output: string): string {
  const characters = [...stripControls(withoutColours(output)).trimEnd()];
  return characters.slice(-TAIL_CHARACTERS).join('');
}
