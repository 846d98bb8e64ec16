/** Every state a job can be in, in the order it usually passes them. */
export const JOB_STATES = [
  'queued',
  'preparing',
  'running',
  'needs_input',
  'grading',
  'succeeded',
  'failed',
  'timeout',
  'cancelled',
] as const;
export type JobState = (typeof JOB_STATES)[number];

export const TERMINAL_STATES = ['succeeded', 'failed', 'timeout', 'cancelled'] as const;
export type TerminalState = (typeof TERMINAL_STATES)[number];

export const FAILED_REASONS = [
  'gate_failed',
  'rubric_unsatisfied',
  'tampered',
  'no_changes',
  'over_budget',
  'max_steps',
  'engine_error',
  'auth',
  'quota',
  'rate_limited',
  'context_overflow',
  'loop',
  'empty_responses',
  'grader_error',
  'launch_failed',
  'setup_failed',
  'dependency_failed',
  'runner_lost',
  'workspace_lost',
  'storage',
  'integrity',
  'test_timeout',
] as const;
export type FailedReason = (typeof FAILED_REASONS)[number];

export const TIMEOUT_REASONS = ['wall', 'stall', 'queue'] as const;
export type TimeoutReason = (typeof TIMEOUT_REASONS)[number];

/** Why a job ended. Success and cancellation need no reason. */
export type Reason = FailedReason | TimeoutReason;

export function isTerminal(state: JobState): state is TerminalState {
  return (TERMINAL_STATES as readonly JobState[]).includes(state);
}

export function isActive(state: JobState): boolean {
  return !isTerminal(state);
}
