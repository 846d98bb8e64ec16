import type { CommandReceipt } from '../job/receipt.ts';
import type { GateOutcome } from '../job/verdict.ts';
import { type CommandRun, type CommandSpec, receiptOf, runCommand } from './run-command.ts';

export interface GateSpec extends Omit<CommandSpec, 'command'> {
  /** User's commands; null where the job has none. */
  readonly setup: string | null;
  readonly test: string | null;
  /** Called between the two: what must be in the checkout as the host has it, e.g. protected tests. */
  readonly restore?: (() => Promise<void>) | undefined;
}

export interface GateReport {
  readonly outcome: GateOutcome;
  /** What was run, as evidence; null what was not. */
  readonly setup: CommandReceipt | null;
  readonly tests: CommandReceipt | null;
}

/**
 * Judges work that changed something: set-up, then the test command, in a fresh checkout of what was collected
 * that the caller made for this and removes. `timeoutMs` bounds each of the two. The sandbox must be one
 * that the worker never ran in.
 */
export async function gate(spec: GateSpec): Promise<GateReport> {
  const { setup, test, restore, ...common } = spec;
  const setupRun = setup === null ? null : await runCommand({ ...common, command: setup });
  const setupOk = setupRun === null || (setupRun.ended === 'exit' && setupRun.exitCode === 0);
  if (setupOk) await restore?.();
  const testRun = test === null || !setupOk ? null : await runCommand({ ...common, command: test });
  return {
    outcome: { changed: true, setupOk, tests: testRun && testsOf(testRun) },
    setup: setupRun && receiptOf(setupRun),
    tests: testRun && receiptOf(testRun),
  };
}

function testsOf({ ended, exitCode }: CommandRun): NonNullable<GateOutcome['tests']> {
  if (ended !== 'exit') return { ended };
  return exitCode === null ? { ended: 'not_started' } : { ended, exitCode };
}
