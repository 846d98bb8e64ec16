import type { Preflight } from '../job/record.ts';
import { classify } from './classify.ts';
import { type CommandSpec, runCommand } from './run-command.ts';

/**
 * Runs the test command once on the untouched base, before any money is spent. Without a command there is
 * nothing to run, and that is what it says. Never throws for a command that fails.
 */
export async function preflight(
  spec: Omit<CommandSpec, 'command'> & { readonly command: string | null },
): Promise<Preflight> {
  if (spec.command === null) return NOT_RUN;
  const run = await runCommand({ ...spec, command: spec.command });
  const { exitCode, timedOut, outputTail, durationSeconds } = run;
  if (spec.signal?.aborted)
    return { ...NOT_RUN, note: 'stopped before it had ended', outputTail, durationSeconds };
  return { ran: true, exitCode, timedOut, outputTail, durationSeconds, ...classify(run) };
}

const NOT_RUN: Preflight = {
  ran: false,
  exitCode: null,
  timedOut: false,
  outputTail: '',
  verdict: 'not_run',
  note: 'there is no test command',
  durationSeconds: 0,
};
