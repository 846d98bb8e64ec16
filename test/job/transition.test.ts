import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stateMachinePage } from '../../scripts/state-machine.ts';
import {
  FAILED_REASONS,
  isActive,
  isTerminal,
  JOB_STATES,
  type JobState,
  type Reason,
  TIMEOUT_REASONS,
} from '../../src/job/states.ts';
import { checkMove, type JobKind } from '../../src/job/transition.ts';

const REASONS: readonly (Reason | null)[] = [null, ...FAILED_REASONS, ...TIMEOUT_REASONS];

/** The matrix as the decisions page states it, written down a second time by hand. */
const ALLOWED: Record<JobState, readonly JobState[]> = {
  queued: ['preparing', 'cancelled', 'timeout', 'failed'],
  preparing: ['running', 'failed', 'timeout', 'cancelled'],
  running: ['grading', 'needs_input', 'failed', 'timeout', 'cancelled'],
  needs_input: ['running', 'grading', 'failed', 'timeout', 'cancelled'],
  grading: ['running', 'needs_input', 'succeeded', 'failed', 'timeout', 'cancelled'],
  succeeded: [],
  failed: [],
  timeout: [],
  cancelled: [],
};

const reachable = (kind: JobKind, from: JobState, to: JobState) =>
  REASONS.some((reason) => checkMove(kind, from, { to, reason }).ok);

describe('the transition table', () => {
  it.each(JOB_STATES)('lets a task in %s go where the decisions say, and nowhere else', (from) => {
    expect(JOB_STATES.filter((to) => reachable('task', from, to)).sort()).toEqual([...ALLOWED[from]].sort());
  });

  it('lets an ask succeed from running, and never be graded', () => {
    expect(reachable('ask', 'running', 'succeeded')).toBe(true);
    expect(reachable('task', 'running', 'succeeded')).toBe(false);
    for (const from of JOB_STATES) expect(reachable('ask', from, 'grading'), from).toBe(false);
  });

  it.each([
    ['queued', 'failed', 'gate_failed', false],
    ['queued', 'failed', 'launch_failed', true],
    ['queued', 'timeout', 'queue', true],
    ['queued', 'timeout', 'wall', false],
    ['running', 'timeout', 'stall', true],
    ['needs_input', 'timeout', 'stall', false],
    ['needs_input', 'timeout', 'wall', true],
    ['grading', 'succeeded', null, true],
    ['grading', 'succeeded', 'gate_failed', false],
    ['grading', 'failed', null, false],
    ['running', 'cancelled', 'wall', false],
  ] as const)('%s to %s with the reason %s: %s', (from, to, reason, allowed) => {
    expect(checkMove('task', from, { to, reason }).ok).toBe(allowed);
  });

  it('says why a move is refused', () => {
    expect(checkMove('task', 'failed', { to: 'running', reason: null })).toEqual({
      ok: false,
      why: 'failed is final',
    });
  });

  it('splits every state into active and terminal', () => {
    for (const state of JOB_STATES) expect(isActive(state)).toBe(!isTerminal(state));
    expect(JOB_STATES.filter(isTerminal)).toHaveLength(4);
  });

  it('is the table that docs/state-machine.md shows', () => {
    expect(readFileSync('docs/state-machine.md', 'utf8')).toBe(stateMachinePage());
  });
});
